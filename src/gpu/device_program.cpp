#include "gpu/device_program.hpp"

#include <algorithm>
#include <numeric>

#include "exec/fft_operation.hpp"
#include "gpu/fft_passes.hpp"
#include "gpu/slab.hpp"
#include "local/loops.hpp"

namespace shardfft::gpu {

namespace {

template <class Step>
bool is(const Program& program, std::size_t step) {
  return std::holds_alternative<Step>(program.steps[step]);
}

void erase(Program& program, std::size_t step, std::size_t state) {
  program.steps.erase(program.steps.begin() + static_cast<std::ptrdiff_t>(step));
  program.states.erase(program.states.begin() + static_cast<std::ptrdiff_t>(state));
}

void join_transforms(Program& program) {
  for (std::size_t s = 0; s + 1 < program.steps.size();) {
    const auto* const next = std::get_if<FftStep>(&program.steps[s + 1]);
    auto* const first = std::get_if<FftStep>(&program.steps[s]);
    if (first == nullptr || next == nullptr || next->kind != Kind::c2c ||
        !program.states[s + 1].layout.same_as(program.states[s + 2].layout)) {
      ++s;
      continue;
    }
    first->axes.insert(first->axes.begin(), next->axes.begin(), next->axes.end());  // the halved axis stays last
    erase(program, s + 1, s + 1);
  }
}

/// The program with the rows of a slab left in natural order where the slab engine can then run it; else as it was.
Program prefer_slab(Program program, bool fixed_output) {
  const int steps = static_cast<int>(program.steps.size());
  for (int first = 0; first + slab_steps <= steps; ++first) {
    Program turned = program;
    const auto end = static_cast<std::size_t>(first + slab_steps);
    if (!is<ReshapeStep>(turned, end - 2)) continue;
    for (const std::size_t s : {end - 1, end})
      if (turned.states[s].layout.axes() == 4)
        turned.states[s].layout = turned.states[s].layout.with_order({0, 1, 2, 3});
    // What follows must find its data as before, or be the reshape that only turned them.
    const bool last = end == turned.steps.size();
    if (last && fixed_output && !turned.states[end].layout.same_as(program.states[end].layout)) continue;
    if (!is_slab(turned, first) || (!last && !is<ReshapeStep>(turned, end))) continue;
    if (!last && turned.states[end].layout.same_as(turned.states[end + 1].layout)) {
      erase(turned, end, end);
    }
    return turned;
  }
  return program;
}

/// Changes of order in memory around a transform of one axis that follows a reshape.
class Orders {
 public:
  Orders(const ExecutorSetup& setup, const Team& team, Program& program)
      : setup_(setup), team_(team), program_(program) {}

  void choose() {
    for (std::size_t s = 0; s + 1 < program_.steps.size(); ++s)
      if (may_turn(s)) turn(s, best_order(s));
  }

 private:
  Layout& layout(std::size_t state) { return program_.states[state].layout; }
  std::size_t axes(std::size_t state) { return static_cast<std::size_t>(layout(state).axes()); }

  /// A reshape and a transform whose result another reshape takes, or nobody but the user, who asks where it lies.
  bool may_turn(std::size_t s) {
    if (!is<ReshapeStep>(program_, s) || !is<FftStep>(program_, s + 1)) return false;
    const FftStep& fft = std::get<FftStep>(program_.steps[s + 1]);
    if (fft.axes.size() != 1 || fft.kind != Kind::c2c || !layout(s + 1).same_as(layout(s + 2))) return false;
    return s + 2 == program_.steps.size() ? !setup_.fixed_output : is<ReshapeStep>(program_, s + 2);
  }

  AxisOrder best_order(std::size_t s) {
    AxisOrder natural(axes(s + 1));
    std::iota(natural.begin(), natural.end(), 0);
    const int axis = std::get<FftStep>(program_.steps[s + 1]).axes.front();
    if (axis == 0 || axis == natural.back() || lines_fit(s, natural)) return natural;
    AxisOrder slowest = natural;  // behind the batch
    std::rotate(slowest.begin() + 1, slowest.begin() + axis, slowest.begin() + axis + 1);
    return slowest;
  }

  bool lines_fit(std::size_t s, const AxisOrder& order) {
    const State turned{layout(s + 1).with_order(order), true};
    const FftStep& fft = std::get<FftStep>(program_.steps[s + 1]);
    std::int64_t fits = 1;
    team_.agree([&] {
      for (const Member& member : team_.here()) {
        const device::DeviceScope scope(member.device);
        const FftSpec spec = fft_spec(fft, turned, turned, member.rank, Direction::forward, setup_.precision);
        if (!is_empty(spec) && !line_pass_fits(spec)) fits = 0;
      }
    });
    return team_.min(fits) == 1;
  }

  void turn(std::size_t s, const AxisOrder& order) {
    for (const std::size_t state : {s + 1, s + 2}) layout(state) = layout(state).with_order(order);
    if (s + 2 < program_.steps.size() && layout(s + 2).same_as(layout(s + 3))) erase(program_, s + 2, s + 2);
  }

  const ExecutorSetup& setup_;
  const Team& team_;
  Program& program_;
};

}  // namespace

Program device_program(const ExecutorSetup& setup, const Team& team) {
  Program program = setup.program;
  join_transforms(program);
  if (setup.exchange == "cuda_peer" && team.all_peers()) program = prefer_slab(std::move(program), setup.fixed_output);
  Orders(setup, team, program).choose();
  return program;
}

}  // namespace shardfft::gpu
