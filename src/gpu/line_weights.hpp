#pragma once
// What line passes need to check themselves (option verify).
#include "device/handles.hpp"
#include "device/line_pass.hpp"

namespace shardfft::gpu {

class LineWeights {
 public:
  LineWeights() = default;
  /// On the current device, for passes over lines of n points that multiply their results by `scale`; real rows go in
  /// pairs. Sums are `emphasis` times as large as with weights of modulus 1 of the results.
  LineWeights(Kind kind, int n, Precision precision, double scale, double emphasis = 1);
  device::lines::PassChecks checks(std::uint64_t* results) const {
    return {weights_.get(), input_factor_, result_factor_, limits_, results};
  }
  std::size_t bytes() const { return bytes_; }

 private:
  double input_factor_ = 1, result_factor_ = 1;
  device::lines::SumLimits limits_;
  std::size_t bytes_ = 0;
  device::Memory weights_;
};

}  // namespace shardfft::gpu
