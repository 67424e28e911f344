#pragma once
// The questions of lowering to the machine for which a program is lowered. All ranks ask the same questions in the same
// order, so ranks may agree on answers; they must be the same on all ranks.
#include <vector>

#include "algorithm/program.hpp"

namespace shardfft {

/// Several steps that run as one task.
struct Fusion {
  int steps = 1;
  /// The steps still read and write arrays of their own, as if they ran one by one.
  bool keeps_buffers = false;
};

/// Whether the step can overwrite its input, on any machine.
bool can_run_in_place(const Step& step);

class Target {
 public:
  /// `one_array`: everything runs inside one array (workspace = least). Then each step runs by itself and overwrites
  /// its input, and a halved axis is transformed on its own.
  explicit Target(bool one_array = false) : one_array_(one_array) {}
  virtual ~Target() = default;
  bool one_array() const { return one_array_; }

  /// Groups of axes of the transform `step` that are best transformed one after the other, listed as in step.axes (the
  /// last group first). Together they have all axes; a halved or completed axis keeps its position.
  virtual std::vector<std::vector<int>> groups(const Program& program, int step) {
    return {std::get<TransformStep>(program.steps[static_cast<std::size_t>(step)]).numbers()};
  }

  /// The order of axes in memory between the reshape `step` of the program and the next one. Empty: the natural order.
  virtual AxisOrder order_after(const Program& program, int step) = 0;

  /// The best alignment, in elements, of the rows of both arrays around the reshape `step`, which only the plan sees.
  /// 1: no gaps.
  virtual std::int64_t row_unit(const Program& /*program*/, int /*step*/) { return 1; }

  /// The steps from steps[at] on that run as one task; `steps` are the steps of the program that move something.
  virtual Fusion fusion(const Program& /*program*/, const std::vector<int>& /*steps*/, std::size_t /*at*/) {
    return {};
  }

  /// Whether the step can overwrite its input.
  virtual bool in_place(const Program& program, int step) {
    return can_run_in_place(program.steps[static_cast<std::size_t>(step)]);
  }

  /// Whether the transform `step` scales its result without another pass over memory.
  virtual bool scales_free(const Program& /*program*/, int /*step*/) { return true; }

 private:
  bool one_array_;
};

}  // namespace shardfft
