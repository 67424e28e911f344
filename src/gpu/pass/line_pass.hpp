#pragma once
// Strided transforms along one axis as line passes of the device, and what of their lines does not travel.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "algorithm/program.hpp"
#include "device/line_pass.hpp"
#include "device/runtime.hpp"
#include "geometry/schedule.hpp"
#include "gpu/check/line_weights.hpp"
#include "gpu/pass/fft_passes.hpp"
#include "local/local_fft.hpp"

namespace shardfft::gpu {

/// Next to a reshape a run of every line's points stays on its GPU. A pass finds them, or leaves them, in the array at
/// the other end of the reshape, so that nothing has to copy them.
struct OwnPoints {
  enum class Side { input, output };  ///< which side of the pass they are on
  Side side = Side::output;
  int runs = 1, run = 0;            ///< the points of a line in near-equal runs, one a GPU; which one stays
  std::int64_t offset = 0;          ///< in the array at the other end: the first point of the first line, in elements
  std::int64_t line_stride = 1;     ///< there
  std::vector<std::int64_t> batch;  ///< strides there of the loops of FftSpec::batch
};

/// What stays on this GPU of the lines of `step`, whose piece next to the reshape is `here`; `beyond` is the piece of
/// the same rank in the layout at the other end. Nothing where that is no run of points of all lines.
std::optional<OwnPoints> own_points(const TransformStep& step, const Piece& here, const Layout& beyond, int rank,
                                    OwnPoints::Side side);

/// The pass without its arrays, on the current device; nothing where there is no kernel for it.
std::optional<device::lines::Pass> line_pass(const FftSpec& spec, const OwnPoints* own = nullptr,
                                             LinesFor purpose = LinesFor::speed);

/// A line pass one side of which lies in two arrays.
class OwnPointsPass {
 public:
  OwnPointsPass(const device::lines::Pass& pass, OwnPoints own);
  /// With the option verify, before it is enqueued with `results`, on a device where line passes can check themselves.
  void prepare_checks();
  /// `beyond`: the array at the other end of the reshape; `results`: as those of FftPass::enqueue_checked(), or null.
  void enqueue(const std::byte* in, std::byte* out, std::byte* beyond, std::uint64_t* results,
               device::StreamHandle stream) const;
  /// In bytes: where the first of its points lies there.
  std::int64_t offset_beyond() const;
  /// Device memory that it holds.
  std::size_t held_bytes() const { return weights_.bytes(); }

 private:
  device::lines::Pass pass_;
  OwnPoints own_;
  LineWeights weights_;
};
/// Nothing where there is no such pass.
std::optional<OwnPointsPass> make_own_points_pass(const FftSpec& spec, const OwnPoints& own);

}  // namespace shardfft::gpu
