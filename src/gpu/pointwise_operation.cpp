#include "gpu/pointwise_operation.hpp"

#include <functional>

#include "device/pointwise.hpp"

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

using Pieces = std::vector<Piece>;

std::unique_ptr<DeviceOperation> make_twiddle(const TwiddleStep& step, const Pieces& pieces, Precision precision) {
  return std::make_unique<PointwiseOperation>(
      "twiddle", true, [=](const DeviceBuffers& b, device::StreamHandle stream) {
        device::twiddle(b.in, b.out, step.factors, pieces, step.sign, precision, stream);
      });
}

std::unique_ptr<DeviceOperation> make_promote(const PromoteStep& step, std::int64_t count, Precision precision) {
  const char* const text = step.sign == Direction::forward ? "promote" : "real part";
  return std::make_unique<PointwiseOperation>(text, false, [=](const DeviceBuffers& b, device::StreamHandle stream) {
    if (count > 0) device::promote(b.in, b.out, count, step.sign, precision, stream);
  });
}

std::unique_ptr<DeviceOperation> make_half_spectrum(const HalfSpectrumStep& step, const Pieces& pieces,
                                                    Precision precision) {
  return std::make_unique<PointwiseOperation>(
      "double the paired modes", true, [=](const DeviceBuffers& b, device::StreamHandle stream) {
        device::half_spectrum(b.in, b.out, step.modes, pieces, precision, stream);
      });
}

}  // namespace

std::unique_ptr<DeviceOperation> make_pointwise(const Step& step, const State& before, int rank, Precision precision) {
  if (const auto* twiddle = std::get_if<TwiddleStep>(&step))
    return make_twiddle(*twiddle, before.layout.pieces(rank), precision);
  if (const auto* promote = std::get_if<PromoteStep>(&step))
    return make_promote(*promote, before.layout.count(rank), precision);
  if (const auto* half = std::get_if<HalfSpectrumStep>(&step))
    return make_half_spectrum(*half, before.layout.pieces(rank), precision);
  return nullptr;
}

std::unique_ptr<DeviceOperation> make_copy(std::size_t bytes) {
  return std::make_unique<PointwiseOperation>("copy", true, [=](const DeviceBuffers& b, device::StreamHandle stream) {
    if (bytes > 0 && b.in != b.out) device::copy_bytes(b.out, b.in, bytes, stream);
  });
}

}  // namespace shardfft::gpu
