#include "gpu/pointwise_operation.hpp"

#include <functional>

#include "gpu/pointwise.hpp"

namespace shardfft::gpu {

namespace {

using Enqueue = std::function<void(const DeviceBuffers&, cuda::StreamHandle)>;

class PointwiseOperation : public DeviceOperation {
 public:
  PointwiseOperation(std::string text, bool in_place, Enqueue enqueue)
      : text_(std::move(text)), in_place_(in_place), enqueue_(std::move(enqueue)) {}
  void enqueue(int /*phase*/, const DeviceBuffers& buffers, cuda::StreamHandle stream) override {
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

std::unique_ptr<DeviceOperation> make_twiddle(const TwiddleStep& step, const Layout& layout, int rank,
                                              Direction direction, Precision precision) {
  return std::make_unique<PointwiseOperation>("twiddle", true, [=](const DeviceBuffers& b, cuda::StreamHandle stream) {
    twiddle(b.in, b.out, step, layout, rank, direction, precision, stream);
  });
}

std::unique_ptr<DeviceOperation> make_promote(std::int64_t count, Direction direction, Precision precision) {
  const char* const text = direction == Direction::forward ? "promote" : "real part";
  return std::make_unique<PointwiseOperation>(text, false, [=](const DeviceBuffers& b, cuda::StreamHandle stream) {
    if (count > 0) promote(b.in, b.out, count, direction, precision, stream);
  });
}

std::unique_ptr<DeviceOperation> make_half_spectrum(const HalfSpectrumStep& step, const Layout& layout, int rank,
                                                    Precision precision) {
  return std::make_unique<PointwiseOperation>("double the paired modes", true,
                                              [=](const DeviceBuffers& b, cuda::StreamHandle stream) {
                                                half_spectrum(b.in, b.out, step, layout, rank, precision, stream);
                                              });
}

std::unique_ptr<DeviceOperation> make_copy(std::size_t bytes) {
  return std::make_unique<PointwiseOperation>("copy", true, [=](const DeviceBuffers& b, cuda::StreamHandle stream) {
    if (bytes > 0 && b.in != b.out) cuda::copy_bytes(b.out, b.in, bytes, stream);
  });
}

}  // namespace shardfft::gpu
