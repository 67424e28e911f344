#pragma once
// The field of equation 5 of Verma et al., Scalable Multi-node Fast Fourier Transform on GPUs, and its spectrum:
// f = 8 sin x sin 2y sin 3z + 8 sin 4x sin 5y sin 6z on [0, 2 pi)^3.
#include "common.cuh"

namespace bench {

/// Which numbers of an array this is: planes or rows that follow each other, z lines `pitch` numbers apart.
struct Patch {
  long long first[3], count[3], pitch, n[3];

  __device__ long long offset(long long i, long long j, long long k) const { return (i * count[1] + j) * pitch + k; }
  template <class Visit>
  __device__ void walk(Visit visit) const {
    const long long rows = count[0] * count[1];
    for (long long row = blockIdx.x; row < rows; row += gridDim.x)
      for (long long k = threadIdx.x; k < count[2]; k += blockDim.x) visit(row / count[1], row % count[1], k);
  }
};

__device__ inline double wave(int number, long long at, long long n) {
  return sinpi(2 * static_cast<double>(number * at % n) / static_cast<double>(n));
}
__device__ inline double paper_field(const Patch& p, long long i, long long j, long long k) {
  const long long x = p.first[0] + i, y = p.first[1] + j, z = p.first[2] + k;
  return 8 * wave(1, x, p.n[0]) * wave(2, y, p.n[1]) * wave(3, z, p.n[2]) +
         8 * wave(4, x, p.n[0]) * wave(5, y, p.n[1]) * wave(6, z, p.n[2]);
}

/// Imaginary part of the spectrum over the number of points; the real part is zero. Sizes above 12.
__device__ inline double paper_spectrum(const Patch& p, long long i, long long j, long long k) {
  const long long at[3] = {p.first[0] + i, p.first[1] + j, p.first[2] + k};
  const int numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};
  double sum = 0;
  for (const auto& wanted : numbers) {
    double sign = 1;
    for (int axis = 0; axis < 3; ++axis)
      sign *= at[axis] == wanted[axis] ? 1 : at[axis] == p.n[axis] - wanted[axis] ? -1 : 0;
    sum += sign;
  }
  return sum;
}

template <class Real>
__global__ void paper_fill(Patch patch, Real* a) {
  patch.walk([&](long long i, long long j, long long k) {
    a[patch.offset(i, j, k)] = static_cast<Real>(paper_field(patch, i, j, k));
  });
}

/// The largest error goes to *worst: bits of a number that is not negative; NaN counts as infinite.
__device__ inline void keep_worst(double error, unsigned long long* worst) {
  if (!(error >= 0)) error = INFINITY;
  if (error > __longlong_as_double(static_cast<long long>(*worst)))
    atomicMax(worst, static_cast<unsigned long long>(__double_as_longlong(error)));
}
template <class Real>
__global__ void paper_field_error(Patch patch, const Real* a, double scale, unsigned long long* worst) {
  patch.walk([&](long long i, long long j, long long k) {
    keep_worst(fabs(a[patch.offset(i, j, k)] * scale - paper_field(patch, i, j, k)), worst);
  });
}
template <class Real>
__global__ void paper_spectrum_error(Patch patch, const Real* a, double scale, unsigned long long* worst) {
  patch.walk([&](long long i, long long j, long long k) {
    const long long at = 2 * patch.offset(i, j, k);
    const double re = a[at] * scale, im = a[at + 1] * scale - paper_spectrum(patch, i, j, k);
    keep_worst(sqrt(re * re + im * im), worst);
  });
}

/// Calls body(typed null pointer) for the precision.
template <class Body>
void with_real(bool wide, Body body) {
  wide ? body(static_cast<double*>(nullptr)) : body(static_cast<float*>(nullptr));
}

inline void fill_paper_field(bool wide, const Patch& patch, void* a) {
  with_real(wide, [&](auto* type) { paper_fill<<<4096, 256>>>(patch, static_cast<decltype(type)>(a)); });
  CHECK(cudaGetLastError());
}

/// The largest error of a patch of the field (reals) or of the spectrum (complex numbers) on the current device.
inline double paper_error(bool wide, bool spectrum, const Patch& patch, const void* a, double scale) {
  unsigned long long* worst = nullptr;
  CHECK(cudaMalloc(&worst, sizeof *worst));
  CHECK(cudaMemset(worst, 0, sizeof *worst));
  with_real(wide, [&](auto* type) {
    const auto* values = static_cast<decltype(type)>(const_cast<void*>(a));
    if (spectrum)
      paper_spectrum_error<<<4096, 256>>>(patch, values, scale, worst);
    else
      paper_field_error<<<4096, 256>>>(patch, values, scale, worst);
  });
  CHECK(cudaGetLastError());
  double error = 0;
  CHECK(cudaMemcpy(&error, worst, sizeof error, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(worst));
  return error;
}

}  // namespace bench
