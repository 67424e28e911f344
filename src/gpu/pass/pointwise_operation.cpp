#include "gpu/pass/pointwise_operation.hpp"

#include <functional>
#include <variant>
#include <vector>

#include "device/pointwise.hpp"
#include "geometry/schedule.hpp"

namespace shardfft::gpu {

namespace {

using Enqueue = std::function<void(const DeviceBuffers&, device::StreamHandle)>;

class PointwiseOperation : public DeviceOperation {
 public:
  PointwiseOperation(std::string text, bool in_place, Enqueue enqueue)
      : text_(std::move(text)), in_place_(in_place), enqueue_(std::move(enqueue)) {}
  void enqueue(int /*phase*/, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    enqueue_(buffers, stream);
  }
  bool runs_in_place() const override { return in_place_; }
  std::string describe() const override { return text_; }

 private:
  std::string text_;
  bool in_place_;
  Enqueue enqueue_;
};

}  // namespace

std::unique_ptr<DeviceOperation> make_pointwise(const Step& step, const State& before, const State& after, int rank,
                                                Precision precision) {
  using Buffers = DeviceBuffers;
  using Stream = device::StreamHandle;
  const ElementType element{precision, before.is_complex};
  const auto made = [](std::string text, bool in_place, Enqueue enqueue) {
    return std::make_unique<PointwiseOperation>(std::move(text), in_place, std::move(enqueue));
  };
  if (const auto* twiddles = std::get_if<TwiddleStep>(&step))
    return made("twiddle", true,
                [=, factors = twiddles->factors, sign = twiddles->sign, pieces = before.layout.pieces(rank)](
                    const Buffers& b, Stream stream) {
                  device::twiddle(b.in, b.out, factors, pieces, sign, precision, stream);
                });
  if (const auto* promotes = std::get_if<PromoteStep>(&step))
    return made(promotes->sign == Direction::backward ? "real part" : "promote", false,
                [=, sign = promotes->sign, count = before.layout.count(rank)](const Buffers& b, Stream stream) {
                  if (count > 0) device::promote(b.in, b.out, count, sign, precision, stream);
                });
  if (const auto* half = std::get_if<HalfSpectrumStep>(&step))
    return made("double the paired modes", true,
                [=, modes = half->modes, pieces = before.layout.pieces(rank)](const Buffers& b, Stream stream) {
                  device::half_spectrum(b.in, b.out, modes, pieces, precision, stream);
                });
  if (const auto* keeps = std::get_if<ModesStep>(&step))
    return made(describe_modes(*keeps), false,
                [=, move = keeps->sign == Direction::forward ? device::keep_modes : device::pad_modes,
                 modes = keeps->modes, from = only_piece(before.layout, rank), to = only_piece(after.layout, rank)](
                    const Buffers& b, Stream stream) { move(b.in, from, b.out, to, modes, element, stream); });
  return nullptr;
}

std::unique_ptr<DeviceOperation> make_copy(std::size_t bytes) {
  return std::make_unique<PointwiseOperation>("copy", true, [=](const DeviceBuffers& b, device::StreamHandle stream) {
    if (bytes > 0 && b.in != b.out) device::copy_bytes(b.out, b.in, bytes, stream);
  });
}

}  // namespace shardfft::gpu
