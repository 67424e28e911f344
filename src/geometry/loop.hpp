#pragma once
// A loop over two strided arrays at once.
#include <cstdint>

namespace shardfft {

/// `count` elements that lie `from` apart where they are read and `to` apart where they are written, in elements of
/// either side.
struct Loop {
  std::int64_t count = 1;
  std::int64_t from = 1;
  std::int64_t to = 1;

  bool operator==(const Loop&) const = default;
};

}  // namespace shardfft
