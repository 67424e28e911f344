#pragma once
// Transforms of one GPU beside the serial reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "device/handles.hpp"
#include "gpu/pass/device_fft.hpp"
#include "local/local_fft.hpp"

namespace shardfft {

using Complex = std::complex<double>;

/// The way back of a transform, without its scale.
inline FftSpec back_of(FftSpec spec) {
  spec.kind = spec.kind == Kind::c2c ? Kind::c2c : spec.kind == Kind::r2c ? Kind::c2r : Kind::r2c;
  spec.direction = spec.direction == Direction::forward ? Direction::backward : Direction::forward;
  spec.scale = 1;
  for (std::vector<Loop>* loops : {&spec.transform, &spec.batch})
    for (Loop& d : *loops) std::swap(d.from, d.to);
  return spec;
}

/// Runs an operation on copies of both arrays and brings back what it wrote; returns what it left in its input.
template <class In, class Out>
std::vector<In> run_on_copies(gpu::DeviceOperation& operation, std::vector<In> in, std::vector<Out>& out) {
  const std::size_t in_bytes = in.size() * sizeof(In), out_bytes = out.size() * sizeof(Out);
  const device::Memory source = device::make_memory(in_bytes), target = device::make_memory(out_bytes),
                       scratch = device::make_memory(operation.scratch_bytes());
  const device::Stream stream = device::make_stream();
  device::copy_bytes(source.get(), in.data(), in_bytes, stream.get());
  device::copy_bytes(target.get(), out.data(), out_bytes, stream.get());
  operation.enqueue(0,
                    {static_cast<const std::byte*>(source.get()),
                     static_cast<std::byte*>(target.get()),
                     static_cast<std::byte*>(scratch.get()),
                     {}},
                    stream.get());
  device::copy_bytes(out.data(), target.get(), out_bytes, stream.get());
  device::copy_bytes(in.data(), source.get(), in_bytes, stream.get());
  device::synchronize(stream.get());
  return in;
}

/// An operation that makes such a transform, whose arrays lie within `points` complex numbers, out of place.
inline void check_plan(gpu::DeviceOperation& operation, const FftSpec& spec, std::size_t points) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<Complex> in(points), expected(points), got(points);
  for (Complex& z : in) z = {value(random), value(random)};
  make_local_fft("fftw", spec)->execute(std::vector<Complex>(in).data(), expected.data());

  const std::vector<Complex> left = run_on_copies(operation, in, got);
  for (std::size_t i = 0; i < points; ++i) ASSERT_LT(std::abs(got[i] - expected[i]), 1e-11) << "at " << i;
  if (!spec.preserve_input) return;
  EXPECT_EQ(std::memcmp(left.data(), in.data(), points * sizeof(Complex)), 0) << "the input has changed";
}

/// The operation of a spec; nothing is tried unless its effort says so.
inline void check(FftSpec spec, std::size_t points, const std::string& pass, Effort effort = Effort::estimate) {
  spec.effort = effort;
  const auto operation = gpu::make_device_fft(spec);
  EXPECT_NE(operation->describe().find(pass), std::string::npos) << operation->describe();
  check_plan(*operation, spec, points);
}

inline FftSpec forward(std::vector<Loop> transform, std::vector<Loop> batch) {
  FftSpec spec;
  spec.transform = std::move(transform);
  spec.batch = std::move(batch);
  spec.preserve_input = true;
  return spec;
}

inline std::string passes_of(FftSpec spec, double scale = 1) {
  spec.effort = Effort::estimate;  // nothing is tried
  spec.scale = scale;
  const std::string text = gpu::make_device_fft(spec)->describe();
  return text.substr(text.find(" by ") + 4);
}

/// 128^3 and its neighbours.
inline FftSpec cube(Kind kind, std::int64_t nx, std::int64_t nz) {
  const std::int64_t points = kind == Kind::c2c ? nz : nz / 2 + 1;
  FftSpec spec = forward({{nx, 128 * nz, 128 * points}, {128, nz, points}, {nz, 1, 1}}, {});
  if (kind != Kind::c2c) spec.kind = Kind::r2c;
  return kind == Kind::c2r ? back_of(spec) : spec;
}

}  // namespace shardfft
