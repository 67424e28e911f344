// How many chunks an executor cuts its programs in, where the option leaves it open.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/available_memory.hpp"
#include "base/clock.hpp"
#include "exec/chunk_trial.hpp"
#include "exec/executor.hpp"
#include "exec/host_target.hpp"
#include "mpi/kept_for_mpi.hpp"
#include "mpi/request.hpp"

namespace shardfft {

namespace {

/// How operations are cut; empty where none is.
std::string cuts_of(const std::vector<std::vector<Task>>& programs) {
  std::string text;
  for (const auto& tasks : programs)
    for (const Task& task : tasks)
      if (task.operation->in_chunks()) text += task.operation->describe() + "\n";
  return text;
}

/// What MPI reads and writes when ranks compare their times.
struct Seconds {
  double mine;
  double most = 0;
};

/// The most of any rank. Who waits hears of ranks that failed in their run.
double slowest(const ExecutorSetup& setup, double mine) {
  const auto seconds = std::make_shared<Seconds>(Seconds{mine});
  RequestSet requests(setup.watch);
  try {
    check_mpi(MPI_Iallreduce(&seconds->mine, &seconds->most, 1, MPI_DOUBLE, MPI_MAX, setup.comm.get(),
                             requests.add_collective(setup.comm)),
              "MPI_Iallreduce");
    requests.wait_all();
  } catch (...) {
    keep_for_mpi(seconds);
    throw;
  }
  return seconds->most;
}

}  // namespace

/// Whole runs of the programs with several numbers of chunks, on arrays of zeros.
struct Executor::ChunkRuns {
  Executor& executor;
  std::size_t ranks_here;  ///< on this host
  std::vector<Way> ways{};
  AlignedMemory in{}, out{}, workspace{};
  std::size_t in_bytes = 0, out_bytes = 0, workspace_bytes = 0;

  /// Memory for runs without chunks, touched already. False on all ranks where one has too little.
  bool prepare() {
    executor.size_workspace();
    workspace_bytes = executor.planned_bytes();
    bool room = available_memory() / ranks_here > in_bytes + out_bytes + workspace_bytes;
    try {
      if (room) {
        in = zeros(in_bytes);
        out = zeros(out_bytes);
        workspace = zeros(workspace_bytes);
      }
    } catch (const Error&) {
      room = false;
    }
    return executor.setup_.comm.min(std::int64_t{room ? 1 : 0}) == 1;
  }

  static AlignedMemory zeros(std::size_t bytes) {
    AlignedMemory memory = allocate_aligned(bytes);
    std::memset(memory.get(), 0, bytes);
    return memory;
  }

  Way& way(int chunks) {
    return *std::find_if(ways.begin(), ways.end(), [chunks](const Way& w) { return w.chunks == chunks; });
  }

  /// No number is taken that needs a larger workspace than the uncut plan.
  bool make(int chunks, double deadline) {
    ExecutorSetup setup = executor.setup_;
    setup.options.chunks = chunks;
    LocalFfts ffts(setup.local_ffts, setup.options.effort);
    Way made{chunks, compile(setup, executor.programs_, nullptr, ffts, &executor.trace_, 0), 0};
    const std::string cuts = cuts_of(made.tasks);
    if (std::any_of(ways.begin(), ways.end(), [&](const Way& w) { return cuts_of(w.tasks) == cuts; })) return false;
    made.library_bytes = ffts.make(setup.comm, deadline).library_bytes;
    for (auto& tasks : made.tasks)
      for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].number = i;
    std::swap(executor.tasks_, made.tasks);
    executor.size_workspace();
    const bool fits = executor.planned_bytes() <= workspace_bytes;
    std::swap(executor.tasks_, made.tasks);
    if (setup.comm.min(std::int64_t{fits ? 1 : 0}) == 0) return false;
    ways.push_back(std::move(made));
    return true;
  }

  double run(int chunks) {
    Way& w = way(chunks);
    std::swap(executor.tasks_, w.tasks);
    executor.size_workspace();
    executor.set_workspace(workspace.get(), workspace_bytes);
    executor.allocated_ = true;
    const std::byte* const from = in.get();
    std::byte* const to = executor.setup_.options.in_place ? in.get() : out.get();
    executor.setup_.comm.barrier();
    const double begin = clock_seconds();
    for (int program = 0; program < static_cast<int>(executor.programs_.size()); ++program)
      executor.run(program, {&from, 1}, {&to, 1});
    executor.half_way_ = true;  // others may be in their runs
    const double seconds = slowest(executor.setup_, clock_seconds() - begin);
    executor.half_way_ = false;
    std::swap(executor.tasks_, w.tasks);
    return seconds;
  }
};

/// Messages inside a host are copies by the same cores that transform: cutting was never faster there
/// (docs/performance.md). All ranks take the same answer. Collective.
bool Executor::tries_chunks() const {
  const Options& options = setup_.options;
  const Communicator& comm = setup_.comm;
  if (host_ || comm.size() == 1 || options.verify || options.workspace == Workspace::least) return false;
  if (comm.min(std::int64_t{options.effort == Effort::estimate ? 0 : 1}) == 0) return false;
  if (comm.split_host(options.fake_ranks_per_host).size() == comm.size()) return false;
  ExecutorSetup cut = setup_;
  cut.options.chunks = 2;
  HostTarget target(cut, nullptr);
  return std::any_of(programs_.begin(), programs_.end(), [&](const NamedProgram& named) {
    const std::vector<Stretch> stretches = cut_in_stretches(named.program, named.scale, target);
    return std::any_of(stretches.begin(), stretches.end(), [](const Stretch& s) { return s.size() > 1; });
  });
}

/// Of the first programs; later ones are cut alike. Collective.
void Executor::choose_chunks() {
  setup_.options.chunks = 1;
  if (!tries_chunks()) return;
  const auto ranks_here = static_cast<std::size_t>(setup_.comm.split_host().size());
  const auto runs = std::make_shared<ChunkRuns>(ChunkRuns{*this, ranks_here});
  for (const NamedProgram& named : programs_) {
    const auto& states = named.program.states;
    runs->in_bytes = std::max(runs->in_bytes, state_bytes(states.front(), setup_.precision, setup_.comm.rank()));
    runs->out_bytes = std::max(runs->out_bytes, state_bytes(states.back(), setup_.precision, setup_.comm.rank()));
  }
  if (setup_.options.in_place) runs->in_bytes = std::max(runs->in_bytes, std::exchange(runs->out_bytes, 0));
  if (!runs->prepare()) {
    setup_.choices.push_back({"chunks", "1", "there is no memory to measure others with"});
    return;
  }
  runs->ways.push_back({1, std::move(tasks_), library_bytes_});
  tasks_.clear();
  tasks_.resize(programs_.size());
  ChunkChoice choice;
  try {
    choice =
        shardfft::choose_chunks({setup_.comm, [&](int chunks, double deadline) { return runs->make(chunks, deadline); },
                                 [&](int chunks) { return runs->run(chunks); }});
  } catch (...) {
    if (half_way_) keep_for_mpi(runs);
    throw;
  }
  Way& best = runs->way(choice.chunks);
  tasks_ = std::move(best.tasks);
  library_bytes_ = best.library_bytes;
  setup_.options.chunks = choice.chunks;
  setup_.choices.push_back({"chunks", std::to_string(choice.chunks), choice.why()});
  // As if nothing had run.
  workspace_ = nullptr;
  workspace_size_ = 0;
  trace_ = Trace(!setup_.options.trace.empty());
  past_.clear();
  past_.resize(programs_.size());
}

}  // namespace shardfft
