#include "run/candidates.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/succeeds.hpp"
#include "choose/cost_model.hpp"
#include "mpi/kept_for_mpi.hpp"
#include "mpi/watched_collective.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

std::size_t needs(const Runner& runner) {
  const RunnerMemory memory = runner.memory();
  return memory.workspace + memory.window;
}

const Layout& output_of(const std::vector<NamedProgram>& programs) {
  return programs.front().program.states.back().layout;
}

/// The differences between candidates: the algorithm and stores, then for each step the exchange, if it has one, and
/// the pieces.
using Outline = std::vector<std::pair<std::string, std::optional<Pieces>>>;
Outline outline(Runner& runner) {
  const Way& way = runner.facts().way;
  Outline outline{{way.algorithm_name(), {}}, {stores_text(way), {}}};
  for (int program = 0; program < static_cast<int>(runner.programs().size()); ++program)
    for (const StepReport& step : runner.account(program).steps) {
      const bool moves = step.role != Role::computes || step.overlaps;
      outline.emplace_back(moves ? runner.facts().way.exchange : "", step.pieces);
    }
  return outline;
}

/// Reports the choice for each option in which the ways differ.
void tell(ExecutorSetup& setup, const WayChoice& choice, const std::vector<Way>& ways) {
  const auto differ = [&](auto same) { return !std::all_of(ways.begin(), ways.end(), same); };
  const Way& best = choice.way;
  if (differ([&](const Way& w) { return w.algorithm_name() == best.algorithm_name(); }))
    setup.tell({"algorithm", best.algorithm_name(), choice.why_algorithm()});
  if (differ([&](const Way& w) { return w.past_cache == best.past_cache; }))
    setup.tell({"stores", stores_text(best), choice.why_stores()});
  if (differ([&](const Way& w) { return w.exchange == best.exchange; }))
    setup.tell({"exchange", best.exchange, choice.why_exchange()});
  if (differ([&](const Way& w) { return w.exchange != best.exchange || w.chunks == best.chunks; }))
    setup.tell({"chunks", chunks_text(best.chunks), choice.why_chunks()});
}

}  // namespace

/// The ways to try, the first runner's own first. All ranks have the same list.
std::vector<Way> Candidates::ways() {
  const Options& options = setup().options;
  const Way own = setup().way;
  std::vector<Way> ways{own};
  if (setup().way_is_given) return ways;
  std::vector<std::string> exchanges{own.exchange};
  exchanges.insert(exchanges.end(), setup().other_exchanges.begin(), setup().other_exchanges.end());
  const bool open = exchanges.size() > 1;
  if (options.workspace == Workspace::least || !setup().ranks.may_try) return ways;
  if (setup().other_past_cache > 0) {
    ways.push_back(own);
    ways.back().past_cache = setup().other_past_cache;
  }
  if (output_of(programs()).ranks() == 1 || (!open && others_.programs.size() < 2 && options.chunks != 0)) return ways;
  const auto with = [](Way way, const std::string& exchange, int chunks) {
    way.exchange = exchange;
    way.chunks = chunks;
    return way;
  };
  for (const Program& program : others_.programs) {
    Way other = with(own, open ? exchange_for(program) : own.exchange, own.chunks);
    other.algorithm = program.name;
    other.active = program.active;
    other.grid = program.grid;
    if (other.algorithm_name() != own.algorithm_name()) ways.push_back(std::move(other));
  }
  std::string cuts;
  for (const std::string& exchange : exchanges)
    if (cuts.empty() && options.chunks == 0 && gains_by_chunks(exchange)) cuts = exchange;
  const auto add = [&](const Way& way) {
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
  };
  // Of each algorithm, the ways that have won most often come first.
  for (const Way& one : std::vector<Way>(ways)) {
    if (one.past_cache != own.past_cache) continue;
    for (std::size_t i = 0; i < exchanges.size() && i < 2; ++i) add(with(one, exchanges[i], one.chunks));
    for (const int chunks : chunks_)
      if (!cuts.empty()) add(with(one, cuts, chunks));
    for (const std::string& exchange : exchanges) add(with(one, exchange, one.chunks));
  }
  return ways;
}

const Program& Candidates::program_of(const Way& way) const {
  const auto found = std::find_if(others_.programs.begin(), others_.programs.end(), [&](const Program& program) {
    return program.name == way.algorithm && program.active == way.active && program.grid == way.grid;
  });
  return found != others_.programs.end() ? *found : others_.programs.front();
}

MachineFigures Candidates::figures() const {
  return setup().options.processor == Processor::gpu ? MachineFigures::of_gpus() : MachineFigures();
}

/// Seconds by the cost model, on the slowest rank.
double Candidates::expected(const Way& way) const {
  const Communicator& comm = setup().comm;
  const Program& program = program_of(way);
  StepFacts facts;
  facts.reads_memory = way.exchange == "shared_window";
  if (setup().options.processor == Processor::gpu) facts.passes = &way.passes;
  const auto of = [&](int rank, std::int64_t here) {
    return expected_seconds(program, facts, rank, setup().precision, narrow(here, "ranks of a host"), figures());
  };
  if (comm.valid()) {
    const std::vector<int> hosts = comm.hosts(setup().options.fake_ranks_per_host);
    const auto rank = static_cast<std::size_t>(comm.rank());
    return comm.max(of(comm.rank(), std::count(hosts.begin(), hosts.end(), hosts[rank])));
  }
  const int ranks = output_of(programs()).ranks();
  double most = 0;
  for (int rank = 0; rank < ranks; ++rank) most = std::max(most, of(rank, ranks));
  return most;
}

/// Whether a candidate's memory is acceptable. An exchange that may_need_more() raises the limit; all others must keep
/// it. Another algorithm may have larger buffers in cache, and working ranks also hold the data of those that rest.
bool Candidates::fits(const Runner& made, const Way& way) {
  const std::size_t bytes = needs(made);
  if (way.algorithm_name() != setup().way.algorithm_name()) {
    const Program& program = program_of(way);
    const int ranks = program.states.front().layout.ranks();
    const double share = program.active > 0 ? static_cast<double>(ranks) / program.active : 1;
    return static_cast<double>(bytes) <= share * host_defaults().trial_most_memory * static_cast<double>(most_bytes_) +
                                             static_cast<double>(more_bytes_);
  }
  if (way.chunks == setup().way.chunks && may_need_more(way.exchange)) most_bytes_ = std::max(most_bytes_, bytes);
  return bytes <= most_bytes_;
}

bool Candidates::succeeds_on_all(const std::function<void()>& work) const {
  const Failure failure = failure_of(work);
  if (failure.failed() && first_.half_way_) throw Error(failure.code, failure.text);
  return agreed(!failure.failed());
}

/// Allocates and touches arrays for all runs, and runs the first. False on all ranks if one has too little memory.
bool Candidates::prepare() {
  all_.emplace_back(setup().way, nullptr);
  most_bytes_ = needs(first_);
  if (!lend(first_)) return false;
  const int members = setup().comm.valid() ? 1 : output_of(programs()).ranks();
  const bool all = succeeds_on_all([&] {
    for (int m = 0; m < members; ++m) {
      const std::shared_ptr<void> in = zeros(m, first_.in_place_bytes(m));
      const std::shared_ptr<void> out = setup().options.in_place ? in : zeros(m, first_.in_place_bytes(m));
      memory_.insert(memory_.end(), {in, out});
      in_.push_back(static_cast<const std::byte*>(in.get()));
      out_.push_back(static_cast<std::byte*>(out.get()));
    }
  });
  return all && is_ready(first_);
}

/// Whether the runner gets memory and can run.
bool Candidates::is_ready(Runner& runner) {
  if (!lend(runner)) return false;
  bool runs = succeeds_on_all([&] {
    for (int program = 0; program < static_cast<int>(runner.programs_.size()); ++program)
      runner.check_arrays(program, in_, out_);
  });
  for (int i = 0; runs && i < warm_ups_; ++i) runs = succeeds_on_all([&] { time(runner); });
  return runs;
}

bool Candidates::enter(const Way& way, double deadline) {
  ExecutorSetup setup = this->setup();
  setup.way = way;
  setup.options.chunks = way.chunks;
  setup.plan_until = deadline;
  const Program& program = program_of(way);
  std::unique_ptr<Runner> made;
  const bool all = succeeds_on_all([&] {
    made = make(std::move(setup), program);
    if (made) made->add(others_.named(made->lower(program)));
  });
  if (!all || !made) return false;
  const Outline mine = outline(*made);
  for (const auto& [known, runner] : all_)
    if (outline(runner ? *runner : first_) == mine) return false;
  const bool same_output = output_of(made->programs_).same_as(output_of(programs()));
  if (!agreed(same_output && fits(*made, way)) || !is_ready(*made)) return false;
  all_.emplace_back(way, std::move(made));
  return true;
}

std::unique_ptr<Runner>& Candidates::made(const Way& way) {
  return std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.first == way; })->second;
}

/// Runs every program once. Returns the time of the slowest rank. If a run fails half-way, the first runner counts as
/// failed too. Ranks that wait learn of ranks that failed in their run.
double Candidates::time(Runner& runner) {
  lend(runner);
  const Communicator& comm = setup().comm;
  comm.barrier();
  const double begin = clock_seconds();
  try {
    for (int program = 0; program < static_cast<int>(runner.programs_.size()); ++program)
      runner.run(program, in_, out_);
  } catch (...) {
    first_.half_way_ = runner.half_way_;
    throw;
  }
  const double mine = clock_seconds() - begin;
  if (!comm.valid()) return mine;
  first_.half_way_ = true;  // other ranks may be in their runs
  const double seconds = watched_allreduce(comm, setup().watch, mine, 1, MPI_DOUBLE, MPI_MAX);
  first_.half_way_ = false;
  return seconds;
}

std::unique_ptr<Runner> Candidates::fastest(const std::shared_ptr<Candidates>& candidates) {
  Candidates& mine = *candidates;
  Runner& first = mine.first_;
  const std::vector<Way> ways = mine.ways();
  const double seconds = ways.size() < 2 ? 0 : mine.seconds_left();
  if (seconds <= 0) return nullptr;
  WayChoice choice{ways.front(), {}};
  try {
    if (mine.prepare())
      choice = choose_way({mine.setup().comm, ways,
                           [&](const Way& way, double deadline) { return mine.enter(way, deadline); },
                           [&](const Way& way) {
                             const auto& made = mine.made(way);
                             return mine.time(made ? *made : first);
                           },
                           output_of(mine.programs()).ranks(), mine.setup().ranks.patient, seconds,
                           [&](const Way& way) { return mine.expected(way); }, mine.figures().error});
  } catch (...) {
    if (first.half_way_ && mine.setup().comm.valid())
      keep_for_mpi(candidates);
    else
      succeeds([&] { mine.leave(nullptr); });
    throw;
  }
  std::vector<TimedWay> tried;
  for (const auto& [way, time] : choice.times) {
    const auto& made = mine.made(way);
    tried.push_back({(made ? *made : first).setup_.way, time});
  }
  std::unique_ptr<Runner> best = std::move(mine.made(choice.way));
  mine.leave(best.get());
  Runner& chosen = best ? *best : first;
  chosen.setup_.tried = std::move(tried);
  tell(chosen.setup_, choice, ways);
  return best;
}

/// Time left for the trial, by the effort or the budget; the same on all ranks.
double Candidates::seconds_left() const {
  const double budget = setup().options.budget;
  if (budget == 0)
    return setup().ranks.patient ? host_defaults().patient_trial_seconds : host_defaults().run_trial_seconds;
  return budget - setup().comm.max(clock_seconds() - setup().begun);
}

void Candidates::forget(Runner& runner) {
  forget_runs(runner);
  runner.trace_ = Trace(!setup().options.trace.empty());
  runner.ready_ = false;
}

/// Ends all candidates except the best one (null: the first runner) before their memory is freed.
void Candidates::leave(Runner* best) {
  forget(first_);
  if (best != nullptr) forget(*best);
  all_.clear();
}

}  // namespace shardfft
