// The way that an executor's programs take, where the options leave one open, by whole runs.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/available_memory.hpp"
#include "base/clock.hpp"
#include "base/require_threads.hpp"
#include "base/succeeds.hpp"
#include "exec/executor.hpp"
#include "exec/host_target.hpp"
#include "exec/movement.hpp"
#include "exec/own_cache.hpp"
#include "mpi/watched_collective.hpp"
#include "run/run_trial.hpp"
#include "run/tolerance.hpp"

namespace shardfft {

namespace {

/// The most of any rank. Who waits hears of ranks that failed in their run.
double slowest(const ExecutorSetup& setup, double mine) {
  return watched_allreduce(setup.comm, setup.watch, mine, 1, MPI_DOUBLE, MPI_MAX);
}

AlignedMemory zeros(std::size_t bytes) {
  AlignedMemory memory = allocate_aligned(bytes);
  std::memset(memory.get(), 0, bytes);
  return memory;
}

}  // namespace

/// Executors in the place of the first one, and the memory that they take turns in.
struct Executor::Candidates {
  struct Candidate {
    RunWay way;
    std::unique_ptr<Executor> made;  ///< null: the first one
  };

  Executor& first;
  const Alternatives& others;
  std::vector<Candidate> all{};
  std::shared_ptr<HostMemory> host{};  ///< what those read that read
  AlignedMemory in{}, out{}, workspace{};
  std::shared_ptr<HostWindow> window{};
  std::size_t in_bytes = 0, out_bytes = 0, workspace_bytes = 0, window_bytes = 0;
  std::size_t most_bytes = 0;  ///< of workspace and window, that a candidate may need

  bool agreed(bool mine) const { return first.setup_.comm.min(std::int64_t{mine ? 1 : 0}) == 1; }

  bool has_room(std::size_t bytes) const {
    return available_memory() / static_cast<std::size_t>(first.setup_.comm.split_host().size()) > bytes;
  }

  /// Memory for runs of the first one, touched already. False on all ranks where one has too little.
  bool prepare() {
    all.push_back({first.way(), nullptr});
    host = first.host_;
    for (const NamedProgram& named : first.programs_) {
      const auto& states = named.program.states;
      const int rank = first.setup_.comm.rank();
      in_bytes = std::max(in_bytes, state_bytes(states.front(), first.setup_.precision, rank));
      out_bytes = std::max(out_bytes, state_bytes(states.back(), first.setup_.precision, rank));
    }
    if (first.setup_.options.in_place) in_bytes = std::max(in_bytes, std::exchange(out_bytes, 0));
    most_bytes = first.planned_bytes() + first.window_bytes();
    const bool room = has_room(in_bytes + out_bytes) && succeeds([&] {
                        in = zeros(in_bytes);
                        out = zeros(out_bytes);
                        require_threads(first.setup_.options.threads);
                      });
    return agreed(room) && make_room(first);
  }

  /// Makes room for a candidate that needs more memory than what has been lent so far.
  bool make_room(const Executor& executor) {
    const bool more_private = executor.planned_bytes() > workspace_bytes;
    const bool more_shared = executor.window_bytes() > window_bytes;  // the same on all ranks
    const bool room =
        has_room((more_private ? executor.planned_bytes() : 0) + (more_shared ? executor.window_bytes() : 0));
    const auto make_private = [&] {
      workspace = zeros(executor.planned_bytes());
      workspace_bytes = executor.planned_bytes();
      require_threads(first.setup_.options.threads);
    };
    if (!agreed(room && (!more_private || succeeds(make_private)))) return false;
    if (!more_shared) return true;
    const auto make_shared = [&] {
      window = host->allocate(executor.window_bytes());
      std::memset(window->mine(), 0, window->bytes());
      require_threads(first.setup_.options.threads);
    };
    if (!agreed(succeeds(make_shared))) return false;
    window_bytes = executor.window_bytes();
    return true;
  }

  const Program& program_of(const std::string& algorithm) const {
    const auto own = [&](const Program& p) { return p.algorithm == algorithm; };
    const auto other = std::find_if(others.programs.begin(), others.programs.end(), own);
    return other != others.programs.end() ? *other : first.programs_.front().program;
  }

  /// With the libraries for local transforms that the first one chose.
  std::unique_ptr<Executor> executor_for(const RunWay& way, double deadline) {
    ExecutorSetup setup = first.setup_;
    setup.exchange = way.exchange;
    setup.options.chunks = way.chunks;
    const auto& libraries = first.local_fft_.names;
    std::erase_if(setup.local_ffts.candidates, [&](const Backend& backend) {
      return std::find(libraries.begin(), libraries.end(), backend.name) == libraries.end();
    });
    setup.plan_until = deadline;
    if (way.exchange == reading && !host)
      host = std::make_shared<HostMemory>(setup.comm, setup.options.fake_ranks_per_host);
    const Movement movement{way.exchange, way.exchange == reading ? host : nullptr, {}, {}};
    const Program& program = program_of(way.algorithm);
    const Tolerated numbers = tolerated(setup.options, setup.precision, program, movement.why_exact(setup.comm));
    setup.numbers = numbers.numbers;
    auto executor = std::make_unique<Executor>(std::move(setup), movement.host);
    if (numbers.choice) executor->tell(*numbers.choice);
    const bool own = way.algorithm == first.way().algorithm;
    executor->add(own ? first.programs_ : others.named(executor->lower(program)));
    if (own) executor->tell_local_ffts(first.local_fft_);  // it took them over
    return executor;
  }

  /// All that tells one candidate from another.
  struct Outline {
    std::string algorithm, exchange;  ///< no exchange where nothing moves
    std::vector<Pieces> pieces{};     ///< of each task
    bool operator==(const Outline&) const = default;
  };
  static Outline outline(const Executor& executor) {
    Outline outline{executor.way().algorithm, {}};
    for (const Prepared& program : executor.prepared_)
      for (const Task& task : program.tasks) {
        if (task.operation->role() != Role::computes) outline.exchange = executor.setup_.exchange;
        const Pieces* const pieces = task.operation->pieces();
        outline.pieces.push_back(pieces != nullptr ? *pieces : Pieces{});
      }
    return outline;
  }

  /// What plans take by rule, on one host or on several, may need what it needs; nothing else may need more, but that
  /// other algorithms have other buffers in cache, and that ranks at work hold what belongs to those that rest.
  bool fits(const Executor& executor) {
    const RunWay way = executor.way(), own = first.way();
    const std::size_t bytes = executor.planned_bytes() + executor.window_bytes();
    if (way.algorithm != own.algorithm) {
      const int active = program_of(way.algorithm).active;
      const double share = active > 0 ? static_cast<double>(first.setup_.comm.size()) / active : 1;
      return static_cast<double>(bytes) <= share * host_defaults().trial_most_memory * static_cast<double>(most_bytes) +
                                               static_cast<double>(own_cache_bytes());
    }
    if (way.chunks == own.chunks && way.exchange != "hierarchical") most_bytes = std::max(most_bytes, bytes);
    return bytes <= most_bytes;
  }

  bool make(const RunWay& way, double deadline) {
    std::unique_ptr<Executor> made = executor_for(way, deadline);
    const Outline mine = outline(*made);
    for (const Candidate& one : all)
      if (outline(one.made ? *one.made : first) == mine) return false;
    if (!agreed(fits(*made)) || !make_room(*made)) return false;
    all.push_back({way, std::move(made)});
    return true;
  }

  Candidate& candidate(const RunWay& way) {
    return *std::find_if(all.begin(), all.end(), [&](const Candidate& one) { return one.way == way; });
  }

  /// Forward and backward. Where it fails in its middle, so has the first one.
  double run(const RunWay& way) {
    const Candidate& one = candidate(way);
    Executor& executor = one.made ? *one.made : first;
    executor.lend(workspace.get(), workspace_bytes, window);
    const std::byte* const from = in.get();
    std::byte* const to = first.setup_.options.in_place ? in.get() : out.get();
    first.setup_.comm.barrier();
    const double begin = clock_seconds();
    try {
      for (int program = 0; program < static_cast<int>(executor.programs_.size()); ++program)
        executor.run(program, {&from, 1}, {&to, 1});
    } catch (...) {
      first.half_way_ = executor.half_way_;
      throw;
    }
    first.half_way_ = true;  // others may be in their runs
    const double seconds = slowest(first.setup_, clock_seconds() - begin);
    first.half_way_ = false;
    return seconds;
  }
};

RunWay Executor::way() const {
  return {programs_.front().program.algorithm, setup_.exchange, std::max(1, setup_.options.chunks)};
}

/// Whether messages can be cut that a plan may leave whole. Collective.
bool Executor::cuts_in_chunks() const {
  ExecutorSetup cut = setup_;
  cut.options.chunks = 2;
  HostTarget target(cut, nullptr);
  return std::any_of(programs_.begin(), programs_.end(), [&](const NamedProgram& named) {
    const std::vector<Stretch> stretches = cut_in_stretches(named.program, named.scale, target);
    return std::any_of(stretches.begin(), stretches.end(), [](const Stretch& s) { return s.size() > 1; });
  });
}

/// This one's own way first. All ranks have the same list. Collective.
std::vector<RunWay> Executor::ways_to_try(const Alternatives& others) const {
  const Options& options = setup_.options;
  const Communicator& comm = setup_.comm;
  std::vector<RunWay> ways{way()};
  const bool open = !setup_.other_exchanges.empty();
  const bool may_cut = options.chunks == 0 && (open || host_ == nullptr) && !options.verify;
  if (comm.size() == 1 || options.workspace == Workspace::least) return ways;
  if (others.programs.empty() && !open && !may_cut) return ways;
  if (comm.min(std::int64_t{options.effort == Effort::estimate ? 0 : 1}) == 0) return ways;
  const HostMemory hosts(comm, options.fake_ranks_per_host);
  for (const Program& program : others.programs) {
    const bool reads = open && reads_on_hosts(comm, hosts, program);
    ways.push_back({program.algorithm, open ? exchange_for(reads) : setup_.exchange, way().chunks});
  }
  // Messages inside a host are copies by the same cores that transform: cutting was never faster there
  // (bench/results/measurements.md).
  const bool cuts = may_cut && hosts.host().size() != comm.size() && cuts_in_chunks();
  for (const RunWay& one : std::vector<RunWay>(ways)) add_moves(ways, one, cuts);
  return ways;
}

/// What is expected to be the fastest where the trial may choose, for programs of which a reshape stays inside hosts,
/// or none does.
std::string Executor::exchange_for(bool reads) const {
  const auto& other = setup_.other_exchanges;
  const bool may_read = host_ != nullptr || std::find(other.begin(), other.end(), reading) != other.end();
  return reads && may_read ? reading : "alltoallv";
}

/// Other ways to move data by the algorithm of `one`, after which those are tried first that have won most often.
void Executor::add_moves(std::vector<RunWay>& ways, const RunWay& one, bool cuts) const {
  const auto add = [&](const std::string& exchange, int chunks) {
    const RunWay way{one.algorithm, exchange, chunks};
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
  };
  std::vector<std::string> exchanges{setup_.exchange};
  exchanges.insert(exchanges.end(), setup_.other_exchanges.begin(), setup_.other_exchanges.end());
  const auto messages = std::find_if(exchanges.begin(), exchanges.end(), [](const auto& e) { return e != reading; });
  for (std::size_t i = 0; i < exchanges.size() && i < 2; ++i) add(exchanges[i], one.chunks);
  for (const int chunks : host_defaults().chunks_to_try)
    if (cuts) add(*messages, chunks);
  for (const std::string& exchange : exchanges) add(exchange, one.chunks);
}

/// In the place of what was told of the same option.
void Executor::tell(const Choice& choice) {
  const auto known = std::find_if(setup_.choices.begin(), setup_.choices.end(),
                                  [&](const Choice& c) { return c.what == choice.what; });
  if (known == setup_.choices.end())
    setup_.choices.push_back(choice);
  else
    *known = choice;
}

/// Puts into the report what was chosen for each option in which `ways` differ.
void Executor::tell(const RunChoice& choice, const std::vector<RunWay>& ways) {
  const auto differ = [&](auto same) { return !std::all_of(ways.begin(), ways.end(), same); };
  const RunWay& best = choice.way;
  if (differ([&](const RunWay& w) { return w.algorithm == best.algorithm; }))
    tell({"algorithm", best.algorithm, choice.why_algorithm()});
  if (differ([&](const RunWay& w) { return w.exchange == best.exchange; }))
    tell({"exchange", best.exchange, choice.why_exchange()});
  if (differ([&](const RunWay& w) { return w.exchange != best.exchange || w.chunks == best.chunks; }))
    tell({"chunks", std::to_string(best.chunks), choice.why_chunks()});
}

/// Memory for runs that nothing is left of.
void Executor::lend(std::byte* workspace, std::size_t bytes, std::shared_ptr<HostWindow> window) {
  set_workspace(workspace, bytes);
  window_ = std::move(window);
  ready_ = true;
}

/// As if nothing had run.
void Executor::forget_runs() {
  workspace_ = nullptr;
  workspace_size_ = 0;
  window_.reset();
  ready_ = false;
  trace_ = Trace(!setup_.options.trace.empty());
  for (Prepared& program : prepared_) {
    program.runs = 0;
    program.seconds = 0;
    program.reads = {};
    if (program.verifier) program.verifier->forget_runs();
  }
}

std::unique_ptr<Runner> Executor::fastest(const Alternatives& others) {
  const std::vector<RunWay> ways = ways_to_try(others);
  if (ways.size() < 2) return nullptr;
  const auto candidates = std::make_shared<Candidates>(Candidates{*this, others});
  RunChoice choice{way(), {}};
  try {
    if (candidates->prepare())
      choice = choose_way({setup_.comm, ways,
                           [&](const RunWay& way, double deadline) { return candidates->make(way, deadline); },
                           [&](const RunWay& way) { return candidates->run(way); }});
  } catch (...) {
    if (half_way_) keep_for_mpi(candidates);
    throw;
  }
  std::unique_ptr<Executor> best = std::move(candidates->candidate(choice.way).made);
  Executor& chosen = best ? *best : *this;
  chosen.setup_.plan_until.reset();
  chosen.tell(choice, ways);
  chosen.forget_runs();
  return best;
}

}  // namespace shardfft
