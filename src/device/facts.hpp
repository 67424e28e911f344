#pragma once
// The properties of a device that planning uses, as data: of a device of this machine, or of one that is not here.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "device/chips.hpp"

namespace shardfft::device {

/// The largest piece that a kernel reads or writes at once; it begins at a multiple of its size.
inline constexpr std::int64_t unit_bytes = 16;
/// The size of one transfer of device memory, which begins at a multiple of it.
inline constexpr std::int64_t run_bytes = 128;
/// The smallest unit of a memory access: a store to a part of a sector reads the rest first.
inline constexpr std::int64_t sector_bytes = 32;

/// How a device reaches the memory of the nearest other one of its host.
enum class PeerLink { none, bus, direct };

struct DeviceFacts {
  std::string name;
  int multiprocessors = 1;
  std::size_t shared_bytes_a_block = 0;  ///< limit of one kernel's block
  std::size_t shared_bytes = 0;          ///< of a multiprocessor
  int registers = 65536;                 ///< of a multiprocessor, 32 bits each
  int threads = 2048;                    ///< of a multiprocessor
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  /// Whether one thread can copy a box of a tensor into shared memory. Line and plane passes use this.
  bool bulk_copies = false;
  PeerLink peer_link = PeerLink::none;
};

/// The facts of a device of this machine, which are queried once, while planning.
const DeviceFacts& facts(int device);
const DeviceFacts& current_facts();

/// The devices that this machine seems to have, without their driver.
std::optional<Chips> likely_chips();

/// Whether SHARDFFT_BULK_COPIES in the environment is not 0.
bool bulk_copies_wanted();

/// For plans made without a device: an H200 among others on a switch.
DeviceFacts h200_facts();

}  // namespace shardfft::device
