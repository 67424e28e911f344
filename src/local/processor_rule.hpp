#pragma once
// Which FFT library is expected to be the fastest on a maker's processors, where nothing is measured.
#include <string>
#include <vector>

namespace shardfft {

/// A line of /proc/cpuinfo about this host's first processor: of its maker, the "vendor_id", "GenuineIntel". Empty if
/// there is none.
std::string processor_fact(const std::string& name);

/// The one of `names` that is expected to be the fastest on processors of `maker` with vectors of so many bytes; the
/// first where none is expected. oneMKL on Intel: on a two-core Xeon with AVX-512 its transforms of 128^3 to 384^3
/// numbers took 0.6 to 0.9 of FFTW's time. On a two-core AMD EPYC (Zen 5) it took 1.1 to 1.7 times as long as FFTW.
/// Elsewhere the library's own lanes where they have 64 bytes: on both machines faster than FFTW at nearly all lengths
/// (bench/results/cpu-time.md). With half of that, lines that lie one behind the other take FFTW less time.
std::string expected_fastest(const std::vector<std::string>& names, const std::string& maker, int vector_bytes);

}  // namespace shardfft
