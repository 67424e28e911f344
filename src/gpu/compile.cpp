#include "gpu/compile.hpp"

#include <algorithm>
#include <optional>

#include "base/check.hpp"
#include "exec/fft_operation.hpp"
#include "gpu/device_fft.hpp"
#include "gpu/pointwise_operation.hpp"
#include "gpu/slab.hpp"

namespace shardfft::gpu {

namespace {

/// Steps [first, first + count) of the program as one task.
struct Job {
  int first = 0;
  int count = 1;
  bool is_slab() const { return count == slab_steps; }
};

class Compiler {
 public:
  Compiler(const ExecutorSetup& setup, Team& team) : setup_(setup), team_(team) {
    find_slab();
    find_scaled_steps();
  }

  std::array<std::vector<DeviceTask>, 2> run() {
    std::array<std::vector<DeviceTask>, 2> tasks;
    if (slab_) make_slab_operations();
    int trace_step = 0;
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      direction_ = direction;
      auto& mine = tasks[static_cast<std::size_t>(direction)];
      mine = colour(jobs());
      for (DeviceTask& task : mine) task.trace_step = trace_step++;
    }
    return tasks;
  }

 private:
  bool backward() const { return direction_ == Direction::backward; }
  const Step& step(int i) const { return setup_.program.steps[static_cast<std::size_t>(i)]; }
  const State& state(int i) const { return setup_.program.states[static_cast<std::size_t>(i)]; }
  int steps() const { return static_cast<int>(setup_.program.steps.size()); }

  /// The slab engine is the exchange cuda_peer with the transforms around it; other names are taken at their word.
  void find_slab() {
    if (setup_.exchange != "cuda_peer" || !team_.all_peers()) return;
    for (int first = 0; first + slab_steps <= steps() && !slab_; ++first)
      if (gpu::is_slab(setup_.program, first)) slab_ = first;
  }

  /// What of the program runs in this direction, in its order: views move nothing.
  std::vector<Job> jobs() const {
    std::vector<Job> list;
    for (int i = 0; i < steps(); ++i) {
      if (slab_ && i == *slab_) {
        list.push_back({i, slab_steps});
        i += slab_steps - 1;
      } else if (moves_something(step(i), direction_)) {
        list.push_back({i, 1});
      }
    }
    if (backward()) std::reverse(list.begin(), list.end());
    return list;
  }

  /// The last transform that runs carries the scale, or the last one for which it costs nothing; -1 without any.
  int scaled_step(Direction direction) const {
    std::vector<int> transforms;  // in the order in which they run
    for (int i = 0; i < steps(); ++i)
      if (std::holds_alternative<FftStep>(step(i))) transforms.push_back(i);
    if (direction == Direction::backward) std::reverse(transforms.begin(), transforms.end());
    if (transforms.empty()) return -1;
    const double scale = setup_.scale[static_cast<std::size_t>(direction)];
    if (slab_ || scale == 1) return transforms.back();
    const auto free =
        std::find_if(transforms.rbegin(), transforms.rend(), [&](int i) { return all_scale_free(i, direction); });
    return free == transforms.rend() ? transforms.back() : *free;
  }

  /// Ranks must decide alike: what one sends the other may be scaled already.
  bool all_scale_free(int i, Direction direction) const {
    std::int64_t free = 1;
    team_.agree([&] {
      for (const Member& member : team_.here()) {
        const device::DeviceScope scope(member.device);
        FftSpec spec =
            fft_spec(std::get<FftStep>(step(i)), state(i), state(i + 1), member.rank, direction, setup_.precision);
        for (const bool kept : {false, true}) {  // which it will be is not known yet
          spec.preserve_input = kept;
          if (!scales_free(spec)) free = 0;
        }
      }
    });
    return team_.min(free) == 1;
  }

  /// Asked once: it is collective.
  void find_scaled_steps() {
    for (const Direction d : {Direction::forward, Direction::backward})
      scaled_[static_cast<std::size_t>(d)] = scaled_step(d);
  }
  double scale_of(const Job& job, Direction direction) const {
    const int scaled = scaled_[static_cast<std::size_t>(direction)];
    return scaled >= job.first && scaled < job.first + job.count ? setup_.scale[static_cast<std::size_t>(direction)]
                                                                 : 1;
  }

  void make_slab_operations() {
    SlabSetup slab;
    slab.team = &team_;
    slab.precision = setup_.precision;
    const Job job{*slab_, slab_steps};
    slab.scale = {scale_of(job, Direction::forward), scale_of(job, Direction::backward)};
    slab.chunks = setup_.options.chunks > 1 ? setup_.options.chunks : 0;
    slab_operations_ = make_slab(setup_.program, *slab_, slab);
  }

  /// Buffers from the last task to the first, as plan_route() does it for CPUs; a slab is one step that needs two.
  std::vector<DeviceTask> colour(const std::vector<Job>& list) {
    std::vector<DeviceTask> tasks(list.size());
    Slot to = Slot::out;
    for (std::size_t i = list.size(); i-- > 0;) {
      const Job& job = list[i];
      DeviceTask& task = tasks[i];
      task.from_state = job.first + (backward() ? job.count : 0);
      task.to_state = job.first + (backward() ? 0 : job.count);
      task.to = to;
      const bool in_place = !job.is_slab() && can_run_in_place(step(job.first));
      task.from = i == 0 ? Slot::in : in_place ? to : to == Slot::work0 ? Slot::work1 : Slot::work0;
      to = task.from;
    }
    for (std::size_t i = 0; i < list.size(); ++i) tasks[i].operations = make_operations(list[i], tasks[i]);
    if (tasks.empty()) {
      tasks.resize(1);
      tasks.front().operations = for_members([&](int rank) { return make_copy(state_bytes(setup_, 0, rank)); });
    }
    mark_early(tasks);
    return tasks;
  }

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

  MemberOperations make_operations(const Job& job, const DeviceTask& task) {
    if (job.is_slab()) return std::move(slab_operations_[static_cast<std::size_t>(direction_)]);
    const Step& s = step(job.first);
    const State& before = state(job.first);
    if (std::holds_alternative<ReshapeStep>(s)) {
      const std::size_t element_bytes = ElementType{setup_.precision, before.is_complex}.bytes();
      return make_device_reshape(setup_.exchange,
                                 {&team_, state(task.from_state).layout, state(task.to_state).layout, element_bytes});
    }
    return for_members([&](int rank) -> std::unique_ptr<DeviceOperation> {
      if (const auto* fft = std::get_if<FftStep>(&s)) return make_fft(*fft, job, task, rank);
      if (const auto* twiddle = std::get_if<TwiddleStep>(&s))
        return make_twiddle(twiddle->factors, before.layout, rank, direction_, setup_.precision);
      if (std::holds_alternative<PromoteStep>(s))
        return make_promote(before.layout.count(rank), direction_, setup_.precision);
      if (const auto* half = std::get_if<HalfSpectrumStep>(&s))
        return make_half_spectrum(half->modes, before.layout, rank, setup_.precision);
      fail(Status::unsupported, "the step '", step_name(s), "' does not run on GPUs");
    });
  }

  std::unique_ptr<DeviceOperation> make_fft(const FftStep& fft, const Job& job, const DeviceTask& task, int rank) {
    FftSpec spec = fft_spec(fft, state(job.first), state(job.first + 1), rank, direction_, setup_.precision);
    spec.scale = scale_of(job, direction_);
    spec.preserve_input = task.from == Slot::in;
    spec.in_place = task.from == task.to;
    return make_device_fft(spec);
  }

  const ExecutorSetup& setup_;
  Team& team_;
  Direction direction_ = Direction::forward;
  std::optional<int> slab_;
  std::array<int, 2> scaled_{-1, -1};
  std::array<MemberOperations, 2> slab_operations_;
};

}  // namespace

std::array<std::vector<DeviceTask>, 2> compile(const ExecutorSetup& setup, Team& team) {
  return Compiler(setup, team).run();
}

}  // namespace shardfft::gpu
