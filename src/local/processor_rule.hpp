#pragma once
// The FFT library that is expected to be the fastest on a maker's processors, for plans that measure nothing.
#include <string>
#include <vector>

namespace shardfft {

/// The value of a line of /proc/cpuinfo about this host's first processor: for "vendor_id", its maker, as
/// "GenuineIntel". Empty if there is none.
std::string processor_fact(const std::string& name);

/// The one of `names` that is expected to be the fastest on processors of `maker` with vectors of `vector_bytes`.
/// oneMKL on Intel: on a two-core Xeon with AVX-512 its transforms of 128^3 to 384^3 numbers took 0.6 to 0.9 of FFTW's
/// time. On a two-core AMD EPYC (Zen 5) it took 1.1 to 1.7 times as long as FFTW. Else the library's own `lanes` if
/// vectors have 64 bytes: on both machines they were faster than FFTW at nearly all lengths
/// (bench/results/cpu-time.md). With half of that, FFTW takes less time for lines that lie one behind the other: then
/// FFTW, or the first name in builds without it.
std::string expected_fastest(const std::vector<std::string>& names, const std::string& maker, int vector_bytes);

}  // namespace shardfft
