#pragma once
// The transforms at one end of a reshape between GPUs.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/check/device_check.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/plan/staging_buffer.hpp"
#include "run/setup.hpp"
#include "schedule/local_transform.hpp"

namespace shardfft::gpu {

/// The arrays for one run of an end. `other_end`: by rank, the arrays at the other end of the reshape that hold the
/// runs for which the passes accepted owners; empty if all runs are in one array.
struct EndBuffers {
  const std::byte* in;
  std::byte *out, *scratch;
  std::span<std::byte* const> other_end{};
};

/// The transforms at one end of a reshape, in pieces, on one member.
class PipelineEnd {
 public:
  PipelineEnd() = default;
  /// `side`: the side next to the reshape. `other_end`: the layout at the other end of the reshape. `staging`: null, or
  /// the places of the pieces before the reshape.
  PipelineEnd(const LocalTransform& fft, const ExecutorSetup& setup, const Pieces& pieces, int rank,
              LineOwners::Side side, const Layout& other_end, const StagingBuffer* staging = nullptr);

  bool empty() const { return ffts_.empty(); }
  int pieces() const { return static_cast<int>(ffts_.size()); }
  /// Lets the passes read or write the arrays at the other end of the reshape, for everything or for the part that does
  /// not travel. Returns whether they can.
  bool accept(Moved what);
  /// The same; data for others gets these places in the array that the passes write, by piece.
  bool accept(const std::vector<LineOwners>& owners);
  /// The part that the passes read or write there.
  Moved moves() const { return moves_; }
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  void for_each(const std::function<void(DeviceOperation&)>& visit) const {
    for (const Fft& fft : ffts_) visit(*fft.operation);
  }
  bool runs_in_place() const {
    return std::all_of(ffts_.begin(), ffts_.end(), [](const Fft& fft) { return fft.operation->runs_in_place(); });
  }
  const std::string& text() const { return text_; }
  /// Null without checks. The transforms then take part in the check, so it must live as long as they run.
  std::unique_ptr<DeviceCheck> make_check();

  void run(int chunk, const EndBuffers& buffers, device::StreamHandle stream) const;

 private:
  struct Fft {
    std::unique_ptr<DeviceFft> operation;
    std::optional<LineOwners> owners;  ///< owners that the pass could accept
    LineOwners accepted{};             ///< owners that it accepted
    PlacedFft placed;
    std::unique_ptr<DeviceCheck> check;  ///< until it is given away
  };

  bool accepts(Fft& fft, Moved what) const;
  /// The address of the first direct run; of this rank's own run if there is one.
  const std::byte* next_to_reshape(const Fft& fft, const EndBuffers& buffers) const;

  LineOwners::Side side_ = LineOwners::Side::output;
  int rank_ = 0;
  Moved moves_ = Moved::nothing;
  std::vector<Fft> ffts_;
  std::size_t scratch_bytes_ = 0;
  std::string text_;
  const PieceChecks* check_ = nullptr;
};

}  // namespace shardfft::gpu
