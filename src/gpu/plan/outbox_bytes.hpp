#pragma once
// Which bytes of an array pieces of a transform and messages have, to tell what lies over what.
#include <cstdint>
#include <vector>

#include "base/round_up.hpp"
#include "device/facts.hpp"
#include "gpu/plan/outbox.hpp"

namespace shardfft::gpu {

/// Bytes of an array: those of a box of elements.
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
  /// To one past the last byte, but for steps by multiples of a period; 0: there is none.
  std::int64_t reach(std::int64_t period) const {
    std::int64_t sum = 1;
    for (const Steps& s : steps)
      if (period == 0 || s.stride % period != 0) sum += (s.count - 1) * s.stride;
    return sum;
  }
  std::int64_t end() const { return offset + reach(0); }
};

/// The bytes of the pieces of the transform before, and of what each message sends.
struct Sources {
  std::vector<std::vector<Bytes>> pieces{}, messages{};
};

/// Where they lie in `from`, before the reshape of `steps`.
Sources sources_of(const Layout& from, const Joined& steps, const Pieces& cut, int rank, std::int64_t element);
std::int64_t begin_of(const std::vector<Bytes>& all);
std::int64_t end_of(const std::vector<Bytes>& all);
/// With what fills the last unit: passes write whole units of rows that are padded to them.
constexpr std::int64_t in_units(std::int64_t bytes) { return round_up(bytes, device::unit_bytes); }

/// Whether no piece behind the reshape writes over what has not left by then. A message is on its way until those
/// behind it come: pieces that take one begin when this rank's messages have left up to that one.
bool leaves_in_time(const Outbox& box, const Sources& sources, const Joined& steps, const Pieces& cut, int rank,
                    std::int64_t element);

}  // namespace shardfft::gpu
