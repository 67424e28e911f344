#pragma once
// Complex numbers for the CUDA source text of an operator. Compiled at run time only.
#include "device/cuda/factors.cuh"

namespace shardfft::device {

struct complex {
  double re, im;
  complex(double real = 0, double imaginary = 0) : re(real), im(imaginary) {}
  complex(Complex<double> from) : re(from.re), im(from.im) {}
  operator Complex<double>() const { return {re, im}; }

  friend complex operator+(complex a, complex b) { return {a.re + b.re, a.im + b.im}; }
  friend complex operator-(complex a, complex b) { return {a.re - b.re, a.im - b.im}; }
  friend complex operator-(complex a) { return {-a.re, -a.im}; }
  friend complex operator*(complex a, complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  friend complex operator/(complex a, complex b) {
    const double size = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
  }
  friend complex conj(complex a) { return {a.re, -a.im}; }
  friend complex exp(complex a) {
    double sine, cosine;
    ::sincos(a.im, &sine, &cosine);
    const double size = ::exp(a.re);
    return {size * cosine, size * sine};
  }
};

/// Reals are their own conjugates.
inline double conj(double a) { return a; }

/// The factor of a real spectrum. A complex factor does not convert to double, so the compiler refuses it.
inline double real_factor(double factor) { return factor; }

}  // namespace shardfft::device
