#pragma once
// The factories behind make_device_reshape(), and the base of their operations.
#include "device/handles.hpp"
#include "exchange/blocks.hpp"
#include "gpu/move/exchange.hpp"

namespace shardfft::gpu {

enum class PeerWay { chosen, copies, stores };

/// An exchange of CPUs, between packed messages in device memory or in pinned host memory.
struct MpiWay {
  std::string name;      ///< the exchange between GPUs
  std::string exchange;  ///< the exchange of CPUs
  bool through_host = false;
};

/// Each is collective, and is called only on teams for which its refusal is empty.
std::vector<MemberOperations> make_peer_exchange(const DeviceReshapeSetup& setup,
                                                 const std::vector<Pieces::Message>& messages, PeerWay way);
MemberOperations make_mpi_exchange(const DeviceReshapeSetup& setup, const MpiWay& way);
MemberOperations make_host_staged_exchange(const DeviceReshapeSetup& setup);
/// For teams with all members in one process.
MemberOperations make_host_staged_here_exchange(const DeviceReshapeSetup& setup);
MemberOperations make_nccl_exchange(const DeviceReshapeSetup& setup);
MemberOperations make_nccl_alltoall_exchange(const DeviceReshapeSetup& setup);
/// `far` makes the operations for messages to members out of reach.
MemberOperations make_mixed_exchange(const DeviceReshapeSetup& setup,
                                     const std::function<MemberOperations(const DeviceReshapeSetup&)>& far);
/// Why NCCL cannot serve this team; empty if it can. Collective.
std::string nccl_refusal(const Team& team);
std::string nccl_alltoall_refusal(const Team& team);

/// The data that a member sends, receives and keeps, as far as it belongs to the setup's part.
Schedule schedule_of(const DeviceReshapeSetup& setup, int member, const Pieces::Message& message = {});

/// One member's messages, packed in device memory if necessary, and the data that stays on its rank. Derived classes
/// send the messages.
class MessageExchange : public DeviceOperation {
 public:
  /// The blocks, then room for one message before its numbers are shortened, or after they are restored.
  std::size_t scratch_bytes() const final { return blocks_bytes() + whole_bytes_; }
  RunnerMemory kept() const final { return {.table = loss_ ? sizeof(Loss) : 0, .pinned = pinned_bytes_}; }
  Loss loss() const override { return loss_ ? *static_cast<const Loss*>(loss_.get()) : Loss{}; }
  Activity activity() const override { return Activity::exchange; }
  std::int64_t bytes_sent() const override;

 protected:
  MessageExchange(const DeviceReshapeSetup& setup, int member, Staging staging = Staging::only_strided);

  /// Sent blocks come first in scratch, received ones behind them.
  virtual std::size_t blocks_bytes() const { return send_.bytes() + recv_.bytes(); }
  std::byte* incoming_work(const DeviceBuffers& buffers) const { return buffers.scratch + send_.bytes(); }
  const std::byte* outgoing(int i, const DeviceBuffers& b) const { return send_.outgoing(i, b.in, b.scratch); }
  std::byte* incoming(int i, const DeviceBuffers& b) const { return recv_.incoming(i, b.out, incoming_work(b)); }
  void pack(int i, const DeviceBuffers& buffers, device::StreamHandle stream) const;
  void unpack(int i, const DeviceBuffers& buffers, device::StreamHandle stream) const;
  /// The same, with the message at the beginning of `block`.
  void pack_into(int i, const DeviceBuffers& buffers, std::byte* block, device::StreamHandle stream) const;
  void unpack_from(int i, const DeviceBuffers& buffers, const std::byte* block, device::StreamHandle stream) const;
  void copy_stays(const DeviceBuffers& buffers, device::StreamHandle stream) const;
  /// Allocates this many pinned bytes for host(). With the member's device current.
  void pin(std::size_t bytes) {
    pinned_bytes_ = bytes;
    if (bytes > 0) pinned_ = device::make_pinned_memory(bytes);
  }
  std::byte* host() const { return static_cast<std::byte*>(pinned_.get()); }
  std::size_t bytes_of(const Message& message) const {
    return static_cast<std::size_t>(message.count) * setup_.element_bytes;
  }

  ExchangeSetup elements_;  ///< messages as the arrays hold them
  ExchangeSetup setup_;     ///< messages as they travel: the same, or runs of short numbers
  Blocks send_, recv_;
  std::vector<int> send_order_, recv_order_;  ///< begin with the next higher rank

 private:
  std::byte* whole(const DeviceBuffers& b) const { return b.scratch + blocks_bytes(); }

  std::size_t whole_bytes_ = 0;  ///< of the largest message that is not one run of the array
  device::Owned<device::release_managed> loss_;
  std::size_t pinned_bytes_ = 0;
  device::PinnedMemory pinned_;
};

/// Copies the data that stays on its rank.
void copy_self(const std::vector<LocalCopy>& copies, const DeviceBuffers& buffers, std::size_t element_bytes,
               device::StreamHandle stream);

}  // namespace shardfft::gpu
