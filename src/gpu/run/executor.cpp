#include "gpu/run/executor.hpp"

#include <algorithm>
#include <string>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "base/succeeds.hpp"
#include "device/facts.hpp"
#include "lower/transforms.hpp"
#include "mpi/kept_for_mpi.hpp"
#include "run/buffers.hpp"
#include "shardfft/option_table.hpp"

namespace shardfft::gpu {

DeviceExecutor::DeviceExecutor(ExecutorSetup setup, std::shared_ptr<Team> team)
    : Runner(std::move(setup)),
      team_(std::move(team)),
      target_(setup_, *team_),
      model_(setup_.options.memory),
      imports_(std::make_shared<ImportUser>([this] { finish_runs(); })),
      times_(*team_) {
  const Member& first = team_->here().front();
  local_fft_version_ = "cuFFT";
  team_->agree([&] {
    machine_ = "GPUs: rank " + std::to_string(first.rank) + " on GPU " + std::to_string(first.device) + ", " +
               device::device_name(first.device) + "; memory " + to_text(setup_.options.memory);
    for (const Member& member : team_->here()) {
      const device::DeviceScope scope(member.device);
      own_streams_.push_back(device::make_stream());
      finished_.push_back(device::make_event());
    }
    check_streams(streams_of_plan());
  });
  take_streams(streams_of_plan());
}

/// Whether a task can receive in another array than that of its result.
bool DeviceExecutor::writes_apart(const DeviceTask& task) const {
  return cuts_in_slices(setup_.way.exchange) && task.first().peers_write() == PeersWrite::result;
}

Program DeviceExecutor::lower(const Program& program) { return lowered(program, target_); }

void DeviceExecutor::add(std::vector<NamedProgram> programs) {
  team_->agree([&] {
    for (const NamedProgram& named : programs) refuse_what_does_not_fit(named.program);
  });
  int trace_step = 0;
  for (const Prepared& before : prepared_) trace_step += static_cast<int>(before.tasks.size());
  finish_runs();  // the buffers may grow
  team_->set_numbers(setup_.numbers);
  for (auto& tasks : compile(setup_, programs, target_, *team_, trace_step)) {
    for (const DeviceTask& task : tasks) meets_ = meets_ || (task.first().phases() > 1 && !team_->all_here());
    Prepared& prepared = prepared_.emplace_back();
    for (const DeviceTask& task : tasks) {
      const ArrayPlace* const place = task.written_by_peers();
      if (place == nullptr || place->room < 0 || team_->ranks() < 2) continue;
      prepared.shared[place->room];
      if (place->room == in_output)
        prepared.last_shared = writes_apart(task) ? static_cast<int>(&task - tasks.data()) : -1;
      if (task.written().divided) prepared.shared[in_workspace];
    }
    prepared.tasks = std::move(tasks);
  }
  try {
    team_->agree([&] {
      for (Prepared& prepared : prepared_)
        if (!prepared.tasks.front().checks.empty())
          prepared.verifier = std::make_unique<DeviceVerifier>(*team_, prepared.tasks);
      if (memories_.empty()) add_members(programs.front().program);
      size_buffers(programs);
      for (const NamedProgram& named : programs) refuse_what_does_not_fit(named.program);
    });
  } catch (...) {
    forget_tasks();
    throw;
  }
  times_.resize(prepared_.size());
  append(std::move(programs));
}

/// Drops the tasks of programs that were compiled and then refused. Collective.
void DeviceExecutor::forget_tasks() {
  const auto refused = prepared_.begin() + static_cast<std::ptrdiff_t>(programs_.size());
  for (auto program = refused; program != prepared_.end(); ++program)
    for (DeviceTask& task : program->tasks)
      for (auto& operation : task.operations) operation->close_peers();
  team_->meet();
  prepared_.erase(refused, prepared_.end());
  size_buffers({});
}

/// A copy of a user's array can hold either end of any program: all programs of a plan share their two end states.
void DeviceExecutor::add_members(const Program& program) {
  for (std::size_t m = 0; m < team_->here().size(); ++m) {
    const device::DeviceScope scope(team_->here()[m].device);
    std::size_t most = std::max(bytes_of(program.states.front(), m), bytes_of(program.states.back(), m));
    if (inside()) most = in_place_bytes(program, team_->here()[m].rank);
    memories_.emplace_back(UserArrays(model_, team_->here()[m], most));
  }
}

void DeviceExecutor::check_streams(std::span<void* const> streams) const {
  for (std::size_t m = 0; m < streams.size(); ++m) {
    if (streams[m] == nullptr) continue;
    const Member& member = team_->here()[m];
    const device::DeviceScope scope(member.device);
    const int device = device::device_of_stream(streams[m]);
    require(device == member.device, "the stream belongs to GPU ", device, ", but rank ", member.rank, " runs on GPU ",
            member.device);
  }
}

void DeviceExecutor::set_streams(std::span<void* const> streams) {
  if (!streams.empty()) team_->agree([&] { check_streams(streams); });
  take_streams(streams);
}

/// Finishes the runs on the streams used so far: the buffers are in order on one stream only.
void DeviceExecutor::take_streams(std::span<void* const> streams) {
  finish_runs();
  streams_.clear();
  asynchronous_ = !streams.empty() && std::find(streams.begin(), streams.end(), nullptr) == streams.end();
  for (std::size_t m = 0; m < own_streams_.size(); ++m)
    streams_.push_back(m < streams.size() && streams[m] != nullptr ? streams[m] : own_streams_[m].get());
}

std::span<void* const> DeviceExecutor::streams_of_plan() const {
  return {&setup_.options.stream, setup_.comm.valid() ? std::size_t{1} : std::size_t{0}};
}

std::size_t DeviceExecutor::bytes_of(const State& state, std::size_t member) const {
  return state_bytes(state, setup_.precision, team_->here()[member].rank);
}

std::size_t DeviceExecutor::input_bytes(int program, std::size_t member) const {
  return bytes_of(program_at(program).states.front(), member);
}

std::size_t DeviceExecutor::output_bytes(int program, std::size_t member) const {
  return bytes_of(program_at(program).states.back(), member);
}

void DeviceExecutor::set_workspace(std::byte* memory, std::size_t bytes) {
  MemberMemory& mine = memories_.front();
  check_workspace(memory, bytes, workspace_bytes(0), workspace_alignment);
  if (workspace_bytes(0) == 0) return;
  const device::PointerInfo info = device::describe(memory);
  require(info.kind == device::MemoryKind::device && info.device == team_->here().front().device,
          "the workspace must be memory of GPU ", team_->here().front().device);
  for (const Prepared& program : prepared_)
    for (const auto& [room, addresses] : program.shared)
      require(room == in_output || device::allocation_of(memory).sharing == team_->sharing(),
              "other GPUs write into this plan's workspace: it must be ",
              team_->sharing() == device::Sharing::ipc
                  ? "a whole allocation of the GPU runtime, not memory of a pool"
                  : "the plan's own, since processes share memory by file descriptors (SHARDFFT_DESCRIPTORS)");
  finish_runs();  // they used the old one
  mine.work_in(memory, bytes);
  if (mine.own_workspace) retired_.push_back(std::move(mine.own_workspace));
}

/// Closes all memory of others that this rank has open, and returns when all ranks have closed this one's memory. The
/// next run of a program shares it again. Collective.
void DeviceExecutor::close_shared() {
  team_->agree([&] { finish_runs(); });
  for (Prepared& program : prepared_)
    for (auto& [room, addresses] : program.shared) addresses = {};
  team_->meet();
}

void DeviceExecutor::allocate_workspace() {
  if (ready_) return;
  bool replaced = false;
  for (std::size_t m = 0; m < memories_.size(); ++m)
    replaced |= memories_[m].workspace_size > 0 && workspace_bytes(m) > memories_[m].workspace_size;
  if (team_->max(std::int64_t{replaced}) != 0) close_shared();
  team_->agree([&] {
    for (std::size_t m = 0; m < memories_.size(); ++m) {
      MemberMemory& mine = memories_[m];
      if (workspace_bytes(m) <= mine.workspace_size) continue;
      const device::DeviceScope scope(team_->here()[m].device);
      mine.workspace_size = 0;
      mine.own_workspace = device::Memory();  // not both at a time
      mine.own_workspace = device::make_memory(workspace_bytes(m), team_->sharing());
      mine.work_in(static_cast<std::byte*>(mine.own_workspace.get()), workspace_bytes(m));
    }
  });
  ready_ = true;
}

std::shared_ptr<void> DeviceExecutor::allocate(int member, std::size_t bytes) {
  const device::DeviceScope scope(team_->here()[static_cast<std::size_t>(member)].device);
  switch (model_) {
    case MemoryModel::host:
      return allocate_aligned(bytes);
    case MemoryModel::registered:
      return {device::allocate_pinned(bytes), device::release_pinned};
    case MemoryModel::managed:
      return {device::allocate_managed(bytes), device::release_managed};
    case MemoryModel::device:
    case MemoryModel::automatic:
      break;
  }
  return {device::allocate(device::in_whole_pages(bytes), team_->sharing()), device::release};
}

void DeviceExecutor::check_arrays(int program, InputArrays in, OutputArrays out) {
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    const device::DeviceScope scope(team_->here()[m].device);
    // A copy of the input would be another array on the device.
    if (!inside() && require_one_array(static_cast<int>(m), in[m], out[m]))
      require(device::describe(out[m]).kind == device::MemoryKind::device &&
                  reinterpret_cast<std::uintptr_t>(out[m]) % device::unit_bytes == 0,
              "plans with workspace = least transform arrays in device memory that begin at multiples of ",
              device::unit_bytes, " bytes, as allocate_input() gives them");
    memories_[m].arrays.check_input(in[m], input_bytes(program, m));
    const std::size_t bytes = output_bytes(program, m);
    memories_[m].arrays.check_output(out[m], bytes, least() || in[m] == out[m] ? bytes : result_bytes(program, m));
  }
}

Account DeviceExecutor::account(int program, Runs which) {
  if (which == Runs::all) finish_runs();
  times_.harvest(trace_);
  const Prepared& mine = now(program);
  Account account{{}, mine.runs, times_.runs(program), times_.seconds(program), mine.replay.launches()};
  for (const DeviceTask& task : mine.tasks) {
    const Activity activity = task.first().activity();
    StepReport& report = account.steps.emplace_back();
    report.text = task.first().describe();
    report.trace_step = task.trace_step;
    report.role = activity == Activity::exchange ? Role::moves : Role::computes;
    report.overlaps = activity == Activity::other;
    if (task.first().pieces() != nullptr) report.pieces = *task.first().pieces();
    if (setup_.options.chunks > 1 && team_->ranks() > 1 && activity == Activity::exchange)
      report.text += " (not cut in chunks)";
    if (report.role == Role::moves || report.overlaps) report.text += setup_.numbers.text();
    for (const auto& operation : task.operations) {
      report.bytes_sent = std::max(report.bytes_sent, operation->bytes_sent());
      report.loss += operation->loss();
    }
  }
  if (mine.verifier) account.verified = mine.verifier->verified();
  return account;
}

MemberPlace DeviceExecutor::member(int member) const {
  const auto m = static_cast<std::size_t>(member);
  return {team_->here()[m].rank, team_->here()[m].device, streams_[m]};
}

}  // namespace shardfft::gpu
