#include "api/predict.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "api/option_checks.hpp"
#include "api/plan_impl.hpp"
#include "api/report.hpp"
#include "choose/cost_model.hpp"
#include "mpi/imagined.hpp"

namespace shardfft {

namespace {

/// Messages over leaders of hosts need all members of a host.
constexpr int most_of_hosts = 1024;
constexpr int most_ranks = 1 << 20;

/// The ranks whose steps are made: all, or else the first, the last, and those with the most before and behind each
/// step.
std::vector<int> ranks_to_make(const ProblemSpec& spec, int active, int present) {
  std::vector<int> all(static_cast<std::size_t>(spec.ranks));
  std::iota(all.begin(), all.end(), 0);
  if (spec.options.exchange == "hierarchical") present = std::max(present, most_of_hosts);
  if (spec.ranks <= present) return all;
  require(spec.options.exchange != "hierarchical", "exchange hierarchical is predicted for at most ", most_of_hosts,
          " ranks");
  if (present == 1) return {0};
  Problem problem = make_problem(spec);
  problem.active = active;
  const std::vector<State> states = make_program(spec.options.algorithm, problem).states;
  std::set<int> some{0, spec.ranks - 1};
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Layout &from = states[i].layout, &to = states[std::min(i + 1, states.size() - 1)].layout;
    const auto elements = [&](int rank) { return from.count(rank) + to.count(rank); };
    some.insert(*std::max_element(all.begin(), all.end(), [&](int a, int b) { return elements(a) < elements(b); }));
  }
  return {some.begin(), some.end()};
}

/// GPUs are taken as ranks that send messages: the real plan can only be made with a GPU. Of the option way, `passes`
/// are returned.
ProblemSpec on_host(ProblemSpec spec, std::map<std::string, std::string>& passes) {
  const Options defaults;
  if (!spec.options.way.empty()) passes = take_way(spec.options).passes;  // and its algorithm, chunks and grid
  spec.options.way.clear();
  spec.place = Place::cpu;
  spec.options.processor = Processor::cpu;
  spec.options.exchange = "p2p";
  spec.options.chunks = std::max(1, spec.options.chunks);
  spec.options.local_fft = defaults.local_fft;
  spec.options.memory = defaults.memory;
  spec.options.device = defaults.device;
  return spec;
}

/// The plan from the view of one rank.
struct View {
  int rank = 0;
  PlanReport report;
  std::size_t input_bytes = 0, output_bytes = 0;
  std::array<std::vector<StepCost>, 2> programs;
  double seconds = 0;
};

}  // namespace

/// The plan as one imagined rank has it.
class ImaginedPlan {
 public:
  /// `passes`: those of GPUs; null: CPUs.
  ImaginedPlan(const Communicator& comm, const ProblemSpec& spec, const Way& way,
               const std::map<std::string, std::string>* passes)
      : plan_(comm, spec, way, passes != nullptr), passes_(passes) {}
  View look(const Placement& placement, const MachineFigures& machine) const;

 private:
  Plan::Impl plan_;
  const std::map<std::string, std::string>* passes_;
};

View ImaginedPlan::look(const Placement& placement, const MachineFigures& machine) const {
  View view;
  view.rank = plan_.comm.rank();
  view.report = make_report({plan_.comm, plan_.ranks(), plan_.transform, plan_.options, plan_.sides.front().input,
                             plan_.sides.front().output, *plan_.runner, 0});
  const std::vector<State>& states = plan_.runner->programs()[forward_program].program.states;
  view.input_bytes = max_state_bytes(states.front(), plan_.transform.precision);
  view.output_bytes = max_state_bytes(states.back(), plan_.transform.precision);
  const int together = std::min(placement.ranks_per_host, plan_.ranks());
  for (const int program : {forward_program, backward_program}) {
    const NamedProgram& named = plan_.runner->programs()[static_cast<std::size_t>(program)];
    for (const StepReport& step : plan_.runner->account(program).steps) {
      const StepFacts facts{step.steps,
                            step.bytes_sent,
                            step.messages_sent,
                            step.copied_bytes,
                            step.pieces ? step.pieces->moves() : 1,
                            step.reads_memory,
                            passes_,
                            named.scale != 1};
      StepCost cost =
          cost_of(named.program, facts, plan_.comm.rank(), plan_.transform.precision, placement.ranks_per_host);
      view.seconds += seconds_of(cost, machine, together);
      view.programs[static_cast<std::size_t>(program)].push_back(cost);
    }
  }
  return view;
}

Prediction predict(const ProblemSpec& given, const Way& way, Placement placement, const MachineFigures& figures,
                   int present) {
  check_figures(figures);
  require(placement.ranks_per_host > 0, "a host has ", placement.ranks_per_host, " ranks; it needs 1 at least");
  const bool gpus = placement.gpus || given.options.processor == Processor::gpu;
  require(given.ranks <= most_ranks, given.ranks, " ranks are too many to predict: ", most_ranks, " at most");
  std::map<std::string, std::string> passes = way.passes;
  ProblemSpec spec = gpus ? on_host(given, passes) : given;
  MachineFigures machine = figures;
  if (gpus) machine.host_memory = machine.memory * placement.ranks_per_host;
  spec.options.effort = Effort::estimate;
  spec.options.trace.clear();
  if (!way.algorithm.empty()) {
    spec.options.algorithm = way.algorithm;
    spec.options.exchange = gpus ? spec.options.exchange : way.exchange;
    spec.options.chunks = way.chunks;
    spec.options.grid = way.grid;
  }
  ProblemSpec checked = spec;
  close_gaps(checked);
  validate(checked);
  Way kept;
  kept.active = way.active;
  const std::vector<int> made = ranks_to_make(checked, way.active, present);
  std::vector<View> views;
  ImaginedRanks(spec.ranks, placement.ranks_per_host, made).run([&](const Communicator& comm) {
    views.push_back(ImaginedPlan(comm, spec, kept, gpus ? &passes : nullptr).look(placement, machine));
  });
  const auto first = std::min_element(views.begin(), views.end(), [](auto& a, auto& b) { return a.rank < b.rank; });
  const auto slowest =
      std::max_element(views.begin(), views.end(), [](auto& a, auto& b) { return a.seconds < b.seconds; });
  Prediction told{
      std::move(first->report), first->input_bytes, first->output_bytes, slowest->programs[0],
      slowest->programs[1],     slowest->seconds,   machine.error,       !gpus && std::ssize(made) == spec.ranks};
  told.report.library_bytes = told.report.planning_bytes = 0;
  if (gpus) {
    // docs/gpu.md: two arrays at most.
    told.report.workspace_bytes = 0;
    for (const std::vector<StepCost>& steps : slowest->programs)
      for (const StepCost& cost : steps)
        told.report.workspace_bytes =
            std::max(told.report.workspace_bytes, static_cast<std::size_t>(cost.working_bytes));
    told.report.window_bytes = told.report.table_bytes = 0;
  }
  return told;
}

namespace {

Prediction predict(const ProblemSpec& spec, const Placement& placement, const MachineFigures& machine) {
  return predict(spec, Way{}, placement, machine);
}

Place place_of(const Options& options) { return options.processor == Processor::gpu ? Place::gpu : Place::cpu; }

}  // namespace

Prediction predict(Transform transform, const Layout& input, OutputLayout output, const Options& options,
                   Placement placement, const MachineFigures& machine) {
  return predict({transform, input, std::nullopt, output, options, input.ranks(), place_of(options)}, placement,
                 machine);
}

Prediction predict(Transform transform, const Layout& input, const Layout& output, const Options& options,
                   Placement placement, const MachineFigures& machine) {
  return predict({transform, input, output, OutputLayout::as_left, options, input.ranks(), place_of(options)},
                 placement, machine);
}

}  // namespace shardfft
