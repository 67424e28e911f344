#include "local/passes.hpp"

#include <complex>

namespace shardfft {
namespace {

template <class Real>
Real convert(Real value, Real factor, bool, Real*) {
  return factor * value;
}
template <class Real>
Real convert(std::complex<Real> value, Real factor, bool, Real*) {
  return factor * value.real();
}
template <class Real>
std::complex<Real> convert(Real value, Real factor, bool, std::complex<Real>*) {
  return {factor * value, 0};
}
template <class Real>
std::complex<Real> convert(std::complex<Real> value, Real factor, bool conjugate, std::complex<Real>*) {
  return {factor * value.real(), (conjugate ? -factor : factor) * value.imag()};
}

template <class Real, class In, class Out>
void copy_as(const Loops& loops, const void* in, void* out, double factor, bool conjugate) {
  const In* const source = static_cast<const In*>(in);
  Out* const target = static_cast<Out*>(out);
  const Real f = static_cast<Real>(factor);
  walk(loops, [&](std::int64_t in_offset, std::int64_t out_offset, const Loop& line) {
    const In* from = source + in_offset;
    Out* to = target + out_offset;
    for (std::int64_t i = 0; i < line.count; ++i)
      to[i * line.to] = convert(from[i * line.from], f, conjugate, static_cast<Out*>(nullptr));
  });
}

template <class Real>
void copy_in(bool from_complex, bool to_complex, const Loops& loops, const void* in, void* out, double factor,
             bool conjugate) {
  using Complex = std::complex<Real>;
  if (from_complex && to_complex) return copy_as<Real, Complex, Complex>(loops, in, out, factor, conjugate);
  if (from_complex) return copy_as<Real, Complex, Real>(loops, in, out, factor, conjugate);
  if (to_complex) return copy_as<Real, Real, Complex>(loops, in, out, factor, conjugate);
  copy_as<Real, Real, Real>(loops, in, out, factor, conjugate);
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
