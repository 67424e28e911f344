#include "exec/executor.hpp"

#include <algorithm>
#include <cstring>

#include "exec/fft_operation.hpp"
#include "exec/pointwise_operation.hpp"
#include "exec/reshape_operation.hpp"

namespace shardfft {

namespace {

template <class T>
T& at(std::vector<T>& v, int i) {
  return v[static_cast<std::size_t>(i)];
}

/// The step that carries the scale: the last transform that runs.
int last_fft(const Program& program, const std::vector<Stop>& route) {
  for (auto stop = route.rbegin(); stop != route.rend(); ++stop)
    if (std::holds_alternative<FftStep>(program.steps[static_cast<std::size_t>(stop->step)])) return stop->step;
  return -1;
}

}  // namespace

Executor::Executor(ExecutorSetup setup) : setup_(std::move(setup)), trace_(!setup_.options.trace.empty()) {
  build(Direction::forward);
  build(Direction::backward);
  size_workspace();
}

Executor::~Executor() = default;

std::size_t Executor::state_bytes(int state) const {
  const State& s = setup_.program.states[static_cast<std::size_t>(state)];
  return static_cast<std::size_t>(s.layout.count(setup_.comm.rank())) *
         ElementType{setup_.precision, s.is_complex}.bytes();
}

void Executor::build(Direction direction) {
  auto& tasks = tasks_[static_cast<std::size_t>(direction)];
  const std::vector<Stop> route = plan_route(setup_.program, direction);
  const int scaled = last_fft(setup_.program, route);
  const double scale = setup_.scale[static_cast<std::size_t>(direction)];
  const int first_trace_step = direction == Direction::forward ? 0 : static_cast<int>(tasks_[0].size());
  for (const Stop& stop : route) {
    Task task;
    task.stop = stop;
    task.operation = make_operation(stop, direction, stop.step == scaled ? scale : 1.0);
    task.trace_step = first_trace_step + static_cast<int>(tasks.size());
    tasks.push_back(std::move(task));
  }
  if (tasks.empty()) {
    Task task;
    task.operation = make_copy(state_bytes(0), &trace_);
    task.trace_step = first_trace_step;
    tasks.push_back(std::move(task));
  }
}

std::unique_ptr<Operation> Executor::make_fft(const Stop& stop, Direction direction, double scale) {
  const auto& step = std::get<FftStep>(at(setup_.program.steps, stop.step));
  std::unique_ptr<Operation> operation;
  // Planning a local transform may fail on one rank only, so all agree before the next collective call.
  agree(setup_.comm, [&] {
    FftSpec spec = fft_spec(step, at(setup_.program.states, stop.step), at(setup_.program.states, stop.step + 1),
                            setup_.comm.rank(), direction, setup_.precision);
    spec.scale = scale;
    spec.threads = setup_.options.threads;
    spec.effort = setup_.options.effort;
    spec.preserve_input = stop.from == Slot::in;
    const bool in_place = stop.from == stop.to || (setup_.options.in_place && stop.from == Slot::in &&
                                                   stop.to == Slot::out && step.kind == Kind::c2c);
    operation = std::make_unique<FftOperation>(spec, setup_.local_fft, in_place, stop.from != stop.to, &trace_);
  });
  return operation;
}

std::unique_ptr<Operation> Executor::make_operation(const Stop& stop, Direction direction, double scale) {
  const Step& step = at(setup_.program.steps, stop.step);
  const State& before = at(setup_.program.states, stop.step);
  const State& after = at(setup_.program.states, stop.step + 1);
  const int rank = setup_.comm.rank();
  if (std::holds_alternative<FftStep>(step)) return make_fft(stop, direction, scale);
  if (const auto* twiddle = std::get_if<TwiddleStep>(&step))
    return make_twiddle(*twiddle, before.layout, rank, direction, setup_.precision, &trace_);
  if (std::holds_alternative<PromoteStep>(step))
    return make_promote(before.layout.count(rank), direction, setup_.precision, &trace_);
  if (const auto* half = std::get_if<HalfSpectrumStep>(&step))
    return make_half_spectrum(*half, before.layout, rank, setup_.precision, &trace_);
  if (std::holds_alternative<ReshapeStep>(step)) {
    const bool backward = direction == Direction::backward;
    ReshapeSetup reshape;
    reshape.comm = setup_.comm;
    reshape.exchange = setup_.exchange;
    reshape.element_bytes = ElementType{setup_.precision, before.is_complex}.bytes();
    reshape.threads = setup_.options.threads;
    reshape.fake_ranks_per_host = setup_.options.fake_ranks_per_host;
    return std::make_unique<ReshapeOperation>(backward ? after.layout : before.layout,
                                              backward ? before.layout : after.layout, reshape, &trace_);
  }
  fail(Status::unsupported, "no operation for the step '", step_name(step), "'");
}

void Executor::size_workspace() {
  const auto grow = [this](Slot s, int state) {
    if (s != Slot::work0 && s != Slot::work1) return;
    std::size_t& bytes = work_bytes_[s == Slot::work0 ? 0 : 1];
    bytes = std::max(bytes, round_up(state_bytes(state), cache_line));
  };
  for (std::size_t d = 0; d < 2; ++d)
    for (const Task& task : tasks_[d]) {
      scratch_bytes_ = std::max(scratch_bytes_, round_up(task.operation->scratch_bytes(), cache_line));
      grow(task.stop.from, task.stop.step + (d == 0 ? 0 : 1));
      grow(task.stop.to, task.stop.step + (d == 0 ? 1 : 0));
    }
}

std::size_t Executor::workspace_bytes() const { return work_bytes_[0] + work_bytes_[1] + scratch_bytes_; }

void Executor::set_workspace(std::byte* memory, std::size_t bytes) {
  require(bytes >= workspace_bytes(), "the workspace has ", bytes, " bytes, the plan needs ", workspace_bytes());
  require(memory != nullptr || workspace_bytes() == 0, "the workspace is a null pointer");
  require(reinterpret_cast<std::uintptr_t>(memory) % cache_line == 0, "the workspace must be aligned to ", cache_line,
          " bytes");
  workspace_ = memory;
  own_workspace_.reset();
}

std::byte* Executor::slot(Slot s, const std::byte* in, std::byte* out) const {
  switch (s) {
    case Slot::in:
      return const_cast<std::byte*>(in);  // only ever read: routes never write to Slot::in
    case Slot::out:
      return out;
    case Slot::work0:
      return workspace_;
    case Slot::work1:
      return workspace_ + work_bytes_[0];
  }
  return nullptr;
}

const std::byte* Executor::unaliased(Direction direction, const std::byte* data) {
  const int last = static_cast<int>(setup_.program.states.size()) - 1;
  if (!alias_copy_) alias_copy_ = allocate_aligned(std::max(state_bytes(0), state_bytes(last)));
  std::memcpy(alias_copy_.get(), data, state_bytes(direction == Direction::forward ? 0 : last));
  return alias_copy_.get();
}

void Executor::run(Direction direction, const std::byte* in, std::byte* out) {
  auto& tasks = tasks_[static_cast<std::size_t>(direction)];
  if (workspace_ == nullptr && workspace_bytes() > 0) {
    own_workspace_ = allocate_aligned(workspace_bytes());
    workspace_ = own_workspace_.get();
  }
  // Only the first step reads the input, so equal buffers matter only where it writes the output at once.
  const Task& first = tasks.front();
  const bool clash = in == out && in != nullptr && first.stop.to == Slot::out && !first.operation->runs_in_place();
  const std::byte* source = clash ? unaliased(direction, in) : in;
  std::byte* scratch = workspace_ + work_bytes_[0] + work_bytes_[1];
  for (Task& task : tasks) {
    trace_.set_step(task.trace_step);
    task.operation->run(slot(task.stop.from, source, out), slot(task.stop.to, source, out), scratch);
  }
  ++runs_[static_cast<std::size_t>(direction)];
}

std::vector<StepReport> Executor::steps(Direction direction) const {
  std::vector<StepReport> reports;
  for (const Task& task : tasks_[static_cast<std::size_t>(direction)])
    reports.push_back({task.operation->describe(), task.operation->bytes_sent(), task.trace_step});
  return reports;
}

}  // namespace shardfft
