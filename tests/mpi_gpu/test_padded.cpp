// Padded axes on GPUs: the spectra and fields of plans on CPUs, which other tests compare with NumPy.
#include <gtest/gtest.h>

#include "mpi_gpu/my_device.hpp"
#include "support/device_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

void expect_same(const PlacedArray& there, const std::vector<double>& expected, const char* what) {
  std::vector<double> got(expected.size());
  there.get(got.data());
  double error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) error = std::max(error, std::abs(got[i] - expected[i]));
  EXPECT_LT(error, 1e-11) << what;
  EXPECT_TRUE(there.guard_is_whole());
}

void check_padded(const Layout& layout, Kind kind, Options options) {
  SCOPED_TRACE(layout.describe());
  Plan on_cpu(MPI_COMM_WORLD, {kind, Precision::f64}, layout, default_output, options);
  options.processor = Processor::gpu;
  Plan plan(MPI_COMM_WORLD, {kind, Precision::f64}, layout, on_cpu.output().layout, options);
  const Side &from = plan.input(), &to = plan.output();
  std::vector<double> field(from.bytes() / sizeof(double)), spectrum(to.bytes() / sizeof(double));
  double number = world().rank();
  for (double& x : field) x = std::sin(number += 1.7);
  PlacedArray there("device", my_device(), from.bytes());
  const PlacedArray spectrum_there("device", my_device(), to.bytes());
  there.put(field.data());
  on_cpu.forward(static_cast<const void*>(field.data()), static_cast<void*>(spectrum.data()));
  plan.forward(static_cast<const void*>(there.data()), static_cast<void*>(spectrum_there.data()));
  expect_same(spectrum_there, spectrum, "spectrum");
  plan.backward(static_cast<const void*>(spectrum_there.data()), static_cast<void*>(there.data()));
  expect_same(there, field, "field");
}

TEST(GpuPadded, AsOnCpus) {
  const int ranks = world().size();
  Options options;
  options.padded = {12, 7, 16};
  options.verify = true;
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    check_padded(Layout::slab({6, 7, 9}, ranks), kind, options);
    check_padded(Layout::pencil({6, 7, 9}, ranks, 0), kind, options);
  }
  options.padded = {9, 0};
  options.transforms = {AxisTransform::dct1, AxisTransform::dst2};
  check_padded(Layout::slab({6, 8}, ranks, 1), Kind::r2r, options);
}

}  // namespace
}  // namespace shardfft::test
