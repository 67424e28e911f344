#include <type_traits>

#include "device/cuda/vendor.hpp"
#include "device/cuda/walk.cuh"
#include "device/pointwise.hpp"

namespace shardfft::device {
namespace {

/// Two sides that differ along one axis, walked in the order of the output in memory.
struct TwoSides {
  Walk out;
  long long in_stride[max_axes], in_offset;
  int axis;                                ///< of `out`, the one with fewer modes on one side
  long long axis_in, axis_out;             ///< its strides
  long long low, shift;                    ///< the kept mode k < low is number k of all, others are number k + shift
  long long kept, all;                     ///< modes
  long long lone_kept = -1, partner = -1;  ///< -1: no lone mode, or it needs no special care
  bool halved, zero;
};

TwoSides sides_of(const Piece& in, const Piece& out, const KeptModes& modes) {
  TwoSides sides;
  sides.out = walk_of(out);
  sides.in_offset = in.offset;
  for (int i = 0; i < sides.out.axes; ++i) {
    const int a = sides.out.axis[i];
    sides.in_stride[i] = in.stride[static_cast<std::size_t>(a)];
    if (a == modes.axis) sides.axis = i;
  }
  sides.axis_in = sides.in_stride[sides.axis];
  sides.axis_out = sides.out.stride[sides.axis];
  sides.kept = modes.kept;
  sides.all = modes.all;
  sides.low = modes.runs().front().count;
  sides.shift = modes.all - modes.kept;
  if (modes.lone && modes.rule != LoneMode::keep) {
    sides.lone_kept = modes.lone_kept();
    sides.partner = modes.partner_all();
  }
  sides.halved = modes.halved;
  sides.zero = modes.rule == LoneMode::zero;
  return sides;
}

/// Place of the i-th element in the output, of its line's index 0 in the input, and its index along the axis.
struct ModePlace {
  long long out, in, k;
};
__device__ ModePlace locate(const TwoSides& sides, long long i) {
  ModePlace place{sides.out.offset, sides.in_offset, 0};
  for (int a = sides.out.axes - 1; a >= 0; --a) {
    const long long n = sides.out.count[a], at = i % n;
    i /= n;
    place.out += at * sides.out.stride[a];
    if (a == sides.axis)
      place.k = at;
    else
      place.in += at * sides.in_stride[a];
  }
  return place;
}

template <class T>
__device__ Complex<T> lone_of(const TwoSides& sides, Complex<T> own, Complex<T> partner) {
  if (sides.zero) return {0, 0};
  if (sides.halved) return {2 * own.re, 0};
  return {own.re + partner.re, own.im + partner.im};
}
template <class T>
__device__ Complex<T> half_of(const TwoSides& sides, Complex<T> both) {
  if (sides.zero) return {0, 0};
  return {both.re / 2, sides.halved ? 0 : both.im / 2};
}
/// Only complex spectra have lone modes.
__device__ float lone_of(const TwoSides&, float own, float) { return own; }
__device__ double lone_of(const TwoSides&, double own, double) { return own; }
__device__ float half_of(const TwoSides&, float both) { return both; }
__device__ double half_of(const TwoSides&, double both) { return both; }

template <class Number>
__global__ void __launch_bounds__(threads)
    keep_kernel(const Number* in, Number* out, const __grid_constant__ TwoSides sides) {
  for_all(sides.out.elements, [&](long long i) {
    const ModePlace place = locate(sides, i);
    Number mode = in[place.in + (place.k < sides.low ? place.k : place.k + sides.shift) * sides.axis_in];
    if (place.k == sides.lone_kept) mode = lone_of(sides, mode, in[place.in + sides.partner * sides.axis_in]);
    out[place.out] = mode;
  });
}

template <class Number>
__global__ void __launch_bounds__(threads)
    pad_kernel(const Number* in, Number* out, const __grid_constant__ TwoSides sides) {
  for_all(sides.out.elements, [&](long long i) {
    const ModePlace place = locate(sides, i);
    const bool partner = sides.lone_kept >= 0 && place.k == sides.partner;
    const bool high = place.k >= sides.low + sides.shift;
    const long long k = partner ? sides.lone_kept : high ? place.k - sides.shift : place.k;
    Number mode{};
    if (partner || high || place.k < sides.low) mode = in[place.in + k * sides.axis_in];
    out[place.out] = k == sides.lone_kept ? half_of(sides, mode) : mode;
  });
}

template <class Number>
void run(bool keep, const void* in, void* out, const TwoSides& sides, cudaStream_t stream) {
  const auto kernel = keep ? keep_kernel<Number> : pad_kernel<Number>;
  kernel<<<blocks_for(sides.out.elements), threads, 0, stream>>>(static_cast<const Number*>(in),
                                                                 static_cast<Number*>(out), sides);
  check(cudaGetLastError(), "launch of a change of modes");
}

void run(bool keep, const void* in, void* out, const TwoSides& sides, ElementType element, void* stream) {
  if (sides.out.elements == 0) return;
  const auto native = static_cast<cudaStream_t>(stream);
  if (element.precision == Precision::f64)
    element.is_complex ? run<Complex<double>>(keep, in, out, sides, native) : run<double>(keep, in, out, sides, native);
  else
    element.is_complex ? run<Complex<float>>(keep, in, out, sides, native) : run<float>(keep, in, out, sides, native);
}

}  // namespace

void keep_modes(const void* in, const Piece& all, void* out, const Piece& kept, const KeptModes& modes,
                ElementType element, void* stream) {
  run(true, in, out, sides_of(all, kept, modes), element, stream);
}

void pad_modes(const void* in, const Piece& kept, void* out, const Piece& all, const KeptModes& modes,
               ElementType element, void* stream) {
  run(false, in, out, sides_of(kept, all, modes), element, stream);
}

}  // namespace shardfft::device
