#include "gpu/run/compile.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"
#include "gpu/move/in_place_reshape.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/pass/operator_operation.hpp"
#include "gpu/pass/pointwise_operation.hpp"
#include "gpu/plan/device_target.hpp"
#include "gpu/plan/storing.hpp"
#include "gpu/run/pipeline.hpp"
#include "lower/fft_spec.hpp"
#include "lower/fused_task.hpp"
#include "lower/in_place.hpp"
#include "lower/orders.hpp"
#include "lower/transforms.hpp"

namespace shardfft::gpu {

namespace {

DeviceChecks alone(std::unique_ptr<DeviceCheck> check) {
  DeviceChecks checks;
  checks.push_back(std::move(check));
  return checks;
}

/// Marks tasks whose phase 0 may come early: the first one has its input from the beginning, others may only announce.
void mark_early(std::vector<DeviceTask>& tasks) {
  if (!tasks.front().checks.empty()) return;  // sums of all inputs come first
  for (auto task = tasks.begin(); task != tasks.end(); ++task) {
    const bool can = task->first().phases() > 1 && (task == tasks.begin() || task->first().announces());
    task->announced_early =
        can && std::none_of(tasks.begin(), task, [&task](const DeviceTask& before) {
          const DeviceTask::Places& its = before.places;
          if (before.waits_in_output() && task->written().room == in_output) return true;
          return std::ranges::any_of(
              std::array<ArrayPlace, 5>{its.from, its.to, its.middle, its.receive_buffer, its.scratch},
              [&](const ArrayPlace& place) { return place.overlaps(task->written()); });
        });
  }
}

class DeviceCompiler : public Compiler<DeviceTask> {
 public:
  /// `known`: passes that were chosen before, perhaps for transforms of other programs too.
  DeviceCompiler(ExecutorSetup& setup, const Way& known, const NamedProgram& program, DeviceTarget& target, Team& team)
      : Compiler(program.program, program.scale, target, !setup.options.overwrite_input),
        setup_(setup),
        known_(known),
        team_(team),
        target_(target),
        arrays_(target.arrays(*this)) {}

  /// Places the arrays of the program's tasks. `bytes` are their own_bytes(); returns those of the next program.
  const double* place(std::vector<DeviceTask>& tasks, const double* bytes) const {
    std::vector<TimedArray> timed = gpu::timed(arrays_, setup_.precision);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const DeviceTask& task = tasks[t];
      const int begin = first_turn(t), end = last_turn(t);
      timed.push_back({static_cast<std::size_t>(*bytes++), begin, end});
      const auto waiting = static_cast<std::size_t>(*bytes++);
      if (task.middle && room_of(task.middle->array) == in_workspace) {
        TimedArray& middle = timed[static_cast<std::size_t>(task.middle->array)];
        middle.dies = std::max(middle.dies, end);  // pieces behind the reshape are written while it is read
        if (task.middle->waiting_bytes) middle.bytes = waiting;
      }
    }
    std::vector<ArrayPlace> places = place_arrays(timed, {{0}, {0}, {ArrayRoom::grows, workspace_alignment}});
    const auto at = [&](int array) -> DeviceTask::Place {
      const auto number = static_cast<std::size_t>(array);
      if (arrays_[number].room == in_workspace) return {places[number]};
      return {{arrays_[number].room, 0, ArrayRoom::grows}, places[number], arrays_[number].divided};
    };
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      DeviceTask& task = tasks[t];
      task.places = {at(task.from), at(task.to), {}, {}, places[arrays_.size() + t]};
      if (task.middle) task.places.middle = at(task.middle->array);
      if (task.receive_buffer) task.places.receive_buffer = at(task.receive_buffer->array);
    }
    return bytes;
  }

  /// Begins to compile all kernels of a member before anything waits for the first one.
  void begin_kernels(std::size_t member) {
    if (target_.one_array()) return;
    for (const FusedTask& fused : fused_tasks()) begin_kernels(fused, member);
  }

 private:
  void begin_kernels(const FusedTask& fused, std::size_t member) {
    if (fused.size() == 1) {
      if (transforms(fused.front())) begin_kernels(transform(fused.front()), {Slice{}}, member);
      return;
    }
    const Joined steps = joined(fused);
    const Pieces& cut = pieces(fused);  // known since the arrays have places
    if (steps.before && cut.stores)
      begin_storing_kernels(*steps.before, steps.to.layout, member);
    else if (steps.before)
      begin_kernels(*steps.before, cut.before, member);
    if (steps.after) begin_kernels(*steps.after, cut.after, member);
  }
  void begin_kernels(const LocalTransform& local, const std::vector<Slice>& slices, std::size_t member) const {
    for (const Slice& slice : slices) {
      FftSpec spec = fft_spec(local, rank(member), setup_.precision, slice);
      spec.effort = slices.size() == 1 ? effort() : Effort::estimate;
      compile_ahead(spec, setup_.options.verify, chosen(local));
    }
  }
  void begin_storing_kernels(const LocalTransform& local, const Layout& to, std::size_t member) const {
    const auto plan = storing_plan(local, to, rank(member), setup_.precision, setup_.options.verify);
    if (plan) plan->compile_ahead(setup_.options.verify);
  }
  /// The pieces of a fused task that runs as a pipeline. Collective when first asked for.
  const Pieces& pieces(const FusedTask& fused) { return target_.pieces(joined(fused)); }
  void make(DeviceTask& task, std::size_t number) override {
    const FusedTask& fused = fused_tasks()[number];
    const LoweredStep& first = fused.front();
    choose_arrays(task, fused);
    const bool pipelined = fused.size() > 1;
    task.operations = pipelined ? make_pipeline(task, number) : make_operations(first);
    before_.clear();
    if (!setup_.options.verify)
      for (const auto& operation : task.operations) before_.push_back(operation.get());
    if (setup_.options.verify)
      task.checks = team_.for_members([&](std::size_t m) {
        return pipelined ? task.operations[m]->make_checks() : alone(make_check(first, rank(m), *task.operations[m]));
      });
  }
  void copy(DeviceTask& task) override {
    const State& all = task.from_state;
    task.operations =
        team_.for_members([&](std::size_t m) { return make_copy(state_bytes(all, setup_.precision, rank(m))); });
    if (setup_.options.verify)
      task.checks = team_.for_members([&](std::size_t m) {
        return alone(make_device_move_check(all.layout, all.layout, rank(m), element_bytes(all)));
      });
  }
  int rank(std::size_t member) const { return team_.here()[member].rank; }
  Effort effort() const { return setup_.way_is_given ? Effort::estimate : setup_.options.effort; }
  std::string chosen(const LocalTransform& local) const {
    const std::string name = name_fft(local.step, local.before);
    for (const Way* way : {&std::as_const(setup_.way), &known_})
      if (const auto found = way->passes.find(name); found != way->passes.end()) return found->second;
    return {};
  }

  /// Chooses the array between a transform and a reshape, and the array that others write into if it is not the result:
  /// the input of a last transform that does not run in place.
  void choose_arrays(DeviceTask& task, const FusedTask& fused) const {
    if (fused.size() > 1 && !is_reshape(fused.front())) task.middle = {fused[1].from, before(fused[1])};
    const LoweredStep& last = fused.back();
    if (fused.size() > 1 && !is_reshape(last) && last.from != last.to) task.receive_buffer = {last.from, before(last)};
  }

  MemberOperations make_operations(const LoweredStep& one) {
    const Step& s = step(one);
    if (is_reshape(one))
      return (target_.one_array() ? make_in_place_reshape : make_device_reshape)(
          setup_.way.exchange, {&team_, before(one).layout, after(one).layout, element_bytes(before(one))});
    return team_.for_members([&](std::size_t m) -> std::unique_ptr<DeviceOperation> {
      if (transforms(one)) return make_fft(transform(one), rank(m));
      if (target_.one_array()) require_one_array(s);
      if (const auto* factors = std::get_if<OperatorStep>(&s))
        return make_operator(*factors, before(one), rank(m), setup_.precision,
                             one.from == one.to && m < before_.size() ? before_[m] : nullptr);
      if (auto pointwise = make_pointwise(s, before(one), after(one), rank(m), setup_.precision)) return pointwise;
      fail(Status::unsupported, "the step '", step_name(s), "' does not run on GPUs");
    });
  }

  std::size_t element_bytes(const State& state) const { return shardfft::element_bytes(state, setup_.precision); }

  std::unique_ptr<DeviceCheck> make_check(const LoweredStep& one, int rank, DeviceOperation& operation) const {
    const State &from = before(one), &to = after(one);
    if (is_reshape(one)) return make_device_move_check(from.layout, to.layout, rank, element_bytes(from));
    if (transforms(one))
      return make_device_transform_check(operation, fft_spec(transform(one), rank, setup_.precision));
    return make_device_repeat_check(operation, state_bytes(from, setup_.precision, rank),
                                    state_bytes(to, setup_.precision, rank));
  }

  /// A reshape in chunks, with the transforms at its ends or alone.
  MemberOperations make_pipeline(DeviceTask& task, std::size_t number) {
    const FusedTask& fused = fused_tasks()[number];
    const Joined steps = joined(fused);
    PipelineArrays arrays;
    arrays.last_out_of_place = steps.after && task.receive_buffer;
    const int source = task.middle ? task.middle->array : task.from;
    arrays.source = arrays_[static_cast<std::size_t>(source)].divided;
    arrays.source_in_output = room_of(source) == in_output && !arrays.source;
    arrays.result = arrays_[static_cast<std::size_t>(steps.after ? fused.back().from : task.to)].divided;
    const bool whole = task.from == input_array && task.to == output_array;  // nothing else lies in the output
    arrays.may_wait = arrays.last_out_of_place && whole && (arrays.source_in_output || !setup_.options.in_place);
    if (waits_in_free_output(*this, arrays_, number) && !setup_.options.in_place)
      for (int r = 0; r < team_.ranks(); ++r)
        arrays.free_output.push_back(
            static_cast<std::int64_t>(state_bytes(program().states.back(), setup_.precision, r)));
    arrays.may_wait = arrays.may_wait || !arrays.free_output.empty();
    DevicePipelines made = make_device_pipeline(setup_, team_, steps, pieces(fused), arrays);
    if (task.middle) task.middle->waiting_bytes = made.waiting_bytes;
    return std::move(made.operations);
  }
  int room_of(int array) const { return arrays_[static_cast<std::size_t>(array)].room; }

  std::unique_ptr<DeviceOperation> make_fft(const LocalTransform& local, int rank) {
    FftSpec spec = fft_spec(local, rank, setup_.precision);
    spec.effort = effort();
    if (!target_.one_array()) {
      std::string texts = chosen(local);
      const std::string name = name_fft(local.step, local.before);
      Choice told{"passes of " + name, {}, {}};
      auto fft = make_device_fft(spec, setup_.options.verify, &texts, &told);
      if (!texts.empty()) setup_.way.passes[name] = texts;
      if (!told.chosen.empty()) setup_.tell(told);
      return fft;
    }
    if (!local.step.keeps_numbers())
      require_real_in_place(local.step, local.before, local.after);
    else
      require_same_order(local.before, local.after);
    return plan_fft_in_place(spec).make(setup_.options.verify);
  }

  /// Refuses, for plans in one array, steps other than transforms that cannot run in place.
  void require_one_array(const Step& step) const {
    if (!can_run_in_place(step))
      fail(Status::unsupported, "the step '", step_name(step), "' cannot run in place: plan with workspace = fast");
    if (setup_.options.verify)
      fail(Status::unsupported, "the option verify repeats the step '", step_name(step), "' in a second array: plan ",
           "with workspace = fast");
  }

  ExecutorSetup& setup_;
  const Way& known_;
  Team& team_;
  DeviceTarget& target_;
  std::vector<ArrayLife> arrays_;
  /// The operations of the task before this one, if that may take over a part of this one's work: not with checks.
  std::vector<DeviceOperation*> before_{};
};

/// Sizes that no layout tells: for each task the bytes of scratch, and of data that waits in the workspace, on the GPU
/// that needs most. Collective.
std::vector<double> own_bytes(const std::vector<std::vector<DeviceTask>>& programs, const Team& team) {
  std::vector<double> all;
  for (const auto& tasks : programs)
    for (const DeviceTask& task : tasks) {
      std::size_t scratch = 0;
      for (const auto& operation : task.operations) scratch = std::max(scratch, operation->scratch_bytes());
      const std::size_t waiting = task.middle ? task.middle->waiting_bytes.value_or(0) : 0;
      all.insert(all.end(), {static_cast<double>(scratch), static_cast<double>(waiting)});
    }
  return team.all_here() ? all : team.comm().max(std::move(all));
}

}  // namespace

std::vector<std::vector<DeviceTask>> compile(ExecutorSetup& setup, const std::vector<NamedProgram>& programs,
                                             DeviceTarget& target, Team& team, int trace_step) {
  std::vector<DeviceCompiler> compilers;
  const Way known = setup.way;
  if (trace_step == 0) setup.way.passes.clear(), setup.way.libraries.clear();  // the way of these programs alone
  for (const NamedProgram& program : programs) compilers.emplace_back(setup, known, program, target, team);
  team.for_members([&](std::size_t m) {
    for (DeviceCompiler& compiler : compilers) compiler.begin_kernels(m);
    return m;
  });
  std::vector<std::vector<DeviceTask>> tasks;
  for (DeviceCompiler& compiler : compilers) tasks.push_back(compiler.run(trace_step));
  const std::vector<double> bytes = own_bytes(tasks, team);
  const double* next = bytes.data();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    next = compilers[i].place(tasks[i], next);
    mark_early(tasks[i]);
  }
  return tasks;
}

}  // namespace shardfft::gpu
