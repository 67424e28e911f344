// nccl: grouped sends and receives between packed buffers, enqueued on the stream. Built if NCCL was found.
#include <utility>

#include "gpu/move/nccl_exchange.hpp"

namespace shardfft::gpu {

namespace {

class NcclExchange : public NcclOperation {
 public:
  NcclExchange(const DeviceReshapeSetup& setup, int member, std::shared_ptr<NcclTeam> nccl)
      : NcclOperation(setup, member, Staging::only_strided, std::move(nccl)) {}
  std::size_t trial_bytes() const override { return static_cast<std::size_t>(send_.size() + recv_.size()); }
  std::string describe() const override { return "nccl, " + std::to_string(send_.size()) + " grouped messages"; }

 private:
  void pack_all(const DeviceBuffers& buffers, device::StreamHandle stream) const override {
    for (int i = 0; i < send_.size(); ++i) pack(i, buffers, stream);
  }
  void post(const DeviceBuffers& buffers, ncclComm_t comm, cudaStream_t stream) const override {
    for (int i = 0; i < send_.size(); ++i) send(i, outgoing(i, buffers), bytes_of(send_[i]), comm, stream);
    for (int i = 0; i < recv_.size(); ++i) receive(i, incoming(i, buffers), bytes_of(recv_[i]), comm, stream);
  }
  void post_trial(std::byte* bytes, ncclComm_t comm, cudaStream_t stream) const override {
    for (int i = 0; i < send_.size(); ++i) send(i, bytes++, 1, comm, stream);
    for (int i = 0; i < recv_.size(); ++i) receive(i, bytes++, 1, comm, stream);
  }
  void unpack_all(const DeviceBuffers& buffers, device::StreamHandle stream) const override {
    for (int i = 0; i < recv_.size(); ++i) unpack(i, buffers, stream);
  }
  void send(int i, const std::byte* from, std::size_t bytes, ncclComm_t comm, cudaStream_t stream) const {
    check_nccl(ncclSend(from, bytes, ncclChar, send_[i].peer, comm, stream), "ncclSend");
  }
  void receive(int i, std::byte* to, std::size_t bytes, ncclComm_t comm, cudaStream_t stream) const {
    check_nccl(ncclRecv(to, bytes, ncclChar, recv_[i].peer, comm, stream), "ncclRecv");
  }
};

}  // namespace

MemberOperations make_nccl_exchange(const DeviceReshapeSetup& setup) {
  MemberOperations operations;
  make_nccl_operations<NcclExchange>(setup, operations);
  return operations;
}

}  // namespace shardfft::gpu
