#pragma once
// What the exchanges by NCCL share: its communicators, and phases in which all members of a process post together.
#include <cuda_runtime.h>
#include <nccl.h>

#include <memory>
#include <utility>
#include <vector>

#include "gpu/move/strategies.hpp"

namespace shardfft::gpu {

void check_nccl(ncclResult_t status, const char* what);

/// One of NCCL's communicators for each member here.
class NcclTeam {
 public:
  explicit NcclTeam(const Team& team);
  ~NcclTeam();
  NcclTeam(const NcclTeam&) = delete;
  NcclTeam& operator=(const NcclTeam&) = delete;
  /// The one that all operations of the team share. The first call makes it. Collective.
  static std::shared_ptr<NcclTeam> of(const Team& team);

  ncclComm_t comm(int member) const;
  /// What a rank or a link that failed did to work under way.
  void check_work(int member) const;
  /// What is posted in between starts together. A group belongs to the thread that opens it.
  void open_group();
  void close_group();
  /// Ends what waits for other ranks on the devices.
  void abort();

 private:
  void init(const Team& team);

  std::vector<ncclComm_t> comms_;
  bool group_is_open_ = false;
};

/// Phases: pack; what all members post in one group, opened by the first member here and closed by the last; unpack.
class NcclOperation : public MessageExchange {
 public:
  int phases() const override { return alone_ ? 1 : 3; }
  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override;
  /// What one message of a byte in the place of each needs, and these messages.
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

/// NCCL connects two ranks when they first send each other something, and waits for both on the host, where no news of
/// a rank that failed reaches it. So they are connected while planning. `members`: one reshape's operations.
/// Collective.
void connect(const Team& team, const std::vector<NcclOperation*>& members);

/// Operations of that class for all members here, connected. Collective.
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
