#pragma once
// Runs programs on GPUs: the members of a team that this process has, each on a stream of its own.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "exec/runner.hpp"
#include "gpu/arrays.hpp"
#include "gpu/compile.hpp"
#include "gpu/replay.hpp"
#include "gpu/step_times.hpp"
#include "gpu/team.hpp"

namespace shardfft::gpu {

/// Work is enqueued on one stream a member. A call waits for it when a member has no stream of the caller's, when an
/// array lies in plain host memory, and inside exchanges that send messages; else it returns at once.
class DeviceExecutor : public Runner {
 public:
  /// Collective.
  DeviceExecutor(ExecutorSetup setup, std::unique_ptr<Team> team);
  ~DeviceExecutor() override;

  void set_streams(std::span<void* const> streams) override;
  int device(int member) const override { return team_->here()[static_cast<std::size_t>(member)].device; }
  void* stream(int member) const override { return streams_[static_cast<std::size_t>(member)]; }
  void check_arrays(Direction direction, InputArrays in, OutputArrays out) override;
  void run(Direction direction, InputArrays in, OutputArrays out) override;
  std::size_t workspace_bytes() const override;
  void set_workspace(std::byte* memory, std::size_t bytes) override;
  std::shared_ptr<void> allocate(int member, std::size_t bytes) override;
  const Program& program() const override { return programs_.front(); }
  std::vector<StepReport> steps(Direction direction) const override;
  void harvest() override { times_.harvest(trace_); }
  const Trace& trace() const override { return trace_; }
  std::int64_t runs(Direction direction) const override { return runs_[static_cast<std::size_t>(direction)]; }
  std::int64_t timed_runs(Direction direction) const override { return times_.runs(direction); }
  double seconds(Direction direction) const override { return times_.seconds(direction); }
  RunnerFacts facts() const override;

 private:
  /// One member's memory and what this call does with it.
  struct Place {
    explicit Place(UserArrays of_member) : arrays(std::move(of_member)) {}
    UserArrays arrays;
    std::array<std::size_t, 2> work_bytes{};
    std::size_t scratch_bytes = 0;
    device::Memory own_workspace;
    std::byte* workspace = nullptr;  ///< work0, work1, scratch
    const std::byte* in = nullptr;   ///< as the device sees the arrays
    std::byte* out = nullptr;
    std::size_t workspace_bytes() const { return work_bytes[0] + work_bytes[1] + scratch_bytes; }
  };
  /// Addresses of one buffer on all ranks, and of which allocations.
  struct Shared {
    SharedAddresses addresses{SharedAddresses::Use::checked};
    std::vector<std::pair<void*, std::uint64_t>> mine;
  };

  void finish_runs();
  void check_streams(std::span<void* const> streams) const;
  void size_buffers();
  void refuse_what_does_not_fit() const;
  void allocate_workspace();
  std::size_t bytes_of(const State& state, std::size_t member) const;
  std::size_t input_bytes(Direction direction, std::size_t member) const;
  std::size_t output_bytes(Direction direction, std::size_t member) const;
  bool written_by_peers(Direction direction, Slot slot) const;

  void place_arrays(Direction direction, InputArrays in, OutputArrays out);
  bool in_place() const;
  void announce(Direction direction);
  bool place_and_meet(Direction direction, InputArrays in, OutputArrays out);
  bool changed(Direction direction) const;
  std::vector<std::pair<void*, std::uint64_t>> addresses(Direction direction, Slot slot) const;
  void share(Direction direction);
  void share(Direction direction, Slot slot);

  std::byte* slot(Slot slot, std::size_t member) const;
  void enqueue_phase(Direction direction, const DeviceTask& task, int phase,
                     const std::vector<device::StreamHandle>& streams);
  void enqueue_tasks(Direction direction, const std::vector<device::StreamHandle>& streams, bool timed, bool announced);
  void run_tasks(Direction direction, bool announced);
  void give_up() noexcept;
  void refuse_if_broken() const;
  bool any_copies() const;

  ExecutorSetup setup_;
  std::unique_ptr<Team> team_;
  MemoryModel model_;
  std::vector<device::Stream> own_streams_;
  std::vector<device::StreamHandle> streams_;  ///< the callers', or the own ones
  bool asynchronous_ = false;
  std::vector<device::Event> finished_;  ///< the last asynchronous run
  std::vector<Program> programs_;        ///< as the algorithm made it and lowering left it, and its reverse
  std::vector<std::vector<DeviceTask>> tasks_;
  bool meets_ = false;  ///< processes meet before they enqueue, because they write into each other's memory
  std::vector<Place> places_;
  bool allocated_ = false;
  std::array<std::array<Shared, 4>, 2> shared_;  ///< by direction and slot
  Trace trace_;
  StepTimes times_;
  std::array<Replay, 2> replays_;
  bool broken_ = false;  ///< a call failed half-way
  std::array<std::int64_t, 2> runs_{};
};

}  // namespace shardfft::gpu
