#include "choose/cost_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "choose/pass_cost.hpp"
#include "geometry/schedule.hpp"
#include "lower/fft_spec.hpp"

namespace shardfft {

namespace {

using Figure = std::pair<const char*, double MachineFigures::*>;
constexpr std::array<Figure, 12> figures{{{"memory", &MachineFigures::memory},
                                          {"host_memory", &MachineFigures::host_memory},
                                          {"cache", &MachineFigures::cache},
                                          {"cache_bytes", &MachineFigures::cache_bytes},
                                          {"flops", &MachineFigures::flops},
                                          {"products", &MachineFigures::products},
                                          {"near_latency", &MachineFigures::near_latency},
                                          {"near_bandwidth", &MachineFigures::near_bandwidth},
                                          {"far_latency", &MachineFigures::far_latency},
                                          {"far_bandwidth", &MachineFigures::far_bandwidth},
                                          {"start", &MachineFigures::start},
                                          {"error", &MachineFigures::error}}};

double bytes_of(const State& state, int rank, Precision precision) {
  return static_cast<double>(state_bytes(state, precision, rank));
}

/// Operations for a rank's lines along one axis: 5 n log2 n for complex numbers, half of that for real ones, and half
/// again in single precision, because vectors hold twice as many numbers.
double operations_of(const AxisStep& axis, const State& before, const State& after, int rank, Precision precision) {
  const double n = static_cast<double>(std::max(axis.in, axis.out));
  const bool real = !before.is_complex || !after.is_complex;
  const State& whole = axis.in >= axis.out ? before : after;
  const double points = static_cast<double>(whole.layout.count(rank));
  return (real ? 2.5 : 5) * (precision == Precision::f32 ? 0.5 : 1) * points * std::max(1.0, std::log2(n));
}

/// Adds the passes of a GPU for step `number`. The last transform multiplies by the factor.
void add_passes(StepCost& cost, const Program& program, int number, const StepFacts& facts, int rank,
                Precision precision) {
  const auto at = static_cast<std::size_t>(number);
  const TransformStep& fft = std::get<TransformStep>(program.steps[at]);
  const bool last = std::none_of(program.steps.begin() + number + 1, program.steps.end(),
                                 [](const Step& step) { return std::holds_alternative<TransformStep>(step); });
  const auto known = facts.passes->find(name_fft(fft, program.states[at]));
  add_passes(cost, fft, program.states[at], program.states[at + 1],
             known == facts.passes->end() ? std::string() : known->second, facts.scaled && last, rank, precision);
}

/// Adds the messages of a change of layout: bytes and messages to each peer. Data for messages is packed and unpacked;
/// the rest is only copied.
void add_reshape(StepCost& cost, const State& from, const State& to, const StepFacts& facts, int rank,
                 Precision precision, int ranks_per_host) {
  const auto element = static_cast<double>(element_bytes(from, precision));
  const Schedule schedule = make_schedule(from.layout, to.layout, rank);
  double near = 0, far = 0, near_peers = 0, far_peers = 0;
  for (const Message& message : schedule.send) {
    const bool here = message.peer / ranks_per_host == rank / ranks_per_host;
    (here ? near : far) += static_cast<double>(message.count) * element;
    (here ? near_peers : far_peers) += 1;
  }
  double stays = 0;
  for (const LocalCopy& copy : schedule.self) stays += static_cast<double>(copy.from.elements()) * element;
  if (!facts.reads_memory)
    cost.moved_bytes += bytes_of(from, rank, precision) + bytes_of(to, rank, precision) - 2 * stays;
  if (facts.reads_memory) {  // the arrays of all whom this rank reads from are in their caches, not in its own
    const double own = bytes_of(from, rank, precision) + bytes_of(to, rank, precision);
    cost.working_bytes = std::max(cost.working_bytes, own * (near_peers + 1));
    near = near_peers = 0;
  }
  // Each piece sends to each peer again.
  const double peers = std::max(1.0, near_peers + far_peers);
  const double a_peer = std::max(1.0, static_cast<double>(facts.messages) / peers);
  cost.near_bytes += near;
  cost.far_bytes += far;
  cost.near_messages += near_peers * a_peer;
  cost.far_messages += far_peers * a_peer;
  cost.starts += 1;
}

}  // namespace

MachineFigures MachineFigures::of_gpus() {
  return {3e12, 3e12, 6e12, 25e6, 30e12, 5e12, 10e-6, 100e9, 20e-6, 20e9, 5e-6, 2};
}

std::map<std::string, double> MachineFigures::all() const {
  std::map<std::string, double> named;
  for (const auto& [name, figure] : figures) named[name] = this->*figure;
  return named;
}

void MachineFigures::set(const std::string& name, double value) {
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const Figure& f) { return f.first == name; });
  if (found == figures.end()) {
    std::string known;
    for (const Figure& figure : figures) known.append(" ").append(figure.first);
    fail(Status::invalid_argument, "a machine has no figure \"", name, "\"; known:", known);
  }
  require(value > 0 && std::isfinite(value), "the machine's figure ", name, " is ", value,
          "; it must be above 0 and finite");
  this->*(found->second) = value;
}

StepCost cost_of(const Program& lowered, const StepFacts& facts, int rank, Precision precision, int ranks_per_host) {
  StepCost cost;
  cost.pieces = facts.pieces;
  cost.starts = facts.passes != nullptr ? 0 : 1;
  const auto state = [&](int number) -> const State& { return lowered.states[static_cast<std::size_t>(number)]; };
  const bool one_pass = facts.reads_memory && facts.steps.size() > 1;  // lines are read from their owners' memory
  for (const int number : facts.steps) {
    const State &before = state(number), &after = state(number + 1);
    const double both = bytes_of(before, rank, precision) + bytes_of(after, rank, precision);
    const Step& step = lowered.steps[static_cast<std::size_t>(number)];
    const auto* const fft = std::get_if<TransformStep>(&step);
    const bool by_passes = facts.passes != nullptr && fft != nullptr;
    if (by_passes) add_passes(cost, lowered, number, facts, rank, precision);
    if (!by_passes && (!one_pass || fft != nullptr)) cost.moved_bytes += both;
    cost.working_bytes = std::max(cost.working_bytes, both);
    if (std::holds_alternative<ReshapeStep>(step))
      add_reshape(cost, before, after, facts, rank, precision, ranks_per_host);
    if (fft != nullptr)
      for (const AxisStep& axis : fft->axes) cost.operations += operations_of(axis, before, after, rank, precision);
    if (const auto* const cannon = std::get_if<CannonStep>(&step)) {
      const auto n = static_cast<double>(before.layout.shape()[static_cast<std::size_t>(cannon->axis)]);
      cost.products += 8 * n * static_cast<double>(before.layout.count(rank));
      cost.near_bytes += static_cast<double>(facts.bytes_sent);
      cost.near_messages += static_cast<double>(facts.messages);
    }
  }
  cost.moved_bytes += 2 * static_cast<double>(facts.copied_bytes);
  return cost;
}

double seconds_of(StepCost& cost, const MachineFigures& m, int ranks) {
  const double memory = std::min(m.memory, m.host_memory / ranks);
  const double piece = cost.working_bytes / std::max(1, cost.pieces);
  const double cached = piece > 0 ? std::min(1.0, m.cache_bytes / piece) : 1;
  const double work = cost.moved_bytes * ((1 - cached) / memory + cached / std::max(m.cache, memory)) +
                      cost.operations / m.flops + cost.products / m.products;
  const double links = cost.near_bytes / m.near_bandwidth + cost.near_messages * m.near_latency +
                       cost.far_bytes * ranks / m.far_bandwidth + cost.far_messages * m.far_latency;
  const double hidden = cost.pieces > 1 ? std::min(work, links) * (1 - 1.0 / cost.pieces) : 0;
  return cost.seconds = work + links - hidden + cost.starts * m.start;
}

double expected_seconds(const Program& program, StepFacts facts, int rank, Precision precision, int ranks_per_host,
                        const MachineFigures& machine) {
  const int active = program.active > 0 ? program.active : program.states.front().layout.ranks();
  double sum = 0;
  for (int step = 0; step < static_cast<int>(program.steps.size()); ++step) {
    facts.steps = {step};
    StepCost cost = cost_of(program, facts, rank, precision, ranks_per_host);
    sum += 2 * seconds_of(cost, machine, std::min(active, ranks_per_host));
  }
  return sum;
}

void check_figures(const MachineFigures& machine) {
  for (const auto& [name, value] : machine.all()) MachineFigures().set(name, value);
}

double Prediction::seconds_on(const MachineFigures& machine, int ranks) const {
  check_figures(machine);
  double sum = 0;
  for (const auto* steps : {&forward, &backward})
    for (StepCost cost : *steps) sum += seconds_of(cost, machine, ranks);
  return sum;
}

}  // namespace shardfft
