// nccl_alltoall: NCCL's collective over blocks padded to the largest one.
#include <algorithm>
#include <utility>

#include "gpu/move/nccl_exchange.hpp"

/// Null if the NCCL found at run time is older than 2.28, which introduced it.
extern "C" __attribute__((weak)) ncclResult_t ncclAlltoAll(const void* out, void* in, size_t count, ncclDataType_t type,
                                                           ncclComm_t comm, cudaStream_t stream);

namespace shardfft::gpu {

namespace {

/// Scratch holds one block to send to every rank, then one block from every rank.
class NcclAlltoall : public NcclOperation {
 public:
  NcclAlltoall(const DeviceReshapeSetup& setup, int member, std::shared_ptr<NcclTeam> nccl)
      : NcclOperation(setup, member, Staging::always, std::move(nccl)),
        ranks_(static_cast<std::size_t>(setup.team->ranks())) {}

  std::size_t largest_block() const { return std::max(send_.largest_bytes(), recv_.largest_bytes()); }
  /// The block's size in bytes, the same on all ranks.
  void set_block(std::size_t bytes) { block_ = bytes; }

  std::size_t trial_bytes() const override { return 2 * ranks_; }
  std::string describe() const override {
    return "nccl_alltoall, " + std::to_string(send_.size()) + " messages in blocks of " + std::to_string(block_) +
           " bytes";
  }

 private:
  static void all_to_all(const std::byte* out, std::byte* in, std::size_t block, ncclComm_t comm, cudaStream_t stream) {
    check_nccl(ncclAlltoAll(out, in, block, ncclChar, comm, stream), "ncclAlltoAll");
  }
  std::size_t blocks_bytes() const override { return 2 * ranks_ * block_; }
  std::byte* out(int peer, const DeviceBuffers& b) const { return b.scratch + block_ * static_cast<std::size_t>(peer); }
  std::byte* in(int peer, const DeviceBuffers& b) const { return out(peer, b) + block_ * ranks_; }

  void pack_all(const DeviceBuffers& b, device::StreamHandle stream) const override {
    for (int i = 0; i < send_.size(); ++i) pack_into(i, b, out(send_[i].peer, b), stream);
  }
  void post(const DeviceBuffers& b, ncclComm_t comm, cudaStream_t stream) const override {
    if (block_ > 0) all_to_all(out(0, b), in(0, b), block_, comm, stream);
  }
  void post_trial(std::byte* bytes, ncclComm_t comm, cudaStream_t stream) const override {
    all_to_all(bytes, bytes + ranks_, 1, comm, stream);
  }
  void unpack_all(const DeviceBuffers& b, device::StreamHandle stream) const override {
    for (int i = 0; i < recv_.size(); ++i) unpack_from(i, b, in(recv_[i].peer, b), stream);
  }

  std::size_t ranks_;
  std::size_t block_ = 0;
};

}  // namespace

std::string nccl_alltoall_refusal(const Team& team) {
  std::string refusal = nccl_refusal(team);
  if (refusal.empty() && team.min(std::int64_t{ncclAlltoAll != nullptr}) == 0)
    refusal = "this NCCL has no ncclAlltoAll, which came with 2.28";
  return refusal;
}

MemberOperations make_nccl_alltoall_exchange(const DeviceReshapeSetup& setup) {
  MemberOperations operations;
  const auto made = make_nccl_operations<NcclAlltoall>(setup, operations);
  std::size_t block = 0;
  for (const NcclAlltoall* operation : made) block = std::max(block, operation->largest_block());
  block = static_cast<std::size_t>(setup.team->max(static_cast<std::int64_t>(block)));
  for (NcclAlltoall* operation : made) operation->set_block(block);
  return operations;
}

}  // namespace shardfft::gpu
