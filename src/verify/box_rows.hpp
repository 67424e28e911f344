#pragma once
// The rows of boxes that will be read next, so that they can be prefetched.
#include <array>
#include <cstddef>
#include <vector>

#include "base/read_ahead.hpp"
#include "geometry/schedule.hpp"

namespace shardfft {

/// The rows of one box after the other. Each thread has one, so it has cache lines of its own.
class alignas(ReadAhead::line_bytes) BoxRows : public ReadAhead {
 public:
  /// `axes`: how many are transformed while the rows are taken.
  BoxRows(std::size_t element_bytes, int axes) : element_bytes_(static_cast<std::int64_t>(element_bytes)) {
    share = axes;
  }
  void clear();
  /// Adds `box`, which must stay in place, `offset` elements further on in an array; adds nothing for a null array.
  void add(const std::byte* array, const Box& box, std::int64_t offset);

 private:
  struct Placed {
    const std::byte* first;  ///< the element at index 0
    const Box* box;
  };
  static bool take_row(ReadAhead& self) { return static_cast<BoxRows&>(self).take_row(); }
  bool take_row();

  std::int64_t element_bytes_;
  std::vector<Placed> boxes_;
  std::size_t box_ = 0;                         ///< of the next row
  std::array<std::int64_t, max_axes> index_{};  ///< of the next row in its box; 0 along the row
};

}  // namespace shardfft
