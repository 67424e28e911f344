// A plan's making: checks the arguments, agrees on them over all ranks, and makes the runner of its processor.
#include "api/plan_impl.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <variant>

#include "api/report.hpp"
#include "base/allocations.hpp"
#include "base/clock.hpp"
#include "base/require_threads.hpp"
#include "base/say_once.hpp"
#include "base/succeeds.hpp"
#include "base/words.hpp"
#include "geometry/shape.hpp"
#include "gpu/run/make.hpp"
#include "mpi/host_window.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

/// Numbers of CPU ranks that may be worth a trial in which the others rest: on full hosts memory may serve fewer ranks
/// better, and fewer hosts send fewer messages over a network. Collective.
std::vector<int> fewer_ranks(const Communicator& comm, const ExecutorSetup& setup, int fake_ranks_per_host) {
  const HostDefaults& host = host_defaults();
  const std::vector<int> hosts = comm.hosts(fake_ranks_per_host);
  const auto end = std::find_if(hosts.begin(), hosts.end(), [&](int h) { return h != hosts.front(); });
  const auto on_first = static_cast<int>(end - hosts.begin());
  const bool one_host = on_first == comm.size();
  const bool full = comm.size() >= host.ranks_that_may_rest && setup.ranks.fill_hosts;
  std::vector<int> numbers;
  if (one_host && (full || setup.ranks.patient))
    for (const double share : host.shares_of_ranks_to_try) numbers.push_back(static_cast<int>(share * comm.size()));
  if (!one_host) numbers = {on_first};
  if (!one_host || setup.ranks.patient) numbers.push_back(1);
  std::erase_if(numbers, [&](int n) { return n < 1 || n >= comm.size() || !setup.ranks.may_try; });
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// Kernels of Fourier transforms along all axes begin before the GPUs are set up, if passes of our own may be worth it.
/// Throws Error for a layout that is none.
void begin_kernels(const Transform& t, const Layout& in, const Options& o, int processes) {
  const bool plain =
      o.axes.empty() && o.transforms.empty() && o.modes.empty() && o.padded.empty() && o.workspace == Workspace::fast;
  if (!plain || (t.kind != Kind::c2c && t.kind != Kind::r2c)) return;
  const Shape& shape = in.shape();
  if (!std::is_sorted(in.order().begin(), in.order().end())) return;
  const double numbers = std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>());
  if (numbers < static_cast<double>(gpu_defaults().elements_worth_passes)) return;
  gpu::begin_kernels({{shape.begin(), shape.end()}, t.kind == Kind::r2c, t.precision, 0, o.verify}, processes);
}

/// Throws Error for arguments of a plan that this rank can see to be wrong.
Examined examined(ProblemSpec spec) {
  Way way;
  if (!spec.options.way.empty()) way = take_way(spec.options);
  close_gaps(spec);
  validate(spec);
  std::vector<Backend> local_ffts;
  if (spec.place == Place::cpu) {
    require_threads(spec.options.threads);
    local_ffts = candidates(spec.options.local_fft);
  }
  return {std::move(spec), std::move(way), std::move(local_ffts)};
}

/// The mark of the arguments of a plan in a given way: ranks agree on nothing else before they make it. Other plans
/// have none, and so have ranks with wrong arguments.
std::uint64_t mark_of(ProblemSpec spec, Examined& seen) {
  if (spec.options.way.empty()) return 0;
  std::uint64_t mark = 1;
  const bool good = succeeds([&] {
    for (const Agreed& argument : agreed_arguments(spec)) mark = (mark ^ argument.number) * 1099511628211U;
    seen = examined(std::move(spec));
  });
  return good ? mark : 0;
}

/// Returns `who`; if these are GPUs of this process, their kernels have begun before the driver is asked for them.
const Ranks& kernels_begun(const Ranks& who, const Transform& t, const Layout& in, const Options& o) {
  if (std::holds_alternative<Devices>(who))
    succeeds([&] {
      if (o.way.empty() && !PlanWisdom(o, true).knows()) begin_kernels(t, in, o, 1);
    });
  return who;
}

}  // namespace

Plan::Impl::Impl(const Ranks& who, Transform t, const Layout& in, const std::optional<Layout>& out, OutputLayout kind,
                 const Options& o, Examined seen)
    : Members(kernels_begun(who, t, in, o), o, {"plans", "the plan's"},
              [&](int ranks) {
                const Place place = o.processor == Processor::gpu ? Place::gpu : Place::cpu;
                return mark_of({t, in, out, kind, o, ranks, place}, seen);
              }),
      transform(t) {
  const MostAllocated most;
  spec = {transform, in, out, kind, options, ranks(), place()};
  begin(who, {}, std::move(seen));
  planning_bytes = most.bytes();
}

Plan::Impl::Impl(Communicator imagined, const ProblemSpec& given, const Way& way, bool gpus)
    : Members(std::move(imagined), given.options, {"plans", "the plan's"}), transform(given.transform), spec(given) {
  ExecutorSetup setup;
  setup.way = way;
  setup.whole_transforms = gpus;
  begin({}, std::move(setup));
}

void Plan::Impl::begin(const Ranks& who, ExecutorSetup setup, Examined seen) {
  setup.begun = clock_seconds();
  if (options.budget > 0) setup.plan_until = setup.begun + host_defaults().budget_of_libraries * options.budget;
  std::optional<PlanWisdom> wisdom;
  const Failure failure = failure_of([&] {
    if (alike) return;
    wisdom.emplace(options, comm.rank() == 0 && !comm.imagined());
    seen = examined(spec);
  });
  if (!failure.failed()) {
    setup.way_is_given = !options.way.empty();
    if (setup.way_is_given) setup.way = std::move(seen.way);
    spec = std::move(seen.spec);
    options = spec.options;
    setup.local_ffts = std::move(seen.local_ffts);
  }
  const bool asks = options.way.empty() && wisdom && !comm.imagined() && wisdom->knows();
  setup.ranks = alike ? RankFacts{false} : agree_same(comm, spec, failure, asks);
  if (comm.valid()) watch_calls(who, plan_name(spec));
  if (setup.ranks.knows_ways && make_as_known(*wisdom, setup)) return;
  if (place() != Place::cpu && options.way.empty() && (comm.valid() || asks) && !comm.imagined())
    succeeds([&] { begin_kernels(transform, spec.input, options, ranks()); });
  const bool measures = !setup.way_is_given && setup.ranks.may_try && !comm.imagined();
  const Effort effort = setup.ranks.patient ? Effort::patient : Effort::measure;
  make(std::move(setup));
  if (measures) wisdom->remember(*this, spec, effort, way(), runner->facts().seconds());
}

bool Plan::Impl::make_as_known(const PlanWisdom& wisdom, const ExecutorSetup& setup) {
  const Effort least = setup.ranks.patient ? Effort::patient : Effort::measure;
  const std::optional<PlanWisdom::Known> known = wisdom.recall(*this, spec, least);
  if (!known) return false;
  const Options own = options;
  const Failure failure = failure_of([&] {
    ExecutorSetup tried = setup;
    tried.way_is_given = true;
    tried.choices.push_back({"way", "as remembered", known->sentence});
    together([&] {
      options.way = known->way;
      tried.way = take_way(options);
      options.way.clear();
      validate_options(options, place());
    });
    spec.options = options;
    make(std::move(tried));
  });
  if (!failure.failed()) return true;
  if (runner && runner->half_way()) throw Error(failure.code, failure.text);
  if (comm.rank() == 0) say_once("the way known " + known->sentence + ", is not taken: " + failure.text);
  runner.reset();
  sides.clear();
  call_arrays.clear();
  spec.options = options = own;
  return false;
}

Way Plan::Impl::way() const { return way_of_all(comm, options, *runner); }

void Plan::Impl::make(ExecutorSetup setup) {
  const Way way = setup.way;
  Program program;
  Alternatives others;
  const bool chooses = options.algorithm == "auto";
  const bool one_host = chooses && place() == Place::cpu && host && host->host().size() == comm.size();
  // All ranks do the same from here on, and fail alike.
  Problem problem = make_problem(spec);
  problem.one_host = one_host;
  problem.active = setup.way.active;
  require(problem.active <= problem.ranks(), "option way says active=", problem.active, ", but the plan has ",
          problem.ranks(), " ranks");
  if (chooses) setup.choices.push_back(choose_algorithm(problem));
  program = make_program(options.algorithm, problem);
  const Space space{chooses, setup.ranks.patient,
                    chooses && place() == Place::cpu && problem.fixed_output()
                        ? fewer_ranks(comm, setup, options.fake_ranks_per_host)
                        : std::vector<int>{}};
  if ((chooses || space.grids) && !setup.way_is_given) others.programs = alternatives(problem, program, space);
  if (spec.with_gaps) std::erase_if(others.programs, [](const Program& p) { return !begins_with_transform(p); });
  others.programs.insert(others.programs.begin(), program);
  setup.way.algorithm = program.name;
  const bool given = setup.way_is_given;
  setup.precision = transform.precision;
  others.named = [this](const Program& lowered) { return make_programs(spec, lowered); };
  make_runner(std::move(setup), program, others.named);
  attempt([&] {
    if (auto faster = runner->fastest(others)) runner = std::move(faster);
    runner->end_planning();
  });
  const auto compare = [&] {
    const std::string what = differences(way, runner->facts().way);
    require(what.empty(), "the option way does not fit this plan: ", what);
  };
  if (given) place() == Place::cpu ? compare() : together(compare);  // on CPUs all ranks have the same
  const Program& forward = runner->programs()[forward_program].program;
  const auto needed = [](const Side& side) { return NeededArray{side.count(), side.element.bytes(), side.element}; };
  for (int m = 0; m < members(); ++m) {
    const Sides& mine = sides.emplace_back(make_sides(spec, forward, rank_of(m)));
    call_arrays.push_back({needed(mine.input), needed(mine.output)});
  }
}

std::string plan_name(const ProblemSpec& spec) {
  return std::string(to_text(spec.transform.kind)) + " " + shape_text(spec.input.shape());
}

}  // namespace shardfft
