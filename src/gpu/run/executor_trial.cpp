// Other ways to run the programs of a GPU plan, and the memory of their trial.
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "gpu/move/exchange.hpp"
#include "gpu/run/executor.hpp"
#include "run/candidates.hpp"
#include "run/tolerance.hpp"

namespace shardfft::gpu {

namespace {

/// Seconds that NCCL's ranks take to connect, about.
constexpr double nccl_seconds = 1;

}  // namespace

class DeviceExecutor::Trial : public Candidates {
 public:
  /// Tries numbers of chunks: the most that rules choose, halved down to an exchange in one piece.
  Trial(DeviceExecutor& first, const Alternatives& others)
      : Candidates(first, others, {8, 4, 2, 1}), own_(first), workspaces_(first.memories_.size()) {
    warm_ups_ = 2;  // kernels are loaded, and repeated runs become graphs
  }

 private:
  std::unique_ptr<Runner> make(ExecutorSetup made, const Program& program) override {
    if (made.way.exchange.starts_with("nccl") && made.way.exchange != setup().way.exchange &&
        !agreed(*made.plan_until - clock_seconds() > nccl_seconds))
      return nullptr;
    heed_tolerance(made, program, why_exact(made.way.exchange, *own_.team_));
    return std::make_unique<DeviceExecutor>(std::move(made), own_.team_);
  }

  /// In the kind of memory that holds the users' arrays.
  std::shared_ptr<void> zeros(int member, std::size_t bytes) override {
    const Member& owner = own_.team_->here()[static_cast<std::size_t>(member)];
    const device::DeviceScope scope(owner.device);
    std::shared_ptr<void> memory = own_.allocate(member, bytes);
    if (setup().options.memory == MemoryModel::host) {
      std::memset(memory.get(), 0, bytes);
    } else {
      const device::StreamHandle stream = own_.own_streams_[static_cast<std::size_t>(member)].get();
      device::fill_zero(memory.get(), bytes, stream);
      device::synchronize(stream);
    }
    return memory;
  }

  bool lend(Runner& runner) override {
    auto& executor = static_cast<DeviceExecutor&>(runner);
    const bool room = succeeds_on_all([&] {
      for (std::size_t m = 0; m < workspaces_.size(); ++m) {
        const device::DeviceScope scope(own_.team_->here()[m].device);
        const std::size_t bytes = executor.workspace_bytes(m);
        if (bytes <= workspaces_[m].second) continue;
        workspaces_[m] = {};  // not both at a time
        workspaces_[m] = {device::make_memory(bytes, own_.team_->sharing()), bytes};
      }
    });
    if (!room) return false;
    for (std::size_t m = 0; m < workspaces_.size(); ++m)
      executor.memories_[m].work_in(static_cast<std::byte*>(workspaces_[m].first.get()), workspaces_[m].second);
    executor.asynchronous_ = false;
    executor.ready_ = true;
    return true;
  }

  void forget_runs(Runner& runner) override {
    auto& executor = static_cast<DeviceExecutor&>(runner);
    executor.close_shared();
    for (Prepared& program : executor.prepared_) {
      program.replay = {};
      program.runs = 0;
      if (program.verifier) program.verifier->forget_runs();
    }
    for (MemberMemory& memory : executor.memories_) {
      memory.work_in(nullptr, 0);
      memory.arrays.take_stages();
    }
    executor.times_ = StepTimes(*own_.team_);
    executor.times_.resize(executor.prepared_.size());
    executor.take_streams(executor.streams_of_plan());
  }

  bool gains_by_chunks(const std::string& exchange) override { return cuts_in_slices(exchange); }

  DeviceExecutor& own_;
  std::vector<std::pair<device::Memory, std::size_t>> workspaces_;  ///< with their bytes, by member
};

std::unique_ptr<Runner> DeviceExecutor::fastest(const Alternatives& others) {
  return Candidates::fastest(std::make_shared<Trial>(*this, others));
}

}  // namespace shardfft::gpu
