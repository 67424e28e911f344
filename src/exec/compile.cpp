#include "exec/compile.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "exec/cannon_operation.hpp"
#include "exec/fft_operation.hpp"
#include "exec/host_reshape.hpp"
#include "exec/pipeline.hpp"
#include "exec/pointwise_operation.hpp"
#include "exec/reshape_operation.hpp"

namespace shardfft {

namespace {

/// One direction of one program, step by step.
class Compiler {
 public:
  Compiler(const ExecutorSetup& setup, HostMemory* host, std::shared_ptr<HostWindow> control, std::vector<bool> fusable,
           Groups& groups, Direction direction, int first_trace_step, Trace* trace)
      : setup_(setup),
        host_(host),
        groups_(groups),
        control_(std::move(control)),
        fusable_(std::move(fusable)),
        direction_(direction),
        trace_step_(first_trace_step),
        trace_(trace),
        route_(plan_route(setup.program, direction, fusable_)) {}

  std::vector<Task> run() {
    find_scaled_step();
    for (std::size_t i = 0; i < route_.size(); ++i) {
      if (const std::size_t fused = add_host_task(i); fused > 0) {
        i += fused - 1;
        continue;
      }
      if (const std::size_t fused = add_pipeline(i); fused > 0) {
        i += fused - 1;
        continue;
      }
      add(route_[i], route_[i], make_operation(route_[i]));
    }
    if (tasks_.empty()) {
      const std::size_t bytes = state_bytes(setup_, 0, setup_.comm.rank());
      add({0, Slot::in, Slot::out}, {0, Slot::in, Slot::out}, make_copy(bytes, trace_));
      tasks_.back().to_state = 0;
    }
    return std::move(tasks_);
  }

 private:
  const Step& step(const Stop& stop) const { return setup_.program.steps[static_cast<std::size_t>(stop.step)]; }
  bool backward() const { return direction_ == Direction::backward; }
  int state_before(const Stop& stop) const { return stop.step + (backward() ? 1 : 0); }
  int state_after(const Stop& stop) const { return stop.step + (backward() ? 0 : 1); }
  bool is_fft(std::size_t i) const { return i < route_.size() && std::holds_alternative<FftStep>(step(route_[i])); }
  bool is_reshape(std::size_t i) const {
    return i < route_.size() && std::holds_alternative<ReshapeStep>(step(route_[i]));
  }
  /// With a view in between, two steps count other axes.
  bool joins_next(std::size_t i) const {
    return i + 1 < route_.size() && state_after(route_[i]) == state_before(route_[i + 1]);
  }
  const State& state(int i) const { return setup_.program.states[static_cast<std::size_t>(i)]; }
  std::size_t element_bytes(int i) const { return ElementType{setup_.precision, state(i).is_complex}.bytes(); }

  void add(const Stop& first, const Stop& last, std::unique_ptr<Operation> operation) {
    tasks_.push_back(
        {first.from, last.to, state_before(first), state_after(last), trace_step_++, std::move(operation)});
  }

  /// The last transform that runs carries the scale.
  void find_scaled_step() {
    for (const Stop& stop : route_)
      if (std::holds_alternative<FftStep>(step(stop)) || std::holds_alternative<CannonStep>(step(stop)))
        scaled_step_ = stop.step;
  }
  double scale_of(const Stop& stop) const {
    return stop.step == scaled_step_ ? setup_.scale[static_cast<std::size_t>(direction_)] : 1.0;
  }

  std::unique_ptr<Operation> make_operation(const Stop& stop);
  std::unique_ptr<Operation> make_fft(const Stop& stop);
  std::unique_ptr<Operation> make_cannon(const Stop& stop);
  ReshapeSetup message_setup(const Stop& stop) const;
  std::unique_ptr<Operation> make_message_reshape(const Stop& stop);
  std::size_t add_pipeline(std::size_t i);
  bool wanted_by_next(std::size_t i) const;
  PipelineFft pipeline_fft(const Stop& stop) const;
  std::size_t add_host_task(std::size_t i);
  HostReshapeSetup host_setup(const Stop& stop);
  std::unique_ptr<Exchange> remote_exchange(const HostReshapeSetup& setup, const Communicator& members) const;
  BundledFftSetup bundled(const Stop& stop, const Layout& from) const;

  const ExecutorSetup& setup_;
  HostMemory* host_;
  Groups& groups_;
  std::shared_ptr<HostWindow> control_;
  std::vector<bool> fusable_;
  Direction direction_;
  int trace_step_;
  Trace* trace_;
  std::vector<Stop> route_;
  int scaled_step_ = -1;
  std::vector<Task> tasks_;
};

std::unique_ptr<Operation> Compiler::make_operation(const Stop& stop) {
  const Step& s = step(stop);
  const State& before = state(stop.step);
  const int rank = setup_.comm.rank();
  if (std::holds_alternative<FftStep>(s)) return make_fft(stop);
  if (std::holds_alternative<CannonStep>(s)) return make_cannon(stop);
  if (std::holds_alternative<ReshapeStep>(s)) return make_message_reshape(stop);
  if (const auto* twiddle = std::get_if<TwiddleStep>(&s))
    return make_twiddle(twiddle->factors, before.layout, rank, direction_, setup_.precision, trace_);
  if (std::holds_alternative<PromoteStep>(s))
    return make_promote(before.layout.count(rank), direction_, setup_.precision, trace_);
  if (const auto* half = std::get_if<HalfSpectrumStep>(&s))
    return make_half_spectrum(half->modes, before.layout, rank, setup_.precision, trace_);
  fail(Status::unsupported, "no operation for the step '", step_name(s), "'");
}

std::unique_ptr<Operation> Compiler::make_fft(const Stop& stop) {
  std::unique_ptr<Operation> operation;
  // Planning a local transform may fail on one rank only, so all agree before the next collective call.
  agree(setup_.comm, [&] {
    const auto& fft = std::get<FftStep>(step(stop));
    const BundledFftSetup bundles = bundled(stop, state(state_before(stop)).layout);
    if (BundledFft::worth_it(bundles)) {
      operation = make_bundled_fft(bundles);
      return;
    }
    FftSpec spec =
        fft_spec(fft, state(stop.step), state(stop.step + 1), setup_.comm.rank(), direction_, setup_.precision);
    spec.scale = scale_of(stop);
    spec.threads = setup_.options.threads;
    spec.effort = setup_.options.effort;
    spec.preserve_input = stop.from == Slot::in;
    const bool may_alias = setup_.options.in_place && stop.from == Slot::in && stop.to == Slot::out;
    const bool in_place = stop.from == stop.to || (may_alias && fft.kind == Kind::c2c);
    operation = std::make_unique<FftOperation>(spec, setup_.local_fft, in_place, stop.from != stop.to, trace_);
  });
  return operation;
}

std::unique_ptr<Operation> Compiler::make_cannon(const Stop& stop) {
  std::unique_ptr<Operation> operation;
  // Memory for the matrix may be missing on one rank only.
  agree(setup_.comm, [&] {
    const auto& cannon = std::get<CannonStep>(step(stop));
    ProductSetup product;
    product.comm = setup_.comm;
    product.before = state(state_before(stop)).layout;
    product.after = state(state_after(stop)).layout;
    product.axis = cannon.axis;
    product.direction = direction_;
    product.precision = setup_.precision;
    product.scale = scale_of(stop);
    product.half = cannon.half;
    product.global_transpose = cannon.global_transpose;
    product.local_matrix = cannon.local_matrix;
    product.threads = setup_.options.threads;
    product.trace = trace_;
    operation = std::make_unique<CannonOperation>(product);
  });
  return operation;
}

ReshapeSetup Compiler::message_setup(const Stop& stop) const {
  ReshapeSetup reshape;
  reshape.comm = setup_.comm;
  reshape.groups = &groups_;
  reshape.exchange = setup_.exchange;
  reshape.element_bytes = element_bytes(stop.step);
  reshape.threads = setup_.options.threads;
  reshape.fake_ranks_per_host = setup_.options.fake_ranks_per_host;
  return reshape;
}

std::unique_ptr<Operation> Compiler::make_message_reshape(const Stop& stop) {
  return std::make_unique<ReshapeOperation>(state(state_before(stop)).layout, state(state_after(stop)).layout,
                                            message_setup(stop), trace_);
}

PipelineFft Compiler::pipeline_fft(const Stop& stop) const {
  return {bundled(stop, state(state_before(stop)).layout), stop.from == stop.to, stop.from == Slot::in};
}

/// Whether the transform `i` should be left to the reshapes behind it, because one of them would otherwise have none.
bool Compiler::wanted_by_next(std::size_t i) const {
  for (std::size_t reshape = i + 1; joins_next(reshape - 1) && is_reshape(reshape); reshape += 2)
    if (!joins_next(reshape) || !is_fft(reshape + 1)) return true;
  return false;
}

/// With chunks: a reshape with the transforms at its ends, whose exchange is hidden behind them. Returns the stops it
/// took.
std::size_t Compiler::add_pipeline(std::size_t i) {
  if (host_ != nullptr || setup_.options.chunks < 2 || setup_.comm.size() < 2) return 0;
  const bool fft_first = is_fft(i);
  const std::size_t reshape = fft_first ? i + 1 : i;
  if (!is_reshape(reshape) || (fft_first && !joins_next(i))) return 0;
  std::size_t last = reshape;
  if (joins_next(reshape) && is_fft(reshape + 1) && !(fft_first && wanted_by_next(reshape + 1))) ++last;
  PipelineSetup pipeline;
  pipeline.from = state(state_before(route_[reshape])).layout;
  pipeline.to = state(state_after(route_[reshape])).layout;
  pipeline.reshape = message_setup(route_[reshape]);
  if (fft_first) pipeline.before = pipeline_fft(route_[i]);
  if (last > reshape) pipeline.after = pipeline_fft(route_[last]);
  pipeline.chunks = setup_.options.chunks;
  pipeline.trace = trace_;
  auto operation = make_pipeline(pipeline);
  if (!operation) return 0;
  add(route_[i], route_[last], std::move(operation));
  return last - i + 1;
}

HostReshapeSetup Compiler::host_setup(const Stop& stop) {
  HostReshapeSetup setup;
  setup.from = state(state_before(stop)).layout;
  setup.to = state(state_after(stop)).layout;
  setup.rank = setup_.comm.rank();
  setup.element_bytes = element_bytes(stop.step);
  setup.threads = setup_.options.threads;
  setup.host = host_;
  setup.control = control_;
  setup.turn_index = 2 * static_cast<std::size_t>(stop.step) + (backward() ? 1 : 0);
  setup.members = exchange_group(setup.from, setup.to, setup.rank);
  setup.trace = trace_;
  return setup;
}

/// Point-to-point messages to and from the members on other hosts; null where there are none. Collective over them.
std::unique_ptr<Exchange> Compiler::remote_exchange(const HostReshapeSetup& setup, const Communicator& members) const {
  if (host_->holds(setup.members)) return nullptr;
  ExchangeSetup remote;
  remote.comm = members;
  const Schedule whole = make_schedule(setup.from, setup.to, setup.rank);
  const auto add_remote = [&](const std::vector<Message>& all, std::vector<Message>& some, std::int64_t& count) {
    for (Message m : all) {
      if (host_->host_rank(m.peer) >= 0) continue;
      m.offset = count;
      count += m.count;
      m.peer = static_cast<int>(std::lower_bound(setup.members.begin(), setup.members.end(), m.peer) -
                                setup.members.begin());
      some.push_back(m);
    }
  };
  add_remote(whole.send, remote.schedule.send, remote.schedule.send_count);
  add_remote(whole.recv, remote.schedule.recv, remote.schedule.recv_count);
  remote.element_bytes = setup.element_bytes;
  remote.threads = setup.threads;
  remote.trace = trace_;
  return make_exchange("p2p", remote);
}

BundledFftSetup Compiler::bundled(const Stop& stop, const Layout& from) const {
  BundledFftSetup fft;
  fft.step = std::get<FftStep>(step(stop));
  fft.before = state(state_before(stop));
  fft.after = state(state_after(stop));
  fft.rank = setup_.comm.rank();
  fft.direction = direction_;
  fft.precision = setup_.precision;
  fft.scale = scale_of(stop);
  fft.effort = setup_.options.effort;
  fft.backend = setup_.local_fft;
  fft.threads = setup_.options.threads;
  fft.from = from;
  fft.trace = trace_;
  return fft;
}

/// A reshape over shared memory, with the transform behind it where all members are here. Returns the stops it took.
std::size_t Compiler::add_host_task(std::size_t i) {
  if (host_ == nullptr || !std::holds_alternative<ReshapeStep>(step(route_[i]))) return 0;
  const HostReshapeSetup setup = host_setup(route_[i]);
  std::unique_ptr<Exchange> remote;
  if (!fusable_[static_cast<std::size_t>(route_[i].step)]) {
    const Communicator members = groups_.of(setup.members);
    agree(setup_.comm, [&] { remote = remote_exchange(setup, members); });
  }
  if (!is_fused(setup_.program, direction_, route_[i].step, fusable_)) {
    add(route_[i], route_[i], make_host_reshape(setup, std::move(remote)));
    return 1;
  }
  std::unique_ptr<Operation> operation;
  agree(setup_.comm, [&] { operation = make_gather_fft(setup, bundled(route_[i + 1], setup.from)); });
  add(route_[i], route_[i + 1], std::move(operation));
  return 2;
}

/// Zeroed memory for the turn counters of all reshapes. Collective.
std::shared_ptr<HostWindow> make_control(const ExecutorSetup& setup, HostMemory* host) {
  if (host == nullptr) return nullptr;
  auto control = host->allocate(2 * setup.program.steps.size() * TurnCounter::bytes_each + TurnCounter::bytes_each);
  std::memset(control->mine(), 0, control->bytes());
  host->host().barrier();
  return control;
}

/// Reshapes whose every exchange stays on one host: a transform behind them can be fused in. The answer is the same on
/// all ranks, because what follows is planned by all together. Collective.
std::vector<bool> find_fusable(const ExecutorSetup& setup, const HostMemory* host) {
  std::vector<bool> fusable(setup.program.steps.size(), false);
  for (std::size_t i = 0; host != nullptr && i < fusable.size(); ++i) {
    if (!std::holds_alternative<ReshapeStep>(setup.program.steps[i])) continue;
    const auto& states = setup.program.states;
    const bool here = host->holds(exchange_group(states[i].layout, states[i + 1].layout, setup.comm.rank()));
    fusable[i] = setup.comm.min(std::int64_t{here ? 1 : 0}) == 1;
  }
  return fusable;
}

}  // namespace

std::size_t state_bytes(const ExecutorSetup& setup, int state, int rank) {
  const State& s = setup.program.states[static_cast<std::size_t>(state)];
  return static_cast<std::size_t>(s.layout.count(rank)) * ElementType{setup.precision, s.is_complex}.bytes();
}

std::size_t max_state_bytes(const ExecutorSetup& setup, int state) {
  const State& s = setup.program.states[static_cast<std::size_t>(state)];
  return static_cast<std::size_t>(s.layout.max_count()) * ElementType{setup.precision, s.is_complex}.bytes();
}

std::array<std::vector<Task>, 2> compile(const ExecutorSetup& setup, HostMemory* host, Trace* trace) {
  const auto control = make_control(setup, host);
  const std::vector<bool> fusable = find_fusable(setup, host);
  Groups groups(setup.comm);
  std::array<std::vector<Task>, 2> tasks;
  tasks[0] = Compiler(setup, host, control, fusable, groups, Direction::forward, 0, trace).run();
  const int steps = static_cast<int>(tasks[0].size());
  tasks[1] = Compiler(setup, host, control, fusable, groups, Direction::backward, steps, trace).run();
  return tasks;
}

}  // namespace shardfft
