#include "gpu/line_weights.hpp"

#include <complex>
#include <vector>

#include "exec/transform_check.hpp"

namespace shardfft::gpu {

namespace {

template <class T>
std::vector<std::complex<T>> in_precision(const TransformCheck& check, double factor) {
  std::vector<std::complex<T>> all;
  for (const CheckSide* side : {&check.input(), &check.output()})
    for (const std::complex<double>& w : side->loops.front().weight)
      all.emplace_back(static_cast<T>(factor * w.real()), static_cast<T>(factor * w.imag()));
  return all;
}

}  // namespace

LineWeights::LineWeights(int n, Precision precision, double scale, double emphasis) {
  FftSpec line;
  line.precision = precision;
  line.transform = {{n, 1, 1}};
  line.scale = scale;
  const TransformCheck check(line);
  limits_ = {emphasis * check.limits().part, emphasis * check.limits().floor};
  const auto upload = [this](const auto& weights) {
    bytes_ = weights.size() * sizeof weights.front();
    weights_ = device::make_memory(bytes_);
    const device::Stream stream = device::make_stream();
    device::copy_bytes(weights_.get(), weights.data(), bytes_, stream.get());
    device::synchronize(stream.get());
  };
  if (precision == Precision::f64)
    upload(in_precision<double>(check, emphasis));
  else
    upload(in_precision<float>(check, emphasis));
}

}  // namespace shardfft::gpu
