#include "exec/task_places.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/aligned.hpp"
#include "base/page_size.hpp"
#include "base/round_up.hpp"

namespace shardfft {

namespace {

/// Whether others may write a task's results over its input: every number keeps its place, and each rank writes only
/// the places that only it has read.
bool receives_into_source(const Task& task) {
  return task.operation->writes_host_memory() && lie_alike(task.from_state, task.to_state);
}

/// Finds the arrays of tasks and their uses.
class Arrays {
 public:
  std::size_t add(std::size_t bytes, std::size_t turn, bool shared) {
    all.push_back({bytes, static_cast<int>(turn), static_cast<int>(turn), shared});
    return all.size() - 1;
  }
  void use(std::size_t array, std::size_t turn, ArrayPlace TaskPlaces::*as, std::size_t bytes) {
    all[array].dies = static_cast<int>(turn);
    all[array].bytes = std::max(all[array].bytes, bytes);
    uses.push_back({array, turn, as});
  }

  struct Use {
    std::size_t array, turn;
    ArrayPlace TaskPlaces::*as;
  };
  std::vector<TimedArray> all;
  std::vector<Use> uses;
};

}  // namespace

ProgramPlaces places_of(const std::vector<Task>& tasks, const std::function<std::size_t(const State&)>& bytes,
                        bool on_host, std::size_t copy_bytes) {
  const std::size_t page = page_size();
  Arrays arrays;
  const std::size_t copy = arrays.add(copy_bytes, 0, false);
  std::map<int, std::size_t> work;
  for (std::size_t turn = 0; turn < tasks.size(); ++turn) {
    const Task& task = tasks[turn];
    const std::size_t before = bytes(task.from_state), after = bytes(task.to_state);
    std::optional<std::size_t> source;  // the array that others read
    if (lies_between(task.from)) arrays.use(*(source = work.at(task.from)), turn, &TaskPlaces::from, before);
    if (task.lends_input() && !task.reads_across)
      arrays.use(*(source = arrays.add(0, turn, true)), turn, &TaskPlaces::stage, before);
    const bool receives = source && receives_into_source(task);
    if (lies_between(task.to)) {
      if (task.from != task.to) work[task.to] = receives ? *source : arrays.add(0, turn, on_host);
      arrays.use(work.at(task.to), turn, &TaskPlaces::to, after);
    } else if (task.operation->writes_host_memory()) {
      arrays.use(receives ? *source : arrays.add(0, turn, true), turn, &TaskPlaces::receive_buffer, after);
    }
    arrays.use(arrays.add(0, turn, false), turn, &TaskPlaces::scratch, task.operation->scratch_bytes());
  }
  const std::vector<ArrayPlace> places =
      place_arrays(arrays.all, {{ArrayRoom::grows, page, true}, {ArrayRoom::grows, cache_line, false}});
  ProgramPlaces program{std::vector<TaskPlaces>(tasks.size()), places[copy]};
  for (const Arrays::Use& use : arrays.uses) program.tasks[use.turn].*use.as = places[use.array];
  program.window_bytes = round_up(end_in(ProgramPlaces::window, places), page);
  program.workspace_bytes = round_up(end_in(ProgramPlaces::workspace, places), cache_line);
  return program;
}

}  // namespace shardfft
