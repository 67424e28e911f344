#pragma once
// Which FFT library is expected to be the fastest on a maker's processors, where nothing is measured.
#include <string>
#include <vector>

namespace shardfft {

/// The maker of this host's processor in the kernel's words ("GenuineIntel", "AuthenticAMD"); empty where it has none.
std::string processor_maker();

/// The one of `names` that is expected to be the fastest on processors of `maker`; the first where none is expected.
/// oneMKL on Intel, or FFTW in builds without it: on a two-core Xeon with AVX-512 oneMKL's transforms of 128^3 to 384^3
/// numbers took 0.6 to 0.9 of FFTW's time. FFTW on all others: on a two-core AMD EPYC (Zen 5), oneMKL took 1.1 to 1.7
/// times as long as FFTW at 64^3 to 300^3 (complex and real, powers of two, a prime), and plans of this library 1.1 to
/// 1.8 times as long.
std::string expected_fastest(const std::vector<std::string>& names, const std::string& maker);

}  // namespace shardfft
