#pragma once
// The bytes of an array that belong to pieces of a transform and to messages, to find overlaps.
#include <cstdint>
#include <vector>

#include "base/round_up.hpp"
#include "device/facts.hpp"
#include "gpu/plan/staging_buffer.hpp"

namespace shardfft::gpu {

/// The bytes of a box of elements in an array.
struct Bytes {
  struct Steps {
    std::int64_t count, stride;
  };
  std::int64_t offset = 0;
  std::vector<Steps> steps{};

  Bytes(const Box& box, std::int64_t element, std::int64_t before) : offset(before + box.offset * element) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(box.axes); ++a)
      steps.push_back({box.count[a], box.stride[a] * element});
    steps.push_back({element, 1});
  }
  /// Bytes from the first one to the end, without steps by multiples of `period`; 0: with all steps.
  std::int64_t reach(std::int64_t period) const {
    std::int64_t sum = 1;
    for (const Steps& s : steps)
      if (period == 0 || s.stride % period != 0) sum += (s.count - 1) * s.stride;
    return sum;
  }
  std::int64_t end() const { return offset + reach(0); }
};

/// Whether two sets of bytes surely have none in common: one ends before the other begins, or they use different places
/// in all periods of some length. May return false for sets that have none in common.
bool are_apart(const Bytes& a, const Bytes& b);

/// The bytes of each piece of the transform before the reshape, and of each message.
struct Sources {
  std::vector<std::vector<Bytes>> pieces{}, messages{};
};

/// The places of these bytes in `from`, the layout before the reshape of `steps`.
Sources sources_of(const Layout& from, const Joined& steps, const Pieces& cut, int rank, std::int64_t element);
std::int64_t begin_of(const std::vector<Bytes>& all);
std::int64_t end_of(const std::vector<Bytes>& all);
/// Rounded up to whole units: passes write whole units of padded rows.
constexpr std::int64_t in_units(std::int64_t bytes) { return round_up(bytes, device::unit_bytes); }

/// Whether no piece behind the reshape overwrites data that is not sent yet. A piece begins when this rank has sent all
/// messages up to the last one that the piece needs; later messages may still be on their way.
bool is_sent_in_time(const StagingBuffer& staging, const Sources& sources, const Joined& steps, const Pieces& cut,
                     int rank, Precision precision);

}  // namespace shardfft::gpu
