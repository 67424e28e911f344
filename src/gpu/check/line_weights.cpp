#include "gpu/check/line_weights.hpp"

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <vector>

#include "verify/check_weights.hpp"
#include "verify/transform_check.hpp"

namespace shardfft::gpu {

namespace {

/// The weights in the form that kernels read (device/line_checks.hpp).
template <class T>
std::vector<std::byte> in_precision(const RealCheckWeights& weights) {
  std::vector<std::complex<T>> in;
  for (const std::complex<double>& w : weights.in) in.emplace_back(static_cast<T>(w.real()), static_cast<T>(w.imag()));
  std::vector<std::uint32_t> out;
  for (const double w : weights.real)
    out.push_back(sizeof(T) == 8 ? static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(w) >> 32)
                                 : std::bit_cast<std::uint32_t>(static_cast<float>(w)));
  std::vector<std::byte> all(in.size() * sizeof in.front() + out.size() * sizeof out.front());
  std::memcpy(all.data(), in.data(), in.size() * sizeof in.front());
  std::memcpy(all.data() + in.size() * sizeof in.front(), out.data(), out.size() * sizeof out.front());
  return all;
}

}  // namespace

LineWeights::LineWeights(Kind kind, int n, Precision precision, double scale, double emphasis) {
  FftSpec line;
  line.precision = precision;
  line.transform = {{n, 1, 1}};
  line.scale = scale;
  const TransformCheck check(line);
  const RealCheckWeights weights = make_real_axis_weights(kind, n, 1 / std::numbers::sqrt2);
  // Kernels know the size of numbers from partial sums, which contain the weights: the limit is divided by these.
  double squares = 0;
  for (const std::complex<double>& w : weights.in) squares += scale * scale * std::norm(w);
  limits_ = {check.limits().part / std::sqrt(squares / n), emphasis * check.limits().floor};
  input_factor_ = emphasis * scale;
  result_factor_ = emphasis;
  const std::vector<std::byte> all =
      precision == Precision::f64 ? in_precision<double>(weights) : in_precision<float>(weights);
  bytes_ = all.size();
  weights_ = device::make_memory(bytes_);
  const device::Stream stream = device::make_stream();
  device::copy_bytes(weights_.get(), all.data(), bytes_, stream.get());
  device::synchronize(stream.get());
}

PlaneWeights::PlaneWeights(int n, int m, bool real_rows, Precision precision, Direction direction, double scale) {
  const bool rows_first = direction == Direction::forward;
  const double first = std::sqrt(static_cast<double>(rows_first ? n : m));
  const Kind rows = !real_rows ? Kind::c2c : rows_first ? Kind::r2c : Kind::c2r;
  rows_ = LineWeights(rows, m, precision, 1, rows_first ? first : 1 / scale);
  columns_ = LineWeights(Kind::c2c, n, precision, scale, (rows_first ? 1 : first) / scale);
}

}  // namespace shardfft::gpu
