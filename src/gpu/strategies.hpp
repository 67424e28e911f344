#pragma once
// The factories behind make_device_reshape(), and what their operations share.
#include "exchange/blocks.hpp"
#include "gpu/exchange.hpp"

namespace shardfft::gpu {

enum class PeerWay { chosen, copies, stores };

/// Each is collective and is called on teams for which its refusal is empty.
MemberOperations make_peer_exchange(const DeviceReshapeSetup& setup, PeerWay way);
MemberOperations make_mpi_device_exchange(const DeviceReshapeSetup& setup);
MemberOperations make_host_staged_exchange(const DeviceReshapeSetup& setup);
MemberOperations make_nccl_exchange(const DeviceReshapeSetup& setup);
/// Why NCCL cannot serve this team; empty when it can. Collective.
std::string nccl_refusal(const Team& team);

/// What a message exchange of one member runs on: its messages, packed in device memory where they must be, and the
/// part that stays.
struct MessageSide {
  MessageSide(const DeviceReshapeSetup& setup, int member);

  /// Sent blocks lie first in scratch, received ones behind them.
  std::size_t scratch_bytes() const { return send.bytes() + recv.bytes(); }
  std::byte* incoming_work(const DeviceBuffers& buffers) const { return buffers.scratch + send.bytes(); }
  const std::byte* outgoing(int i, const DeviceBuffers& b) const { return send.outgoing(i, b.in, b.scratch); }
  std::byte* incoming(int i, const DeviceBuffers& b) const { return recv.incoming(i, b.out, incoming_work(b)); }
  void pack(int i, const DeviceBuffers& buffers, device::StreamHandle stream) const;
  void unpack(int i, const DeviceBuffers& buffers, device::StreamHandle stream) const;
  void copy_self(const DeviceBuffers& buffers, device::StreamHandle stream) const;
  std::size_t bytes_of(const Message& message) const {
    return static_cast<std::size_t>(message.count) * setup.element_bytes;
  }
  std::int64_t bytes_sent() const;

  ExchangeSetup setup;
  Blocks send, recv;
  std::vector<int> send_order, recv_order;  ///< beginning with the next higher rank
};

/// Copies of what stays on its rank.
void copy_self(const std::vector<LocalCopy>& copies, const DeviceBuffers& buffers, std::size_t element_bytes,
               device::StreamHandle stream);

}  // namespace shardfft::gpu
