#pragma once
// A loop over two strided arrays at once.
#include <cstdint>

namespace shardfft {

/// `count` elements with a stride of `from` in the array that is read and of `to` in the one that is written, in
/// elements of that array.
struct Loop {
  std::int64_t count = 1;
  std::int64_t from = 1;
  std::int64_t to = 1;

  bool operator==(const Loop&) const = default;
};

}  // namespace shardfft
