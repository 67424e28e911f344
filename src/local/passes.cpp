#include "local/passes.hpp"

namespace shardfft {
namespace {

/// Copies numbers of `from` parts to numbers of `to` parts.
template <class Real, int from, int to>
void copy_as(const Loops& loops, const void* in, void* out, double factor, bool conjugate) {
  const Real f = static_cast<Real>(factor), imaginary = conjugate ? -f : f;
  walk(loops, [&](std::int64_t in_offset, std::int64_t out_offset, const Loop& line) {
    const Real* const source = static_cast<const Real*>(in) + from * in_offset;
    Real* const target = static_cast<Real*>(out) + to * out_offset;
    for (std::int64_t i = 0; i < line.count; ++i) {
      const Real* const number = source + from * i * line.from;
      Real* const result = target + to * i * line.to;
      result[0] = f * number[0];
      if constexpr (to == 2) result[1] = from == 2 ? imaginary * number[1] : 0;
    }
  });
}

template <class Real>
void copy_in(bool from_complex, bool to_complex, const Loops& loops, const void* in, void* out, double factor,
             bool conjugate) {
  if (from_complex && to_complex) return copy_as<Real, 2, 2>(loops, in, out, factor, conjugate);
  if (from_complex) return copy_as<Real, 2, 1>(loops, in, out, factor, conjugate);
  if (to_complex) return copy_as<Real, 1, 2>(loops, in, out, factor, conjugate);
  copy_as<Real, 1, 1>(loops, in, out, factor, conjugate);
}

}  // namespace

void copy_points(ElementType in_type, ElementType out_type, const Loops& loops, const void* in, void* out,
                 double factor, bool conjugate) {
  const Loops lines = merged(loops);
  if (in_type.precision == Precision::f64)
    copy_in<double>(in_type.is_complex, out_type.is_complex, lines, in, out, factor, conjugate);
  else
    copy_in<float>(in_type.is_complex, out_type.is_complex, lines, in, out, factor, conjugate);
}

void scale_points(ElementType type, const Loops& loops, void* data, double factor, bool conjugate) {
  Loops own = loops;
  for (Loop& loop : own) loop.from = loop.to;
  copy_points(type, type, own, data, data, factor, conjugate);
}

}  // namespace shardfft
