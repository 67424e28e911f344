#pragma once
// Passes between a transform's input, output and scratch memory, as one operation.
#include <string>
#include <utility>
#include <vector>

#include "gpu/check/passes_check.hpp"
#include "gpu/operation.hpp"
#include "gpu/pass/catalogue.hpp"

namespace shardfft::gpu {

/// An array of a call.
enum class PassBuffer { in, out, scratch };

/// A place in such an array; `offset` in bytes.
struct BufferPlace {
  PassBuffer buffer = PassBuffer::in;
  std::size_t offset = 0;

  bool operator==(const BufferPlace&) const = default;
};

struct PlacedPass {
  BufferPlace from, to;
  PassPointer pass;
  std::size_t out_bytes = 0;  ///< bytes that it writes
  bool checks = false;        ///< it can add up its lines itself
};

class DeviceFft : public DeviceOperation {
 public:
  /// Scratch holds `work` bytes, then `pass_scratch` bytes that the passes use in turn.
  DeviceFft(std::vector<PlacedPass> passes, std::size_t work, std::size_t pass_scratch, bool in_place, std::string text)
      : passes_(std::move(passes)),
        work_(work),
        pass_scratch_(pass_scratch),
        in_place_(in_place),
        text_(std::move(text)) {}

  /// Whether the pass next to a reshape can have runs of its points in the arrays at the other end. If so, it has them
  /// there in calls with DeviceBuffers::direct_arrays. Called after make_checks(). The first pass is next to the input,
  /// the last pass is next to the output.
  bool accept(const LineOwners& owners);

  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override;
  /// One check if all passes can sum up their lines. Otherwise none: kernels that read the arrays of one pass would
  /// cost as much as kernels that read the input and output of the whole transform.
  DeviceChecks make_checks() override;
  std::size_t scratch_bytes() const override { return work_ + pass_scratch_; }
  RunnerMemory kept() const override;
  bool runs_in_place() const override { return in_place_; }
  std::optional<ResultLines> multiply_results(const FactorsOfRun& factors) override;
  std::string describe() const override { return text_; }

 private:
  std::vector<PlacedPass> passes_;
  std::size_t work_, pass_scratch_;
  bool in_place_;
  std::string text_;
  FactorsOfRun factors_;                ///< of the last pass; empty: none
  const FftPass* shared_ = nullptr;     ///< the pass that has accepted owners
  const PassesCheck* check_ = nullptr;  ///< the check that it takes part in
};

}  // namespace shardfft::gpu
