#pragma once
// What planning asks about a device, as data: of a device of this machine, or given for one that is not here.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "device/chips.hpp"

namespace shardfft::device {

/// Kernels read and write up to so many bytes in one piece, which begins at a multiple of them.
inline constexpr std::int64_t unit_bytes = 16;
/// Memory moves so many bytes at once, from a multiple of them on.
inline constexpr std::int64_t run_bytes = 128;
/// What memory reads and writes whole: a store to a part of it reads the rest before.
inline constexpr std::int64_t sector_bytes = 32;

/// How a device reaches the memory of the nearest other one of its host.
enum class PeerLink { none, bus, direct };

struct DeviceFacts {
  std::string name;
  int multiprocessors = 1;
  std::size_t shared_bytes_a_block = 0;  ///< that a kernel may ask for
  std::size_t shared_bytes = 0;          ///< of a multiprocessor
  int registers = 65536;                 ///< of a multiprocessor, 32 bits each
  int threads = 2048;                    ///< of a multiprocessor
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  /// Whether boxes of a tensor can be copied into shared memory by one thread: line and plane passes need it.
  bool bulk_copies = false;
  PeerLink peer_link = PeerLink::none;
};

/// The facts of a device of this machine; asked for once, while planning.
const DeviceFacts& facts(int device);
const DeviceFacts& current_facts();

/// The devices that this machine seems to have, without their driver.
std::optional<Chips> likely_chips();

/// Whether SHARDFFT_BULK_COPIES in the environment is not 0.
bool bulk_copies_wanted();

/// For plans that are made without one: an H200 among others on a switch.
DeviceFacts h200_facts();

}  // namespace shardfft::device
