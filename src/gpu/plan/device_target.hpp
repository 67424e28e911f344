#pragma once
// Answers lowering's questions about GPUs (lower/target.hpp), and places the arrays of programs.
#include "gpu/plan/array_places.hpp"
#include "gpu/plan/offer.hpp"
#include "lower/fused_task.hpp"
#include "lower/target.hpp"
#include "run/runner.hpp"
#include "run/setup.hpp"
#include "schedule/local_transform.hpp"

namespace shardfft::gpu {

int reshapes(const Program& program);

/// A reshape of a program with these transforms at its ends (null: none), or with all that the program has there.
Joined joined_around(const Program& program, std::size_t reshape, const TransformStep* before,
                     const TransformStep* after);
Joined joined_around(const Program& program, std::size_t reshape);

class DeviceTarget : public Target {
 public:
  /// setup.way.exchange is a name, never "auto".
  DeviceTarget(const ExecutorSetup& setup, const Team& team)
      : Target(setup.options.workspace == Workspace::least), setup_(setup), team_(team), offers_(setup, team) {}

  std::vector<std::vector<int>> groups(const Program& program, int step) override;
  AxisOrder order_after(const Program& program, int step) override;
  std::int64_t row_unit(const Program& program, int step) override;
  Fusion fusion(const Program& program, const std::vector<int>& steps, std::size_t at) override;
  bool scales_free(const Program& program, int step) override;
  bool in_place(const Program& program, int step) override;

  /// The arrays of a program by number, each with its room.
  std::vector<ArrayLife> arrays(const Lowered& lowered) {
    return place_lives(lowered, setup_, team_, offers_, begins_in_place(lowered.program()));
  }

  const Pieces& pieces(const Joined& steps) { return offers_.pieces(steps); }

 private:
  bool begins_in_place(const Program& program);
  bool line_pass_fits_all(const TransformStep& fft, const State& state) const;
  bool checks_itself(const Program& program, int step) const;
  bool stays_whole(const Program& program, std::size_t at);

  const ExecutorSetup& setup_;
  const Team& team_;
  Offers offers_;
};

}  // namespace shardfft::gpu
