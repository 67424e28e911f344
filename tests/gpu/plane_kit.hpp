#pragma once
// What the tests of plane passes share. A case says n, m, precision, direction, planes, skipped, m_begin(), m_end(),
// scale and blocks.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>

#include "device/handles.hpp"
#include "device/plane_pass.hpp"
#include "shardfft/gpu.hpp"

namespace shardfft::test {

/// Relative difference of what was got from what was expected, in the l2 norm.
class Difference {
 public:
  void add(std::complex<long double> got, std::complex<long double> expected) {
    error_ += std::norm(got - expected);
    norm_ += std::norm(expected);
  }
  long double relative() const { return std::sqrt(error_ / norm_); }

 private:
  long double error_ = 0, norm_ = 0;
};

template <class Case>
std::string planes_text(const Case& c, const std::string& what) {
  return std::to_string(c.planes) + what + std::to_string(c.n) + " x " + std::to_string(c.m) +
         (c.precision == Precision::f64 ? " f64" : " f32") +
         (c.direction == Direction::forward ? " forward" : " backward") + ", " + std::to_string(c.blocks) + " blocks";
}

/// The pass of a case, without its arrays.
template <class Case>
device::lines::PlanePass plane_pass_of(const Case& c, bool real) {
  device::lines::PlanePass pass;
  pass.real = real;
  pass.m = c.m;
  pass.columns.n = c.n;
  pass.columns.precision = c.precision;
  pass.columns.direction = c.direction;
  pass.columns.outer_begin = c.skipped;
  pass.columns.outer_end = c.planes;
  pass.columns.m_begin = c.m_begin();
  pass.columns.m_end = c.m_end();
  pass.columns.scale = c.scale;
  pass.columns.blocks = c.blocks;
  return pass;
}

/// The second time finds the counters used. `upload` fills the arrays.
template <class Upload>
void run_twice(const device::lines::PlanePass& pass, device::StreamHandle stream, Upload upload) {
  const device::Memory counters =
      device::make_memory(device::lines::plane_counters(pass.columns.outer_end) * sizeof(std::uint32_t));
  device::lines::prepare_planes(pass.columns.n, pass.m, pass.columns.precision, pass.real);
  for (int round = 0; round < 2; ++round) {
    upload();
    device::lines::run(pass, static_cast<std::uint32_t*>(counters.get()), stream);
  }
  device::synchronize(stream);
}

/// Test<double> or Test<float> of a case; false where there is no such kernel.
template <template <class> class Test, class Case>
bool check_planes(const Case& c, bool real) {
  SCOPED_TRACE(c.name());
  if (!device::lines::planes_supported(c.n, c.m, c.precision, real)) return false;
  if (c.precision == Precision::f64)
    Test<double>(c).check();
  else
    Test<float>(c).check();
  return true;
}

/// Whether three planes fit into the L2 cache: of an H200 without a GPU, of any card that has the kernels else.
inline bool planes_fit_cache(int n, int m, Precision precision, bool real) {
  const std::int64_t megabytes = gpu_support().starts_with("stand-in") ? 60 : 50;
  const std::int64_t bytes = 3 * n * device::lines::spectrum_points(m, real) * (precision == Precision::f64 ? 16 : 8);
  return bytes <= megabytes << 20;
}

}  // namespace shardfft::test
