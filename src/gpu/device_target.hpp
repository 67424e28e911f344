#pragma once
// What programs are lowered for on GPUs: line passes, and the slab engine.
#include "exec/compile.hpp"
#include "gpu/team.hpp"
#include "lower/target.hpp"

namespace shardfft::gpu {

class DeviceTarget : public Target {
 public:
  /// setup.exchange is a name, never "auto".
  DeviceTarget(const ExecutorSetup& setup, const Team& team) : setup_(setup), team_(team) {}

  AxisOrder order_after(const Program& program, int step) override;
  Fusion fusion(const Program& program, const std::vector<int>& steps, std::size_t at) override;
  bool scales_free(const Program& program, int step) override;

  /// The first step of the program that the slab engine takes, with what follows; -1 for none.
  int first_of_slab(const Program& program) const;

 private:
  bool line_pass_fits_all(const TransformStep& fft, const State& state) const;

  const ExecutorSetup& setup_;
  const Team& team_;
};

}  // namespace shardfft::gpu
