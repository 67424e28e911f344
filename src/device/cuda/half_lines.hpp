#pragma once
// Ends of halved lines before cuFFT takes them.
#include <cstdint>

#include "shardfft/types.hpp"

namespace shardfft::device {

/// The first number and, of an even number of points, the last one of each of `batch` halved lines become real. cuFFT's
/// c2r wants them so: what it makes of an imaginary part there depends on the length and the batch. `n`: points of the
/// whole line; `stride`, `distance`: between the complex numbers of a line, and between lines.
void make_ends_real(void* lines, std::int64_t n, std::int64_t stride, std::int64_t batch, std::int64_t distance,
                    Precision precision, void* stream);

}  // namespace shardfft::device
