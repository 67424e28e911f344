#include "exec/executor.hpp"

#include <algorithm>
#include <cstring>

namespace shardfft {

Executor::Executor(ExecutorSetup setup) : setup_(std::move(setup)), trace_(!setup_.options.trace.empty()) {
  if (setup_.exchange == "shared_window")
    host_ = std::make_unique<HostMemory>(setup_.comm, setup_.options.fake_ranks_per_host);
  tasks_ = compile(setup_, host_.get(), &trace_);
  size_workspace();
}

void Executor::size_workspace() {
  const auto bytes_of = [this](int state) {
    // Shared buffers have the same size everywhere, so that an offset means the same on every rank.
    const std::size_t bytes = host_ ? max_state_bytes(setup_, state) : state_bytes(setup_, state, setup_.comm.rank());
    return round_up(bytes, host_ ? 4096 : cache_line);
  };
  const auto grow = [&](Slot s, int state) {
    if (s == Slot::work0) work_bytes_[0] = std::max(work_bytes_[0], bytes_of(state));
    if (s == Slot::work1) work_bytes_[1] = std::max(work_bytes_[1], bytes_of(state));
  };
  for (const auto& tasks : tasks_)
    for (const Task& task : tasks) {
      scratch_bytes_ = std::max(scratch_bytes_, round_up(task.operation->scratch_bytes(), cache_line));
      grow(task.from, task.from_state);
      grow(task.to, task.to_state);
      if (task.from == Slot::in && task.operation->reads_host_memory())
        stage_bytes_ = std::max(stage_bytes_, bytes_of(task.from_state));
    }
}

std::size_t Executor::workspace_bytes() const {
  return scratch_bytes_ + (host_ ? 0 : work_bytes_[0] + work_bytes_[1]);
}

std::size_t Executor::window_bytes() const { return host_ ? work_bytes_[0] + work_bytes_[1] + stage_bytes_ : 0; }

void Executor::set_workspace(std::byte* memory, std::size_t bytes) {
  require(bytes >= workspace_bytes(), "the workspace has ", bytes, " bytes, the plan needs ", workspace_bytes());
  require(memory != nullptr || workspace_bytes() == 0, "the workspace is a null pointer");
  require(reinterpret_cast<std::uintptr_t>(memory) % cache_line == 0, "the workspace must be aligned to ", cache_line,
          " bytes");
  workspace_ = memory;
  own_workspace_.reset();
}

std::shared_ptr<HostWindow> Executor::allocate_shared(std::size_t bytes) {
  if (!host_) return nullptr;
  return host_->allocate(static_cast<std::size_t>(host_->host().max(static_cast<std::int64_t>(bytes))));
}

void Executor::allocate() {
  if (window_bytes() > 0 && !window_) window_ = host_->allocate(window_bytes());
  if (workspace_ == nullptr && workspace_bytes() > 0) {
    own_workspace_ = allocate_aligned(workspace_bytes());
    workspace_ = own_workspace_.get();
  }
}

std::byte* Executor::slot(Slot s, const std::byte* in, std::byte* out) const {
  std::byte* const work = host_ ? (window_ ? window_->mine() : nullptr) : workspace_;
  switch (s) {
    case Slot::in:
      return const_cast<std::byte*>(in);  // only ever read: routes never write to Slot::in
    case Slot::out:
      return out;
    case Slot::work0:
      return work;
    case Slot::work1:
      return work + work_bytes_[0];
  }
  return nullptr;
}

const std::byte* Executor::unaliased(Direction direction, const std::byte* data) {
  const int last = static_cast<int>(setup_.program.states.size()) - 1;
  const auto bytes = [this](int state) { return state_bytes(setup_, state, setup_.comm.rank()); };
  if (!alias_copy_) alias_copy_ = allocate_aligned(std::max(bytes(0), bytes(last)));
  std::memcpy(alias_copy_.get(), data, bytes(direction == Direction::forward ? 0 : last));
  return alias_copy_.get();
}

/// Where the other ranks of the host can read the input: there already, or copied into the window.
const std::byte* Executor::readable_input(const Task& task, const std::byte* in) {
  if (host_->locate(in).window >= 0) return in;
  task.operation->wait_readers();
  const Scope scope(&trace_, Activity::copy);
  std::byte* const stage = window_->mine() + work_bytes_[0] + work_bytes_[1];
  const std::size_t bytes = state_bytes(setup_, task.from_state, setup_.comm.rank());
  if (bytes > 0) std::memcpy(stage, in, bytes);
  ++staged_runs_;
  return stage;
}

void Executor::wait_for_slot(Slot s) {
  if (s != Slot::work0 && s != Slot::work1) return;
  const Scope scope(&trace_, Activity::wait);
  for (auto& tasks : tasks_)
    for (Task& task : tasks)
      if (task.from == s) task.operation->wait_readers();
}

void Executor::run(Direction direction, const std::byte* in, std::byte* out) {
  allocate();
  auto& tasks = tasks_[static_cast<std::size_t>(direction)];
  // Only the first step reads the input, so equal buffers matter only where it writes the output at once.
  const Task& first = tasks.front();
  const bool clash = in == out && in != nullptr && first.to == Slot::out && !first.operation->runs_in_place();
  const std::byte* source = clash ? unaliased(direction, in) : in;
  std::byte* const scratch = workspace_ + (host_ ? 0 : work_bytes_[0] + work_bytes_[1]);
  for (Task& task : tasks) {
    trace_.set_step(task.trace_step);
    if (host_) wait_for_slot(task.to);
    const std::byte* from = slot(task.from, source, out);
    const bool lends_input = task.from == Slot::in && task.operation->reads_host_memory();
    if (lends_input) from = readable_input(task, from);
    task.operation->run(from, slot(task.to, source, out), scratch);
    // The caller may change the array as soon as this call returns.
    if (lends_input && from == source) task.operation->wait_readers();
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
