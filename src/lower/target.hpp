#pragma once
// What lowering asks of the machine that a program is lowered for. All ranks ask the same questions in the same order,
// so answers may be agreed between them; they must be the same on all ranks.
#include <vector>

#include "algorithm/program.hpp"

namespace shardfft {

/// Several steps that run as one task.
struct Fusion {
  int steps = 1;
  /// The steps still read and write buffers of their own, as if they ran one by one.
  bool keeps_buffers = false;
};

/// Can the step write over what it reads, wherever it runs?
bool can_run_in_place(const Step& step);

class Target {
 public:
  /// `one_array`: everything runs inside one array (workspace = least). Then each step runs by itself and writes over
  /// what it reads, and a halved axis is transformed on its own.
  explicit Target(bool one_array = false) : one_array_(one_array) {}
  virtual ~Target() = default;
  bool one_array() const { return one_array_; }

  /// Groups of the axes of the transform `step` (as it lists them, the last group first) that are best transformed one
  /// group after the other; together they have all axes, a halved or completed one where it was in the list.
  virtual std::vector<std::vector<int>> groups(const Program& program, int step) {
    return {std::get<TransformStep>(program.steps[static_cast<std::size_t>(step)]).numbers()};
  }

  /// The order of axes in memory between the reshape `step` of the program and the next one. Empty for the natural one.
  virtual AxisOrder order_after(const Program& program, int step) = 0;

  /// At multiples of how many elements the rows of both arrays around the reshape `step` are best begun, which only the
  /// plan sees. 1: one behind the other.
  virtual std::int64_t row_unit(const Program& /*program*/, int /*step*/) { return 1; }

  /// What runs as one task, of the steps from steps[at] on; `steps` are those of the program that move something.
  virtual Fusion fusion(const Program& /*program*/, const std::vector<int>& /*steps*/, std::size_t /*at*/) {
    return {};
  }

  /// Whether the step can write over what it reads.
  virtual bool in_place(const Program& program, int step) {
    return can_run_in_place(program.steps[static_cast<std::size_t>(step)]);
  }

  /// Whether the transform `step`, of its own, scales its result without another pass over memory.
  virtual bool scales_free(const Program& /*program*/, int /*step*/) { return true; }

 private:
  bool one_array_;
};

}  // namespace shardfft
