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

}  // namespace

std::unique_ptr<DeviceOperation> make_twiddle(const TwiddleFactors& factors, const Layout& layout, int rank,
                                              Direction direction, Precision precision) {
  return std::make_unique<PointwiseOperation>(
      "twiddle", true, [=, pieces = layout.pieces(rank)](const DeviceBuffers& b, device::StreamHandle stream) {
        device::twiddle(b.in, b.out, factors, pieces, direction, precision, stream);
      });
}

std::unique_ptr<DeviceOperation> make_promote(std::int64_t count, Direction direction, Precision precision) {
  const char* const text = direction == Direction::forward ? "promote" : "real part";
  return std::make_unique<PointwiseOperation>(text, false, [=](const DeviceBuffers& b, device::StreamHandle stream) {
    if (count > 0) device::promote(b.in, b.out, count, direction, precision, stream);
  });
}

std::unique_ptr<DeviceOperation> make_half_spectrum(const HalfSpectrum& modes, const Layout& layout, int rank,
                                                    Precision precision) {
  return std::make_unique<PointwiseOperation>(
      "double the paired modes", true,
      [=, pieces = layout.pieces(rank)](const DeviceBuffers& b, device::StreamHandle stream) {
        device::half_spectrum(b.in, b.out, modes, pieces, precision, stream);
      });
}

std::unique_ptr<DeviceOperation> make_copy(std::size_t bytes) {
  return std::make_unique<PointwiseOperation>("copy", true, [=](const DeviceBuffers& b, device::StreamHandle stream) {
    if (bytes > 0 && b.in != b.out) device::copy_bytes(b.out, b.in, bytes, stream);
  });
}

}  // namespace shardfft::gpu
