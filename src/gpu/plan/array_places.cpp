#include "gpu/plan/array_places.hpp"

#include <algorithm>

namespace shardfft::gpu {

std::vector<ArrayLife> lives_of(const Lowered& lowered) {
  std::vector<ArrayLife> all(first_between);
  const auto use = [&all](int array, const State& state, int begin, int end) {
    const auto number = static_cast<std::size_t>(array);
    all.resize(std::max(all.size(), number + 1));
    ArrayLife& life = all[number];
    life.born = life.states.empty() ? begin : std::min(life.born, begin);
    life.dies = std::max(life.dies, end);
    life.states.push_back(state);
  };
  for (std::size_t i = 0; i < lowered.fused_tasks().size(); ++i) {
    const FusedTask& fused = lowered.fused_tasks()[i];
    int turn = first_turn(i) + (lowered.is_reshape(fused.front()) ? 1 : 0);
    for (const LoweredStep& one : fused) {
      const bool alone = fused.size() == 1;
      const int begin = alone ? first_turn(i) : turn, end = alone ? last_turn(i) : turn;
      use(one.from, lowered.before(one), begin, end);
      use(one.to, lowered.after(one), begin, end);
      ++turn;
    }
  }
  return all;
}

bool waits_in_free_output(const Lowered& lowered, const std::vector<ArrayLife>& arrays, std::size_t task) {
  if (task > 0 || lowered.fused_tasks().empty()) return false;
  const FusedTask& fused = lowered.fused_tasks().front();
  if (fused.size() < 2 || lowered.is_reshape(fused.front()) || fused.front().to == input_array) return false;
  const TimedArray turns{0, first_turn(task), last_turn(task)};
  return arrays[static_cast<std::size_t>(fused.front().to)].room == in_workspace &&
         std::none_of(arrays.begin(), arrays.end(),
                      [&](const ArrayLife& array) { return array.room == in_output && meet(array, turns); });
}

std::vector<TimedArray> timed(const std::vector<ArrayLife>& arrays, Precision precision) {
  std::vector<TimedArray> all;
  for (const ArrayLife& array : arrays) {
    TimedArray& one = all.emplace_back(TimedArray{0, array.born, array.dies});
    for (const State& state : array.states)
      if (array.room == in_workspace) one.bytes = std::max(one.bytes, max_state_bytes(state, precision));
    if (array.divided)  // tasks compare no places with that of its tail
      one = {array.divided->tail_bytes, first_turn(task_of(array.born)), last_turn(task_of(array.dies))};
  }
  return all;
}

}  // namespace shardfft::gpu
