#pragma once
// An operator's factors as arguments of kernels, and the loop that multiplies by them. Kernels that are compiled at run
// time include this too.
#include "device/cuda/walk.cuh"
#include "device/factor_limits.hpp"

namespace shardfft::device {

/// SpectralFactors as kernels read them. The code of a text is not here: only its own kernel has it.
struct FactorTerms {
  enum class What { constant, axis, plus, minus, times, over, text };
  struct Term {
    What what;
    int axis;           ///< of the state, whose axis 0 counts fields
    long long numbers;  ///< the place of the axis's first one
    Complex<double> constant;
  };
  int count = 0;
  Term term[most_factor_terms];
};

/// The argument of the kernels. `width` threads of a block, a power of two, walk along the axis with the least stride;
/// the others and the blocks walk over its lines. The first `same` terms are equal for all numbers of a line.
struct FactorPass {
  const void* in;
  void* out;
  const Complex<double>* numbers;
  Walk walk;
  FactorTerms terms;
  int width, same;
};

template <class T>
__device__ Complex<T> product(Complex<T> v, Complex<T> w) {
  return {v.re * w.re - v.im * w.im, v.re * w.im + v.im * w.re};
}
inline __device__ double product(double v, double w) { return v * w; }
inline __device__ float product(float v, float w) { return v * w; }

/// A quotient is 0 if its divisor is 0.
inline __device__ Complex<double> quotient(Complex<double> a, Complex<double> b) {
  const double size = b.re * b.re + b.im * b.im;
  if (b.re == 0 && b.im == 0) return {0, 0};
  if (b.im == 0) return {a.re / b.re, a.im / b.re};
  return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}

inline __device__ void set_factor(Complex<double> from, float& to) { to = static_cast<float>(from.re); }
inline __device__ void set_factor(Complex<double> from, double& to) { to = from.re; }
template <class T>
__device__ void set_factor(Complex<double> from, Complex<T>& to) {
  to = {static_cast<T>(from.re), static_cast<T>(from.im)};
}

/// Without an input it writes the factors. begin(index) computes the common part of a line's factors from the index,
/// along each axis of the state, of any number of the line. factor_of(common, index) returns a number's factor, a
/// Complex<double>.
template <class Number, class Begin, class FactorOf>
__device__ void multiply_lines(const FactorPass& pass, const Begin& begin, const FactorOf& factor_of) {
  const Walk& walk = pass.walk;
  const Number* const in = static_cast<const Number*>(pass.in);
  Number* const out = static_cast<Number*>(pass.out);
  const int x = static_cast<int>(threadIdx.x) & (pass.width - 1), y = static_cast<int>(threadIdx.x) / pass.width;
  const int inner = walk.axes - 1, axis = walk.axis[inner], rows = threads / pass.width;
  const long long length = walk.count[inner], step = static_cast<long long>(gridDim.x) * rows;
  for (long long line = blockIdx.x * static_cast<long long>(rows) + y; line * length < walk.elements; line += step) {
    long long index[walk_axes];
    const long long first = locate(walk, line, index, inner);
    const auto common = begin(index);
    for (long long i = x; i < length; i += pass.width) {
      index[axis] = walk.first[inner] + i * walk.step[inner];
      const long long place = first + i * walk.stride[inner];
      Number factor;
      set_factor(factor_of(common, index), factor);
      out[place] = in == nullptr ? factor : product(in[place], factor);
    }
  }
}

}  // namespace shardfft::device
