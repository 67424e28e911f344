// gpu/pointwise.hpp without a GPU: the operations of plans on the CPU.
#include "gpu/pointwise.hpp"

#include <memory>
#include <utility>

#include "cuda/standin/kernel.hpp"
#include "exec/pointwise_operation.hpp"

namespace shardfft::gpu {
namespace {

using cuda::standin::enqueue_kernel;

void enqueue_operation(std::shared_ptr<Operation> operation, const char* name, const void* in, std::size_t in_bytes,
                       void* out, std::size_t out_bytes, void* stream) {
  enqueue_kernel(stream, name, {{in, in_bytes}, {out, out_bytes}}, [operation = std::move(operation), in, out] {
    operation->run(static_cast<const std::byte*>(in), static_cast<std::byte*>(out), nullptr);
  });
}

template <class T>
void scale_reals(void* data, std::int64_t count, double factor) {
  for (std::int64_t i = 0; i < count; ++i) static_cast<T*>(data)[i] *= static_cast<T>(factor);
}

std::size_t bytes_of(const Layout& layout, int rank, Precision precision) {
  return static_cast<std::size_t>(layout.count(rank)) * ElementType{precision, true}.bytes();
}

}  // namespace

void scale(void* data, std::int64_t count, ElementType element, double factor, void* stream) {
  if (count == 0) return;
  const std::int64_t reals = count * (element.is_complex ? 2 : 1);
  const auto scale_all = element.precision == Precision::f64 ? scale_reals<double> : scale_reals<float>;
  enqueue_kernel(stream, "scale", {{data, static_cast<std::size_t>(count) * element.bytes()}},
                 [=] { scale_all(data, reals, factor); });
}

void twiddle(const void* in, void* out, const TwiddleStep& step, const Layout& layout, int rank, Direction direction,
             Precision precision, void* stream) {
  const std::size_t bytes = bytes_of(layout, rank, precision);
  if (bytes == 0) return;
  enqueue_operation(make_twiddle(step, layout, rank, direction, precision, nullptr), "twiddle", in, bytes, out, bytes,
                    stream);
}

void promote(const void* in, void* out, std::int64_t count, Direction direction, Precision precision, void* stream) {
  if (count == 0) return;
  const std::size_t real = static_cast<std::size_t>(count) * ElementType{precision, false}.bytes();
  const bool forward = direction == Direction::forward;
  enqueue_operation(make_promote(count, direction, precision, nullptr), "promote", in, forward ? real : 2 * real, out,
                    forward ? 2 * real : real, stream);
}

void half_spectrum(const void* in, void* out, const HalfSpectrumStep& step, const Layout& layout, int rank,
                   Precision precision, void* stream) {
  const std::size_t bytes = bytes_of(layout, rank, precision);
  if (bytes == 0) return;
  enqueue_operation(make_half_spectrum(step, layout, rank, precision, nullptr), "half spectrum", in, bytes, out, bytes,
                    stream);
}

}  // namespace shardfft::gpu
