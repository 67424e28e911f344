#include "pack/permute.hpp"

#include <cstring>
#include <utility>

#include "base/aligned.hpp"
#include "base/compute.hpp"

namespace shardfft {

namespace {

std::size_t bitmap_bytes(std::int64_t units) { return round_up(static_cast<std::size_t>(units / 8 + 1), cache_line); }

/// The scratch of a permutation.
class Cycles {
 public:
  Cycles(std::byte* array, const Units& units, std::byte* scratch)
      : array_(array), bytes_(units.bytes), bits_(reinterpret_cast<unsigned char*>(scratch)) {
    std::memset(bits_, 0, bitmap_bytes(units.count));
    held_ = scratch + bitmap_bytes(units.count);
    other_ = held_ + round_up(bytes_, cache_line);
  }
  bool done(std::int64_t i) const { return (bits_[i >> 3] >> (i & 7) & 1) != 0; }
  void mark(std::int64_t i) { bits_[i >> 3] = static_cast<unsigned char>(bits_[i >> 3] | 1U << (i & 7)); }
  void hold(std::int64_t i) { std::memcpy(held_, at(i), bytes_); }
  void put(std::int64_t i) { std::memcpy(at(i), held_, bytes_); }
  void move(std::int64_t from, std::int64_t to) { std::memcpy(at(to), at(from), bytes_); }
  /// Writes the held unit to `i`, and holds the unit that was there.
  void exchange(std::int64_t i) {
    std::memcpy(other_, at(i), bytes_);
    put(i);
    std::swap(held_, other_);
  }

 private:
  std::byte* at(std::int64_t i) const { return array_ + static_cast<std::size_t>(i) * bytes_; }

  std::byte* array_;
  std::size_t bytes_;
  unsigned char* bits_;
  std::byte* held_;
  std::byte* other_;
};

/// Calls follow(cycles, i) for the first unit of every cycle that moves.
template <class Follow>
void for_cycles(std::byte* array, const Units& units, std::byte* scratch, const Follow& follow) {
  const double bytes = 2 * static_cast<double>(units.count) * static_cast<double>(units.bytes);
  compute({bytes, 0}, [&] {
    Cycles cycles(array, units, scratch);
    for (std::int64_t i = 0; i < units.count; ++i)
      if (!cycles.done(i) && units.place(i) != i) follow(cycles, i);
  });
}

}  // namespace

std::size_t permute_bytes(std::int64_t units, std::size_t unit_bytes) {
  return bitmap_bytes(units) + 2 * round_up(unit_bytes, cache_line);
}

void gather_in_place(std::byte* array, const Units& units, std::byte* scratch) {
  for_cycles(array, units, scratch, [&](Cycles& cycles, std::int64_t first) {
    cycles.hold(first);
    std::int64_t to = first;
    for (std::int64_t from = units.place(to); from != first; from = units.place(to)) {
      cycles.move(from, to);
      cycles.mark(to);
      to = from;
    }
    cycles.put(to);
    cycles.mark(to);
  });
}

void scatter_in_place(std::byte* array, const Units& units, std::byte* scratch) {
  for_cycles(array, units, scratch, [&](Cycles& cycles, std::int64_t first) {
    cycles.hold(first);
    for (std::int64_t to = units.place(first); to != first; to = units.place(to)) {
      cycles.exchange(to);
      cycles.mark(to);
    }
    cycles.put(first);
    cycles.mark(first);
  });
}

}  // namespace shardfft
