#pragma once
// The FFT library that is expected to be the fastest on a maker's processors, for plans that measure nothing.
#include <string>
#include <vector>

namespace shardfft {

/// The value of a line of /proc/cpuinfo about this host's first processor: for "vendor_id", its maker, as
/// "GenuineIntel". Empty if there is none.
std::string processor_fact(const std::string& name);

/// The one of `names` that is expected to be the fastest for complex transforms on processors of `maker` with vectors
/// of `vector_bytes`. oneMKL on Intel: on a two-core Xeon with AVX-512 its transforms of 128^3 to 384^3 numbers took
/// 0.6 to 0.9 of FFTW's time. On a two-core AMD EPYC (Zen 5) it took 1.1 to 1.7 times as long as FFTW. Else the
/// library's own `lanes` if vectors have 64 bytes: on both machines they were faster than FFTW at nearly all lengths
/// (bench/results/cpu-time.md). With half of that, FFTW takes less time for lines that lie one behind the other: then
/// FFTW, or the first name in builds without it.
std::string expected_fastest(const std::vector<std::string>& names, const std::string& maker, int vector_bytes);

/// Whether the library's own `lanes` are expected to be the fastest for real transforms, on processors of any maker. On
/// a two-core Xeon with AVX-512 oneMKL took 1.0 to 1.6 times as long in double precision and 2.0 to 3.4 times in single
/// (geometric means of 8 to 12 drawn lengths without a prime factor above 13, for r2c and c2r along each set of axes).
inline bool fastest_for_real(int vector_bytes) { return vector_bytes >= 64; }

}  // namespace shardfft
