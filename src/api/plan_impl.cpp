// A plan's making: checks the arguments, agrees on them over all ranks, and makes the runner of its processor.
#include "api/plan_impl.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <variant>

#include "base/allocations.hpp"
#include "base/require_threads.hpp"
#include "base/succeeds.hpp"
#include "base/words.hpp"
#include "geometry/shape.hpp"
#include "gpu/run/make.hpp"
#include "mpi/host_window.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

/// Numbers of ranks that may be worth a trial in which the others rest.
std::vector<int> fewer_ranks(int ranks, const RankFacts& facts) {
  const HostDefaults& host = host_defaults();
  std::vector<int> numbers;
  if (ranks < host.ranks_that_may_rest || !facts.fill_hosts) return numbers;
  for (const double share : host.shares_of_ranks_to_try) numbers.push_back(static_cast<int>(share * ranks));
  return numbers;
}

/// Kernels of Fourier transforms along all axes begin before the GPUs are set up, where passes of our own may be worth
/// it. Throws Error for a layout that is none.
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

/// Plans over GPUs ask the driver for them when it is told who takes part.
const Ranks& kernels_begun(const Ranks& who, const Transform& t, const Layout& in, const Options& o) {
  if (std::holds_alternative<Devices>(who)) succeeds([&] { begin_kernels(t, in, o, 1); });
  return who;
}

}  // namespace

Plan::Impl::Impl(const Ranks& who, Transform t, const Layout& in, const std::optional<Layout>& out, OutputLayout kind,
                 const Options& o)
    : Members(kernels_begun(who, t, in, o), o, {"plans", "the plan's"}), transform(t) {
  const MostAllocated most;
  if (comm.valid() && place() == Place::gpu) succeeds([&] { begin_kernels(t, in, o, comm.size()); });
  spec = {transform, in, out, kind, options, ranks(), place()};
  begin(who, {});
  planning_bytes = most.bytes();
}

Plan::Impl::Impl(Communicator imagined, const ProblemSpec& given, const Way& way)
    : Members(std::move(imagined), given.options, {"plans", "the plan's"}), transform(given.transform) {
  spec = given;
  ExecutorSetup setup;
  setup.way = way;
  begin({}, std::move(setup));
}

void Plan::Impl::begin(const Ranks& who, ExecutorSetup setup) {
  const Failure failure = failure_of([&] {
    setup.way_is_given = !options.way.empty();
    if (setup.way_is_given) setup.way = take_way(options);
    spec.options = options;
    close_gaps(spec);
    validate(spec);
    if (place() != Place::cpu) return;
    setup.local_ffts = candidates(options.local_fft);
    require_threads(options.threads);
  });
  setup.ranks = agree_same(comm, spec, failure);
  if (comm.valid()) watch_calls(who, plan_name(spec));
  make(std::move(setup));
}

void Plan::Impl::make(ExecutorSetup setup) {
  const Way way = setup.way;
  Program program;
  Alternatives others;
  const bool chooses = options.algorithm == "auto";
  const bool one_host = chooses && place() == Place::cpu && host && host->host().size() == comm.size();
  const std::vector<int> fewer = one_host ? fewer_ranks(comm.size(), setup.ranks) : std::vector<int>{};
  // All ranks do the same from here on, and fail alike.
  Problem problem = make_problem(spec);
  problem.one_host = one_host;
  problem.active = setup.way.active;
  require(problem.active <= problem.ranks(), "option way says active=", problem.active, ", but the plan has ",
          problem.ranks(), " ranks");
  if (chooses) setup.choices.push_back(choose_algorithm(problem));
  program = make_program(options.algorithm, problem);
  if (chooses) others.programs = alternatives(problem, program, fewer);
  if (spec.with_gaps) std::erase_if(others.programs, [](const Program& p) { return !begins_with_transform(p); });
  others.programs.insert(others.programs.begin(), program);
  setup.way.algorithm = program.name;
  const bool given = setup.way_is_given;
  setup.precision = transform.precision;
  others.named = [this](const Program& lowered) { return make_programs(spec, lowered); };
  make_runner(std::move(setup), program, others.named);
  attempt([&] {
    if (auto faster = runner->fastest(others)) runner = std::move(faster);
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
