// Transforms of one GPU against the serial reference, each stage by the pass that is meant to run it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "cuda/handles.hpp"
#include "gpu/device_fft.hpp"
#include "local/local_fft.hpp"

namespace shardfft {
namespace {

using Complex = std::complex<double>;

/// A c2c transform of `points` numbers each way, out of place.
void check(const FftSpec& spec, std::size_t points, const std::string& pass) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<Complex> in(points), expected(points), got(points);
  for (Complex& z : in) z = {value(random), value(random)};
  make_local_fft("reference", spec)->execute(std::vector<Complex>(in).data(), expected.data());

  const std::size_t bytes = points * sizeof(Complex);
  const auto operation = gpu::make_device_fft(spec);
  EXPECT_NE(operation->describe().find(pass), std::string::npos) << operation->describe();
  const cuda::Memory source = cuda::make_memory(bytes), target = cuda::make_memory(bytes),
                     scratch = cuda::make_memory(operation->scratch_bytes());
  const cuda::Stream stream = cuda::make_stream();
  cuda::copy_bytes(source.get(), in.data(), bytes, stream.get());
  operation->enqueue(0,
                     {static_cast<const std::byte*>(source.get()),
                      static_cast<std::byte*>(target.get()),
                      static_cast<std::byte*>(scratch.get()),
                      {}},
                     stream.get());
  cuda::copy_bytes(got.data(), target.get(), bytes, stream.get());
  cuda::synchronize(stream.get());
  for (std::size_t i = 0; i < points; ++i) ASSERT_LT(std::abs(got[i] - expected[i]), 1e-11) << "at " << i;
}

FftSpec forward(std::vector<FftDim> transform, std::vector<FftDim> batch) {
  FftSpec spec;
  spec.transform = std::move(transform);
  spec.batch = std::move(batch);
  spec.preserve_input = true;
  return spec;
}

TEST(DeviceFft, LinesAcrossOneLoop) { check(forward({{128, 64, 64}}, {{64, 1, 1}}), 128 * 64, "line pass"); }

TEST(DeviceFft, LinesAcrossTwoLoops) {
  check(forward({{128, 32, 32}}, {{3, 128 * 32, 128 * 32}, {32, 1, 1}}), 3 * 128 * 32, "line pass");
}

TEST(DeviceFft, LinesOfOtherSizes) { check(forward({{10, 7, 7}}, {{7, 1, 1}}), 70, "cufft"); }

}  // namespace
}  // namespace shardfft
