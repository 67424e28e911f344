#include "geometry/shape.hpp"

#include "base/check.hpp"
#include "base/text.hpp"

namespace shardfft {

void check_shape(const Shape& shape) {
  require(!shape.empty() && shape.size() <= max_axes, "an array needs 1 to ", max_user_axes, " axes, got ",
          shape.size());
  std::int64_t bytes = 64;  // of four arrays of complex doubles: then sums of arrays do not overflow either
  for (std::size_t a = 0; a < shape.size(); ++a) {
    require(shape[a] >= 1, "axis ", a, " has extent ", shape[a], "; extents are at least 1");
    require(!__builtin_mul_overflow(bytes, shape[a], &bytes), "the array has more elements than memory has addresses");
  }
}

void check_stride(const Progression& p) {
  require(p.stride >= 1, "a progression of ", p.count, " indices from ", p.first, " on has stride ", p.stride,
          "; strides are at least 1");
}

std::string shape_text(const Shape& shape) {
  Text text;
  for (std::size_t a = 0; a < shape.size(); ++a) text << (a > 0 ? "x" : "") << shape[a];
  return text.str();
}

}  // namespace shardfft
