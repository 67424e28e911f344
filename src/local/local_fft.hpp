#pragma once
// Transforms of data on one rank: one interface, and backends found by name.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/read_ahead.hpp"
#include "geometry/loop.hpp"
#include "shardfft/options.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// A batch of multi-dimensional transforms, whose loops have strides in elements of the input's and output's own type.
/// For r2c and c2r the last entry of `transform` has the real extent n, and its complex side n/2+1 points. Forward uses
/// exp(-i...), backward exp(+i...) for every kind: the usual c2r is backward. For any input, c2r equals c2c along the
/// other axes followed by c2r along the last entry, which ignores the imaginary parts that must vanish, as NumPy's
/// irfftn does. Results are multiplied by `scale`. r2r is a cosine or sine transform of real numbers along every axis,
/// the same in both directions. Strides are positive. In place, strides of the two sides may differ; unless they name
/// the same bytes, a scratch array is needed.
struct FftSpec {
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  Direction direction = Direction::forward;
  std::vector<Loop> transform;
  std::vector<Loop> batch;
  std::vector<AxisTransform> types{};  ///< r2r: one an entry of `transform`
  bool in_place = false;               ///< execute(x, x) instead of two distinct arrays
  bool preserve_input = true;          ///< false lets an out-of-place c2r overwrite its input
  double scale = 1;
  int threads = 1;
  Effort effort = Effort::measure;
  int ranks = 1;        ///< a hint: ranks that transform parts of one array, which is large if all parts together are
  bool aligned = true;  ///< a hint: arrays mostly start on 16-byte boundaries; any pointer is correct
  /// The time, on base/clock, at which a library that measures while it plans should stop and take the best so far.
  std::optional<double> deadline = {};

  bool operator==(const FftSpec&) const = default;
};

/// A planned local transform. `execute` may run on several threads at once with different arrays and scratch.
class LocalFft {
 public:
  virtual ~LocalFft() = default;
  /// Bytes that execute() needs beside the arrays, a multiple of the cache line.
  virtual std::size_t scratch_bytes() const { return 0; }
  /// `scratch` begins on a cache line and holds scratch_bytes(). The library's own transforms prefetch the memory of
  /// `ahead` meanwhile.
  virtual void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const = 0;
  void execute(const void* in, void* out, std::byte* scratch) const {
    ReadAhead nothing;
    execute(in, out, scratch, nothing);
  }
  /// Allocates scratch for this call: for transforms that run once.
  void execute(const void* in, void* out) const;
};

using LocalFftFactory = std::function<std::unique_ptr<LocalFft>(const FftSpec&)>;

/// Makes a transform with the backend called `name`; "auto" is the one that is expected to be the fastest on this
/// processor. Adds the parts that a backend lacks: scale, threads, batches of many loops, transforms of no points.
/// Throws Error for unknown names, and if the backend cannot make the transform.
std::unique_ptr<LocalFft> make_local_fft(const std::string& name, const FftSpec& spec);
/// The name and version that the library behind `name` reports, for reports; throws Error for unknown names.
std::string local_fft_version(const std::string& name);

}  // namespace shardfft
