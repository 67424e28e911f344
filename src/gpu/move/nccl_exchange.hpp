#pragma once
// Shared by the exchanges of NCCL: its communicators, and phases in which all members of a process post together.
#include <cuda_runtime.h>
#include <nccl.h>

#include <memory>
#include <utility>
#include <vector>

#include "gpu/move/strategies.hpp"

namespace shardfft::gpu {

void check_nccl(ncclResult_t status, const char* what);

/// One communicator of NCCL for each member here.
class NcclTeam {
 public:
  explicit NcclTeam(const Team& team);
  ~NcclTeam();
  NcclTeam(const NcclTeam&) = delete;
  NcclTeam& operator=(const NcclTeam&) = delete;
  /// The communicators that all operations of the team share. The first call makes them. Collective.
  static std::shared_ptr<NcclTeam> of(const Team& team);

  ncclComm_t comm(int member) const;
  /// Throws if a failed rank or link broke work under way.
  void check_work(int member) const;
  /// Work posted in between starts together. A group belongs to the thread that opens it.
  void open_group();
  void close_group();
  /// Ends device work that waits for other ranks.
  void abort();

 private:
  void init(const Team& team);

  std::vector<ncclComm_t> comms_;
  bool group_is_open_ = false;
};

/// Phases: pack; post, all members in one group that the first member here opens and the last one closes; unpack.
class NcclOperation : public MessageExchange {
 public:
  int phases() const override { return alone_ ? 1 : 3; }
  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override;
  /// Bytes for a trial, in which each message has one byte; try_out() sends these.
  virtual std::size_t trial_bytes() const = 0;
  void try_out(std::byte* bytes, cudaStream_t stream) {
    post_together([&](ncclComm_t comm) { post_trial(bytes, comm, stream); });
  }
  void check() override { nccl_->check_work(member_); }
  void break_off() override { nccl_->abort(); }

 protected:
  NcclOperation(const DeviceReshapeSetup& setup, int member, Staging staging, std::shared_ptr<NcclTeam> nccl);
  virtual void pack_all(const DeviceBuffers& buffers, device::StreamHandle stream) const = 0;
  virtual void post(const DeviceBuffers& buffers, ncclComm_t comm, cudaStream_t stream) const = 0;
  virtual void unpack_all(const DeviceBuffers& buffers, device::StreamHandle stream) const = 0;
  virtual void post_trial(std::byte* bytes, ncclComm_t comm, cudaStream_t stream) const = 0;

 private:
  template <class Post>
  void post_together(const Post& post) {
    if (member_ == 0) nccl_->open_group();
    post(nccl_->comm(member_));
    if (last_) nccl_->close_group();
  }

  std::shared_ptr<NcclTeam> nccl_;
  int member_;
  bool last_, alone_;
};

/// NCCL connects two ranks at their first message, and waits for both on the host. No news of a failed rank would reach
/// the host there, so ranks are connected while planning. `members`: the operations of one reshape.
/// Collective.
void connect(const Team& team, const std::vector<NcclOperation*>& members);

/// Operations of one class for all members here, connected. Collective.
template <class Operation>
std::vector<Operation*> make_nccl_operations(const DeviceReshapeSetup& setup, MemberOperations& operations) {
  const std::shared_ptr<NcclTeam> nccl = NcclTeam::of(*setup.team);
  std::vector<Operation*> made;
  setup.team->agree([&] {
    for (int m = 0; m < static_cast<int>(setup.team->here().size()); ++m) {
      auto operation = std::make_unique<Operation>(setup, m, nccl);
      made.push_back(operation.get());
      operations.push_back(std::move(operation));
    }
  });
  connect(*setup.team, {made.begin(), made.end()});
  return made;
}

}  // namespace shardfft::gpu
