#pragma once
// Boxes of other processes' arrays, read through the kernel.
#include "geometry/schedule.hpp"
#include "mpi/cross_memory.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

/// The cost of reading a box: contiguous runs in the source, and bytes.
struct CrossCost {
  std::int64_t runs = 0;
  std::int64_t bytes = 0;
  /// The estimated time.
  double nanoseconds() const {
    const HostDefaults& price = host_defaults();
    return price.cross_read_run_ns * static_cast<double>(runs) + price.cross_read_byte_ns * static_cast<double>(bytes);
  }
  CrossCost& operator+=(const CrossCost& other) {
    runs += other.runs;
    bytes += other.bytes;
    return *this;
  }
  friend CrossCost operator*(std::int64_t times, const CrossCost& cost) {
    return {times * cost.runs, times * cost.bytes};
  }
};

/// The time to copy `bytes` into shared memory, and for others to read `read` bytes from there.
inline double staging_nanoseconds(std::int64_t bytes, std::int64_t read) {
  const HostDefaults& price = host_defaults();
  return price.staged_byte_ns * static_cast<double>(bytes) + price.shared_byte_ns * static_cast<double>(read);
}

CrossCost cross_cost(const LocalCopy& copy, std::size_t element_bytes);

/// Bytes of scratch for read_box().
std::size_t cross_read_bytes();
/// Like copy_box, from the array at `address` of another process.
void read_box(const CrossMemory& memory, int host_rank, std::uint64_t address, const LocalCopy& copy,
              std::byte* destination, std::size_t element_bytes, std::byte* scratch);

}  // namespace shardfft
