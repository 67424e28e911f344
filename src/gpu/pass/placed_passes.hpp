#pragma once
// Passes between a transform's input, output and scratch memory, as one operation.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/operation.hpp"
#include "gpu/pass/fft_passes.hpp"
#include "gpu/pass/passes_check.hpp"

namespace shardfft::gpu {

/// Which of the arrays of one run.
enum class RunArray { in, out, scratch };

/// A place in it; `offset` in bytes.
struct Spot {
  RunArray place = RunArray::in;
  std::size_t offset = 0;
};

struct PlacedPass {
  Spot from, to;
  PassPointer pass;
  Spot scratch{};                      ///< where the pass wants some
  std::optional<FftSpec> transform{};  ///< what it does between the two arrays; none of copies and the like
};

class DeviceFft : public DeviceOperation {
 public:
  DeviceFft(std::vector<PlacedPass> passes, std::size_t scratch_bytes, bool in_place, std::string text)
      : passes_(std::move(passes)), scratch_bytes_(scratch_bytes), in_place_(in_place), text_(std::move(text)) {}

  void enqueue(int /*phase*/, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const PlacedPass& p = passes_[i];
      std::byte *const from = at(p.from, buffers), *const to = at(p.to, buffers),
                       *const scratch = at(p.scratch, buffers);
      if (check_ != nullptr)
        check_->enqueue(i, from, to, scratch, stream);
      else
        p.pass->enqueue(from, to, scratch, stream);
    }
  }
  std::unique_ptr<DeviceCheck> make_check() override {
    if (!PassesCheck::gains(passes_)) return nullptr;
    auto check = std::make_unique<PassesCheck>(passes_);
    check_ = check.get();
    return check;
  }
  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  std::size_t held_bytes() const override {
    std::size_t sum = 0;
    for (const PlacedPass& p : passes_) sum += p.pass->held_bytes();
    return sum;
  }
  std::size_t library_bytes() const override {
    std::size_t sum = 0;
    for (const PlacedPass& p : passes_) sum += p.pass->library_bytes();
    return sum;
  }
  bool runs_in_place() const override { return in_place_; }
  std::string describe() const override { return text_; }

 private:
  static std::byte* at(Spot spot, const DeviceBuffers& buffers) {
    std::byte* const base = spot.place == RunArray::in ? const_cast<std::byte*>(buffers.in)  // written only if allowed
                            : spot.place == RunArray::out ? buffers.out
                                                          : buffers.scratch;
    return base + spot.offset;
  }

  std::vector<PlacedPass> passes_;
  std::size_t scratch_bytes_;
  bool in_place_;
  std::string text_;
  const PassesCheck* check_ = nullptr;  ///< that it takes part in
};

}  // namespace shardfft::gpu
