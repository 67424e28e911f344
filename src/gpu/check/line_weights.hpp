#pragma once
// The weights with which line and plane passes check themselves (option verify).
#include "device/handles.hpp"
#include "device/plane_pass.hpp"

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

/// Weights of both axes of planes. They are scaled so that the sums of both axes are equally large, and so that neither
/// includes the transform's scale factor.
class PlaneWeights {
 public:
  PlaneWeights() = default;
  /// On the current device, for n rows of m points.
  PlaneWeights(int n, int m, bool real_rows, Precision precision, Direction direction, double scale);
  void add_to(device::lines::PlanePass& pass, std::uint64_t* results) const {
    pass.row_checks = rows_.checks(results);
    pass.columns.checks = columns_.checks(results);
  }
  std::size_t bytes() const { return rows_.bytes() + columns_.bytes(); }

 private:
  LineWeights rows_, columns_;
};

}  // namespace shardfft::gpu
