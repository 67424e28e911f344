#pragma once
// From a program to the tasks that run it, one fused task after the other. A target makes the operation of each task.
#include <utility>
#include <vector>

#include "algorithm/program.hpp"
#include "lower/fused_task.hpp"
#include "schedule/local_transform.hpp"

namespace shardfft {

/// A program in fused tasks, and the step of each lowered step.
class Lowered {
 public:
  /// `keeps_input`: no step overwrites the input, not even c2r.
  Lowered(const Program& program, double scale, Target& target, bool keeps_input)
      : program_(program), keeps_input_(keeps_input), fused_tasks_(fuse_steps(program, scale, target)) {}

  const Program& program() const { return program_; }
  const std::vector<FusedTask>& fused_tasks() const { return fused_tasks_; }
  const Step& step(const LoweredStep& one) const { return program_.steps[static_cast<std::size_t>(one.step)]; }
  const State& before(const LoweredStep& one) const { return program_.states[static_cast<std::size_t>(one.step)]; }
  const State& after(const LoweredStep& one) const { return program_.states[static_cast<std::size_t>(one.step) + 1]; }
  bool is_reshape(const LoweredStep& one) const { return std::holds_alternative<ReshapeStep>(step(one)); }
  bool transforms(const LoweredStep& one) const { return std::holds_alternative<TransformStep>(step(one)); }
  LocalTransform transform(const LoweredStep& one) const {
    const auto& fft = std::get<TransformStep>(step(one));
    const bool keeps = one.from == input_array && (keeps_input_ || fft.kind() != Kind::c2r);
    return {fft, before(one), after(one), one.scale, one.from == one.to, keeps};
  }
  /// A fused task of one reshape, with a transform before it, behind it, at both ends, or at none.
  Joined joined(const FusedTask& fused) const {
    const std::size_t reshape = is_reshape(fused.front()) ? 0 : 1;
    const LoweredStep& move = fused[reshape];
    Joined joined{move.step, before(move), after(move), {}, {}};
    if (reshape > 0) joined.before = transform(fused.front());
    if (reshape + 1 < fused.size()) joined.after = transform(fused.back());
    return joined;
  }

 private:
  const Program& program_;
  bool keeps_input_;
  std::vector<FusedTask> fused_tasks_;
};

/// The arrays of a task, and their contents.
struct TaskEnds {
  int from = input_array;
  int to = output_array;
  State from_state;
  State to_state;
  std::vector<int> steps{};  ///< of the program
  int trace_step = 0;
};

/// Makes the tasks of one program. Task is derived from TaskEnds.
template <class Task>
class Compiler : protected Lowered {
 public:
  virtual ~Compiler() = default;

  /// Returns at least one task. Numbers the steps of the trace from `trace_step` on, and sets it to the next number.
  std::vector<Task> run(int& trace_step) {
    std::vector<Task> tasks;
    const auto add = [&](TaskEnds ends) -> Task& {
      ends.trace_step = trace_step++;
      Task& task = tasks.emplace_back();
      static_cast<TaskEnds&>(task) = std::move(ends);
      return task;
    };
    for (std::size_t i = 0; i < fused_tasks().size(); ++i) {
      const LoweredStep &first = fused_tasks()[i].front(), &last = fused_tasks()[i].back();
      TaskEnds ends{first.from, last.to, before(first), after(last)};
      for (const LoweredStep& one : fused_tasks()[i]) ends.steps.push_back(one.step);
      make(add(std::move(ends)), i);
    }
    if (tasks.empty()) {
      const State& all = program().states.front();
      copy(add({input_array, output_array, all, all}));
    }
    return tasks;
  }

 protected:
  using Lowered::Lowered;
  /// Makes the operation of a task, and its checks.
  virtual void make(Task& task, std::size_t number) = 0;
  /// Makes a plain copy, if no step moves anything.
  virtual void copy(Task& task) = 0;
};

}  // namespace shardfft
