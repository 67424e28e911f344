#pragma once
// The FFT library of the GPUs' vendor (cuFFT) behind an owner: batched transforms of contiguous or strided lines and
// planes, enqueued on a stream.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft::device {

/// One side of a batch, in elements of its own type: element (b, i0, i1, ...) is at b * distance + the row-major index
/// of (i0, i1, ...) in `embed` times `stride`. An empty embed means the transform's own extents, contiguous.
struct VendorFftSide {
  std::vector<std::int64_t> embed;
  std::int64_t stride = 1;
  std::int64_t distance = 0;

  auto operator<=>(const VendorFftSide&) const = default;
};

/// Up to three axes and one batch loop. c2r takes any half spectrum: it transforms the other axes and then lines of the
/// last one, whose first numbers and, if n is even, last ones need no imaginary parts. `extents` are real extents (the
/// last complex side is n/2+1 for r2c and c2r). A kernel of ours runs before c2r, unless cuFFT needs none.
struct VendorFftSpec {
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  std::vector<std::int64_t> extents;
  std::int64_t batch = 1;
  VendorFftSide in, out;
  double scale = 1;     ///< of the results, if `links`, and of c2r, where the kernel before it scales all numbers
  bool links = false;   ///< cuFFT scales as it reads or writes numbers, only if takes_scale()
  bool probes = false;  ///< c2r: a run finds out whether cuFFT needs the kernel, if there is memory for it

  auto operator<=>(const VendorFftSpec&) const = default;
};

/// A plan on the device that is current while it is made. A batch of none is allowed and does nothing. Throws
/// Error(unsupported) if the library has no such transform: cuFFT scales no results of some lengths.
class VendorFft {
 public:
  VendorFft() = default;
  explicit VendorFft(const VendorFftSpec& spec);
  ~VendorFft();
  VendorFft(VendorFft&& other) noexcept;
  VendorFft& operator=(VendorFft&& other) noexcept;

  /// Enqueues on `stream` (of the plan's device, which must be current). in == out is allowed if both sides agree. A
  /// c2r writes its input, unless it is given `work`, an array like it, to write instead.
  void execute(const void* in, void* out, Direction direction, void* stream, void* work = nullptr) const;
  std::size_t work_bytes() const { return work_bytes_; }
  /// The work area that a plan would need if it were made now. No memory is taken.
  static std::size_t work_bytes_of(const VendorFftSpec& spec);
  /// Whether the library scales results of this type as it writes them, as a transform of few points has shown: once
  /// in a process, on the current device, outside of stream capture.
  static bool takes_scale(Kind kind, Precision precision);

 private:
  int handle_ = 0;
  bool made_ = false;
  bool any_ends_ = false;  ///< c2r: cuFFT treats all ends of lines as it should
  VendorFftSpec spec_;
  std::size_t work_bytes_ = 0;
};

}  // namespace shardfft::device
