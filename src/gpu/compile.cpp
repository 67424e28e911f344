#include "gpu/compile.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"
#include "exec/fft_operation.hpp"
#include "gpu/device_fft.hpp"
#include "gpu/device_target.hpp"
#include "gpu/pointwise_operation.hpp"
#include "gpu/slab.hpp"
#include "lower/orders.hpp"
#include "lower/stretch.hpp"

namespace shardfft::gpu {

namespace {

/// One program, stretch by stretch.
class Compiler {
 public:
  Compiler(const ExecutorSetup& setup, const Program& program, double scale, Team& team)
      : setup_(setup), program_(program), team_(team) {
    DeviceTarget target(setup, team);
    stretches_ = cut_in_stretches(program, scale, target);
  }

  /// The stretch that the slab engine takes; null for none.
  const Stretch* slab() const {
    const auto slab = std::find_if(stretches_.begin(), stretches_.end(), is_fused);
    return slab == stretches_.end() ? nullptr : &*slab;
  }

  /// `slab` are the operations of the stretch that the slab engine takes; steps of the trace are numbered from
  /// `trace_step` on.
  std::vector<DeviceTask> run(MemberOperations slab, int trace_step) {
    std::vector<DeviceTask> tasks;
    for (const Stretch& stretch : stretches_) {
      const Stop &first = stretch.front(), &last = stretch.back();
      tasks.push_back({first.from, last.to, before(first), after(last), 0, false,
                       is_fused(stretch) ? std::exchange(slab, {}) : make_operations(first)});
    }
    if (tasks.empty()) {
      const State& all = program_.states.front();
      tasks.push_back({Slot::in, Slot::out, all, all, 0, false,
                       for_members([&](int rank) { return make_copy(state_bytes(all, setup_.precision, rank)); })});
    }
    mark_early(tasks);
    for (DeviceTask& task : tasks) task.trace_step = trace_step++;
    return tasks;
  }

 private:
  static bool is_fused(const Stretch& stretch) { return stretch.size() > 1; }
  const State& before(const Stop& stop) const { return program_.states[static_cast<std::size_t>(stop.step)]; }
  const State& after(const Stop& stop) const { return program_.states[static_cast<std::size_t>(stop.step) + 1]; }

  /// The first task has its input from the beginning; others may only announce.
  static void mark_early(std::vector<DeviceTask>& tasks) {
    for (auto task = tasks.begin(); task != tasks.end(); ++task) {
      const bool can = task->first().phases() > 1 && (task == tasks.begin() || task->first().announces());
      task->announced_early = can && std::none_of(tasks.begin(), task, [&task](const DeviceTask& before) {
                                return before.from == task->to || before.to == task->to;
                              });
    }
  }

  /// What may fail on one rank only is agreed.
  template <class Make>
  MemberOperations for_members(const Make& make) {
    MemberOperations operations;
    team_.agree([&] {
      for (const Member& member : team_.here()) {
        const device::DeviceScope scope(member.device);
        operations.push_back(make(member.rank));
      }
    });
    return operations;
  }

  MemberOperations make_operations(const Stop& stop) {
    const Step& s = program_.steps[static_cast<std::size_t>(stop.step)];
    const State& from = before(stop);
    if (std::holds_alternative<ReshapeStep>(s)) {
      const std::size_t element_bytes = ElementType{setup_.precision, from.is_complex}.bytes();
      return make_device_reshape(setup_.exchange, {&team_, from.layout, after(stop).layout, element_bytes});
    }
    return for_members([&](int rank) -> std::unique_ptr<DeviceOperation> {
      if (const auto* fft = std::get_if<TransformStep>(&s)) return make_fft(*fft, stop, rank);
      if (const auto* twiddle = std::get_if<TwiddleStep>(&s))
        return make_twiddle(twiddle->factors, from.layout, rank, twiddle->sign, setup_.precision);
      if (const auto* promote = std::get_if<PromoteStep>(&s))
        return make_promote(from.layout.count(rank), promote->sign, setup_.precision);
      if (const auto* half = std::get_if<HalfSpectrumStep>(&s))
        return make_half_spectrum(half->modes, from.layout, rank, setup_.precision);
      fail(Status::unsupported, "the step '", step_name(s), "' does not run on GPUs");
    });
  }

  std::unique_ptr<DeviceOperation> make_fft(const TransformStep& fft, const Stop& stop, int rank) {
    FftSpec spec = fft_spec(fft, before(stop), after(stop), rank, setup_.precision);
    spec.scale = stop.scale;
    spec.preserve_input = stop.from == Slot::in;
    spec.in_place = stop.from == stop.to;
    return make_device_fft(spec);
  }

  const ExecutorSetup& setup_;
  const Program& program_;
  Team& team_;
  std::vector<Stretch> stretches_;
};

double scale_of(const Stretch& stretch) {
  double scale = 1;
  for (const Stop& stop : stretch) scale *= stop.scale;
  return scale;
}

/// The slab engine's operations for the program and its reverse, which share its memory; none where it takes neither.
std::array<MemberOperations, 2> make_slab_operations(const ExecutorSetup& setup, const Program& program,
                                                     const Stretch* forward, const Stretch* backward, Team& team) {
  if (forward == nullptr || backward == nullptr) return {};
  SlabSetup slab;
  slab.team = &team;
  slab.precision = setup.precision;
  slab.scale = {scale_of(*forward), scale_of(*backward)};
  slab.chunks = setup.options.chunks;
  return make_slab(program, forward->front().step, slab);
}

}  // namespace

Program lower_for_devices(const ExecutorSetup& setup, const Team& team) {
  DeviceTarget target(setup, team);
  return choose_orders(setup.program, target);
}

std::vector<std::vector<DeviceTask>> compile(const ExecutorSetup& setup, const std::vector<Program>& programs,
                                             Team& team) {
  std::array<Compiler, 2> compilers{Compiler(setup, programs[0], setup.scale[0], team),
                                    Compiler(setup, programs[1], setup.scale[1], team)};
  auto slab = make_slab_operations(setup, programs[0], compilers[0].slab(), compilers[1].slab(), team);
  std::vector<std::vector<DeviceTask>> tasks;
  int trace_step = 0;
  for (std::size_t i = 0; i < compilers.size(); ++i) {
    tasks.push_back(compilers[i].run(std::move(slab[i]), trace_step));
    trace_step += static_cast<int>(tasks.back().size());
  }
  return tasks;
}

}  // namespace shardfft::gpu
