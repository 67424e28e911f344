#pragma once
// The transforms at one end of a reshape between GPUs, in pieces, on one member.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/check/device_check.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/run/pipeline.hpp"

namespace shardfft::gpu {

/// One member's part of a chunk's transform, at byte offsets of its arrays.
struct FftPart {
  FftSpec spec;
  std::int64_t in = 0, out = 0;
};
FftPart part_of(const Pass& pass, int rank, Precision precision, const Slice& slice);

/// What one run of an end works on. `beyond`: the array at the other end of the reshape where the passes have what does
/// not travel there; else null.
struct EndBuffers {
  const std::byte* in;
  std::byte *out, *scratch, *beyond = nullptr;
};

class PipelineEnd {
 public:
  PipelineEnd() = default;
  /// `pieces`: of the transform; `side`: the one next to the reshape; `beyond`: the layout at the other end of that.
  PipelineEnd(const Pass& fft, const DevicePipelineSetup& setup, const std::vector<Slice>& pieces, int rank,
              OwnPoints::Side side, const Layout& beyond);

  bool empty() const { return ffts_.empty(); }
  /// Whether its passes can have what does not travel in the array at the other end of the reshape.
  bool moves_own() const;
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Fft& fft : ffts_) visit(*fft.operation);
  }
  const std::string& text() const { return text_; }
  /// Null without checks. Its transforms take part in it from then on: it lives as long as they run.
  std::unique_ptr<DeviceCheck> make_check();

  void run(int chunk, const EndBuffers& buffers, device::StreamHandle stream) const;

 private:
  struct Fft {
    std::unique_ptr<DeviceFft> operation;
    std::optional<OwnPoints> own;  ///< that it can have in another array
    FftPart part;
    std::unique_ptr<DeviceCheck> check;  ///< until it is given away
  };

  OwnPoints::Side side_ = OwnPoints::Side::output;
  std::vector<Fft> ffts_;
  std::size_t scratch_bytes_ = 0;
  std::string text_;
  const PieceChecks* check_ = nullptr;
};

}  // namespace shardfft::gpu
