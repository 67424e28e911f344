#pragma once
// Runs programs on GPUs: the members of a team that are in this process, each on a stream of its own.
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/run/arrays.hpp"
#include "gpu/run/compile.hpp"
#include "gpu/run/device_verifier.hpp"
#include "gpu/run/replay.hpp"
#include "gpu/run/step_times.hpp"
#include "gpu/team.hpp"
#include "run/runner.hpp"

namespace shardfft::gpu {

/// Enqueues work on one stream a member. A call waits for its work if a member has no stream of the caller's, if an
/// array is in plain host memory, with the option verify, and inside exchanges that send messages. Otherwise it returns
/// at once.
class DeviceExecutor : public Runner {
 public:
  /// Collective.
  DeviceExecutor(ExecutorSetup setup, std::shared_ptr<Team> team);
  ~DeviceExecutor() override;

  Program lower(const Program& program) override;
  void add(std::vector<NamedProgram> programs) override;
  /// Times whole runs on arrays of zeros (executor_trial.cpp).
  std::unique_ptr<Runner> fastest(const Alternatives& others) override;
  MemberPlace member(int member) const override;
  void set_streams(std::span<void* const> streams) override;
  void check_arrays(int program, InputArrays in, OutputArrays out) override;
  void run(int program, InputArrays in, OutputArrays out) override;
  void others_gave_up() override { give_up(); }
  RunnerMemory memory() const override;
  void set_workspace(std::byte* memory, std::size_t bytes) override;
  std::shared_ptr<void> allocate(int member, std::size_t bytes) override;
  Account account(int program, Runs which) override;

 private:
  /// One member's memory, and its use in the current call.
  struct MemberMemory {
    explicit MemberMemory(UserArrays of_member) : arrays(std::move(of_member)) {}
    UserArrays arrays;
    device::Memory own_workspace;
    std::byte* workspace = nullptr;
    std::size_t workspace_size = 0;
    std::uint64_t workspace_id = 0;  ///< device::Allocation::id
    void work_in(std::byte* memory, std::size_t bytes) {
      workspace = memory;
      workspace_size = bytes;
      workspace_id = memory != nullptr ? device::allocation_of(memory).id : 0;
    }
    const std::byte* in = nullptr;  ///< as the device sees the arrays
    std::byte* out = nullptr;
    std::byte* result = nullptr;   ///< the same as `out`, or the user's array (Prepared::last_shared)
    std::size_t inside_bytes = 0;  ///< bytes of the array for whole runs, if the result's is too small
  };
  /// The addresses of one room on all ranks, and the allocations of this process's own ones.
  struct Shared {
    SharedAddresses addresses;
    std::vector<std::pair<void*, std::uint64_t>> mine;
  };
  /// A program's tasks, and the data that its runs keep.
  struct Prepared {
    std::vector<DeviceTask> tasks;
    std::map<int, Shared> shared;  ///< rooms (ArrayRooms) that other members write into
    /// The last task in which others write into the output. If they write into a copy, it and those behind it write the
    /// user's array. -1: they do not, or it cannot.
    int last_shared = -1;
    /// Whether tasks write into the input.
    bool uses_input() const {
      return std::any_of(tasks.begin(), tasks.end(), [](const DeviceTask& task) {
        return task.places.to.room == in_input || task.places.middle.room == in_input ||
               task.written().room == in_input;
      });
    }
    Replay replay;
    std::unique_ptr<DeviceVerifier> verifier;  ///< with the option verify
    /// By member: bytes of the result's array while the program runs; more if other arrays there are larger.
    std::vector<std::size_t> result_bytes{};
    std::int64_t runs = 0;
    std::vector<std::shared_ptr<const void>> reads{};  ///< DeviceOperation::reads() of the last run, kept alive
  };

  class Trial;

  Prepared& now(int program) { return prepared_[static_cast<std::size_t>(program)]; }
  const Prepared& now(int program) const { return prepared_[static_cast<std::size_t>(program)]; }
  void add_members(const Program& program);
  bool writes_apart(const DeviceTask& task) const;
  void forget_tasks();
  void refuse_what_does_not_fit(const Program& program) const;
  /// Memory of all operations of a member, and of the option verify.
  RunnerMemory kept(std::size_t member) const;

  void finish_runs();
  bool end_runs() noexcept;
  void keep_for_others();
  void check_streams(std::span<void* const> streams) const;
  void take_streams(std::span<void* const> streams);
  /// Those of the options; none: its own.
  std::span<void* const> streams_of_plan() const;
  /// Counts the programs that are here, and `more`.
  void size_buffers(const std::vector<NamedProgram>& more);
  std::size_t workspace_bytes(std::size_t member) const;
  void allocate_workspace();
  void close_shared();
  std::size_t bytes_of(const State& state, std::size_t member) const;
  std::size_t input_bytes(int program, std::size_t member) const;
  std::size_t output_bytes(int program, std::size_t member) const;
  std::size_t result_bytes(int program, std::size_t member) const { return now(program).result_bytes[member]; }

  void place_arrays(int program, InputArrays in, OutputArrays out);
  static bool copies_input(const DeviceTask& first, std::size_t member);
  bool any_copies_input(std::size_t member) const;
  void place_inside(int program, std::size_t m, const std::byte* in, std::byte* out);
  bool in_place() const;
  /// Whether everything runs in one array because nothing else fits (Spare::one_array): in the result's, or in one of
  /// the workspace if the result's is too small.
  bool inside() const { return setup_.way.room == Spare::one_array; }
  bool result_has_room(const Program& program, std::size_t member) const;
  using InCall = std::unique_lock<std::mutex>;  ///< of imports_
  Meeting::Words least_or_give_up(const Meeting::Words& words);
  bool place_and_meet(int program, InputArrays in, OutputArrays out, InCall& in_call);
  bool changed(int program) const;
  std::vector<std::pair<void*, std::uint64_t>> addresses(int program, int room) const;
  void share(int program, InCall& in_call);
  std::vector<std::byte*> on_all_ranks(int program, const ArrayPlace& place, std::size_t member) const;
  void add_peers(int program, const DeviceTask& task, std::size_t member, DeviceBuffers& buffers,
                 std::array<std::vector<std::byte*>, 2>& lists) const;

  std::byte* at(const ArrayPlace& place, std::size_t member) const;
  std::byte* at(const DeviceTask::Place& place, std::size_t member) const;
  /// Without the addresses of other members.
  DeviceBuffers buffers_of(int program, const DeviceTask& task, std::size_t member) const;
  void around_phase(int program, const DeviceTask& task, std::size_t member, int phase, const DeviceBuffers& buffers,
                    device::StreamHandle stream, bool after);
  /// `early`: phase 0 of tasks that can be announced before others ask, because no task before them uses the arrays
  /// that they open for writes. Others do not know whether input and output are one array, so they are told.
  enum class Phases { all, early, rest };
  void enqueue_tasks(int program, const std::vector<device::StreamHandle>& streams, bool timed, Phases which);
  std::vector<std::shared_ptr<const void>> reads(int program) const;
  bool is_captured(int program) const;
  bool replays(int program);
  void capture(int program);
  void give_up() noexcept;
  void deliver(int program, OutputArrays out, bool captured);
  void await(std::size_t member);
  void await_end(std::size_t member);
  void settle(std::size_t member, device::StreamHandle stream) const;
  void settle_own(std::size_t member) const;
  bool any_copies() const;

  std::shared_ptr<Team> team_;  ///< one for all candidates of a trial
  DeviceTarget target_;
  MemoryModel model_;
  std::vector<device::Stream> own_streams_;
  std::vector<device::StreamHandle> streams_;  ///< the callers', or the own ones
  bool asynchronous_ = false;
  std::vector<device::Event> finished_;  ///< the last asynchronous run
  std::shared_ptr<ImportUser> imports_;
  std::vector<Prepared> prepared_;  ///< by program
  bool meets_ = false;              ///< processes meet before they enqueue, because they write into each other's memory
  std::vector<MemberMemory> memories_;
  std::size_t between_bytes_ = 0;        ///< bytes of a workspace for arrays between steps, on every rank
  std::vector<device::Memory> retired_;  ///< workspaces that a caller's replaced; others may have them open
  StepTimes times_;
  bool settled_ = false;  ///< if a run failed half-way: its work, and that of earlier ones, has ended
};

}  // namespace shardfft::gpu
