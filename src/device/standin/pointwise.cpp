// device/pointwise.hpp without a GPU: the loops of the CPU.
#include "device/pointwise.hpp"

#include "base/check.hpp"
#include "device/factor_code.hpp"
#include "device/standin/kernel.hpp"
#include "geometry/gaps.hpp"
#include "pack/modes.hpp"
#include "pack/pointwise.hpp"

namespace shardfft::device {
namespace {

using standin::enqueue_kernel;

template <class T>
void scale_reals(const void* in, void* out, std::int64_t count, double factor) {
  for (std::int64_t i = 0; i < count; ++i)
    static_cast<T*>(out)[i] = static_cast<const T*>(in)[i] * static_cast<T>(factor);
}

template <class Number>
void multiply_all(const void* in, void* out, const void* factors, std::int64_t count, std::int64_t period) {
  const auto* const source = static_cast<const Number*>(in);
  const auto* const factor = static_cast<const Number*>(factors);
  auto* const target = static_cast<Number*>(out);
  for (std::int64_t i = 0; i < count; ++i) target[i] = source[i] * factor[i % period];
}

std::size_t bytes_of(const std::vector<Piece>& pieces, ElementType element) {
  return static_cast<std::size_t>(elements_of(pieces)) * element.bytes();
}
const std::byte* bytes_at(const void* memory) { return static_cast<const std::byte*>(memory); }
std::byte* bytes_at(void* memory) { return static_cast<std::byte*>(memory); }

}  // namespace

void scale(const void* in, void* out, std::int64_t count, ElementType element, double factor, void* stream) {
  if (count == 0) return;
  const std::int64_t reals = count * (element.is_complex ? 2 : 1);
  const auto scale_all = element.precision == Precision::f64 ? scale_reals<double> : scale_reals<float>;
  const std::size_t bytes = static_cast<std::size_t>(count) * element.bytes();
  enqueue_kernel(stream, "scale", {{in, bytes}, {out, bytes}}, [=] { scale_all(in, out, reals, factor); });
}

void twiddle(const void* in, void* out, const TwiddleFactors& factors, const std::vector<Piece>& pieces,
             Direction direction, Precision precision, void* stream) {
  const std::size_t bytes = bytes_of(pieces, {precision, true});
  if (bytes == 0) return;
  enqueue_kernel(stream, "twiddle", {{in, bytes}, {out, bytes}}, [=, table = TwiddleTable(factors)] {
    shardfft::twiddle(bytes_at(in), bytes_at(out), table, pieces, direction, precision);
  });
}

void multiply(const void* in, void* out, const void* factors, std::int64_t count, std::int64_t period,
              ElementType element, void* stream) {
  const std::size_t each = element.bytes(), bytes = static_cast<std::size_t>(count) * each;
  const bool wide = element.precision == Precision::f64;
  const auto all = element.is_complex ? (wide ? multiply_all<std::complex<double>> : multiply_all<std::complex<float>>)
                                      : (wide ? multiply_all<double> : multiply_all<float>);
  enqueue_kernel(stream, "multiply", {{in, bytes}, {factors, static_cast<std::size_t>(period) * each}, {out, bytes}},
                 [=] { all(in, out, factors, count, period); });
}

void multiply(const void* in, void* out, const SpectralFactors& factors, const std::complex<double>* numbers,
              const std::vector<Piece>& pieces, ElementType element, void* stream) {
  const std::size_t bytes = bytes_of(pieces, element);
  if (bytes == 0) return;
  std::size_t count = 0;
  for (const SpectralFactors::Term& term : factors.terms)
    if (const auto* const axis = std::get_if<SpectralFactors::OfAxis>(&term)) count += axis->numbers->size();
  const std::size_t read = in != nullptr ? bytes : 0;
  enqueue_kernel(stream, "operator", {{in, read}, {numbers, count * sizeof *numbers}, {out, bytes}},
                 [=] {  // with the device's numbers at that time
                   SpectralFactors there = factors;
                   const std::complex<double>* next = numbers;
                   for (SpectralFactors::Term& term : there.terms)
                     if (auto* const axis = std::get_if<SpectralFactors::OfAxis>(&term)) {
                       const std::complex<double>* const first = next;
                       next += axis->numbers->size();
                       axis->numbers = std::make_shared<const std::vector<std::complex<double>>>(first, next);
                     }
                   shardfft::multiply(bytes_at(in), bytes_at(out), there, pieces, element, 1);
                 });
}

/// Reports texts that do not compile, as on a GPU.
void prepare_texts(const SpectralFactors& factors, ElementType element) {
  static_cast<void>(factor_code(factors, element, 90));
  fail(Status::unsupported, "an operator of CUDA source text needs GPUs: this build's devices are the stand-in's");
}

void multiply_by_texts(const void* /*in*/, void* /*out*/, const SpectralFactors& /*factors*/,
                       const std::complex<double>* /*numbers*/, const std::vector<Piece>& /*pieces*/,
                       ElementType /*element*/, void* /*stream*/) {
  fail(Status::internal, "CUDA source text came to the stand-in");
}

void promote(const void* in, void* out, std::int64_t count, Direction direction, Precision precision, void* stream) {
  if (count == 0) return;
  const std::size_t real = static_cast<std::size_t>(count) * ElementType{precision, false}.bytes();
  const bool forward = direction == Direction::forward;
  enqueue_kernel(stream, "promote", {{in, forward ? real : 2 * real}, {out, forward ? 2 * real : real}},
                 [=] { shardfft::promote(bytes_at(in), bytes_at(out), count, direction, precision); });
}

void half_spectrum(const void* in, void* out, const HalfSpectrum& modes, const std::vector<Piece>& pieces,
                   Precision precision, void* stream) {
  const std::size_t bytes = bytes_of(pieces, {precision, true});
  if (bytes == 0) return;
  enqueue_kernel(stream, "half spectrum", {{in, bytes}, {out, bytes}},
                 [=] { shardfft::half_spectrum(bytes_at(in), bytes_at(out), modes, pieces, precision); });
}

void keep_modes(const void* in, const Piece& all, void* out, const Piece& kept, const KeptModes& modes,
                ElementType element, void* stream) {
  if (kept.set.empty()) return;
  enqueue_kernel(stream, "keep modes", {{in, bytes_of({all}, element)}, {out, bytes_of({kept}, element)}},
                 [=] { shardfft::keep_modes(bytes_at(in), all, bytes_at(out), kept, modes, element, 1); });
}

void pad_modes(const void* in, const Piece& kept, void* out, const Piece& all, const KeptModes& modes,
               ElementType element, void* stream) {
  if (kept.set.empty()) return;
  enqueue_kernel(stream, "pad modes", {{in, bytes_of({kept}, element)}, {out, bytes_of({all}, element)}},
                 [=] { shardfft::pad_modes(bytes_at(in), kept, bytes_at(out), all, modes, element, 1); });
}

}  // namespace shardfft::device
