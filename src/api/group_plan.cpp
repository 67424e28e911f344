// GroupPlan: checks the arguments and hands the work to the GPU executor of all ranks.
#include "shardfft/group_plan.hpp"

#include "api/problem.hpp"
#include "api/report.hpp"
#include "gpu/make.hpp"

namespace shardfft {

struct GroupPlan::Impl {
  Transform transform;
  Options options;
  Sides sides;  ///< as rank 0 sees them
  std::unique_ptr<Runner> runner;

  Impl(const std::vector<int>& devices, Transform t, const Layout& in, const std::optional<Layout>& out,
       OutputLayout kind, const Options& o);
  int ranks() const { return sides.input.layout.ranks(); }
  void run(Direction direction, std::span<const void* const> in, std::span<void* const> out);
  Buffer allocate(const Side& side, int rank) const {
    const Side mine = at(side, rank);
    return {runner->allocate(rank, mine.bytes()), mine.bytes()};
  }
  Side at(Side side, int rank) const {
    require(rank >= 0 && rank < ranks(), "rank ", rank, " is not one of the plan's ", ranks());
    side.rank = rank;
    return side;
  }
};

GroupPlan::Impl::Impl(const std::vector<int>& devices, Transform t, const Layout& in, const std::optional<Layout>& out,
                      OutputLayout kind, const Options& o)
    : transform(t), options(o) {
  options.processor = Processor::gpu;
  require(!devices.empty(), "a group plan needs one GPU at least");
  const ProblemSpec spec{transform, in, out, kind, options, static_cast<int>(devices.size()), Place::devices};
  for (const int device : devices) {
    require(device >= 0, "GPU ", device, " does not exist");
    gpu::check_device(device);
  }
  validate(spec);
  ExecutorSetup setup;
  const Problem problem = make_problem(spec);
  if (options.algorithm == "auto") setup.choices.push_back(choose_algorithm(problem));
  setup.program = make_program(options.algorithm, problem);
  setup.fixed_output = problem.fixed_output();
  setup.exchange = options.exchange;
  setup.scale = scales(spec);
  setup.options = options;
  setup.precision = transform.precision;
  runner = gpu::make_group_runner(std::move(setup), devices);
  sides = make_sides(spec, runner->program(), 0);
}

void GroupPlan::Impl::run(Direction direction, std::span<const void* const> in, std::span<void* const> out) {
  const auto count = static_cast<std::size_t>(ranks());
  require(in.size() == count && out.size() == count, "the plan has ", count, " ranks, but ", in.size(), " inputs and ",
          out.size(), " outputs were given");
  const Side& from = direction == Direction::forward ? sides.input : sides.output;
  const Side& to = direction == Direction::forward ? sides.output : sides.input;
  std::vector<const std::byte*> sources;
  std::vector<std::byte*> targets;
  for (std::size_t r = 0; r < count; ++r) {
    const int rank = static_cast<int>(r);
    require(in[r] != nullptr || at(from, rank).count() == 0, "the input of rank ", r, " is a null pointer");
    require(out[r] != nullptr || at(to, rank).count() == 0, "the output of rank ", r, " is a null pointer");
    sources.push_back(static_cast<const std::byte*>(in[r]));
    targets.push_back(static_cast<std::byte*>(out[r]));
  }
  const Direction d = program_direction(transform, direction);
  runner->check_arrays(d, sources, targets);
  runner->run(d, sources, targets);
}

GroupPlan::GroupPlan(const std::vector<int>& devices, Transform transform, const Layout& input, OutputLayout output,
                     const Options& options)
    : impl_(std::make_unique<Impl>(devices, transform, input, std::nullopt, output, options)) {}

GroupPlan::GroupPlan(const std::vector<int>& devices, Transform transform, const Layout& input, const Layout& output,
                     const Options& options)
    : impl_(std::make_unique<Impl>(devices, transform, input, output, OutputLayout::as_left, options)) {}

GroupPlan::~GroupPlan() = default;
GroupPlan::GroupPlan(GroupPlan&&) noexcept = default;
GroupPlan& GroupPlan::operator=(GroupPlan&&) noexcept = default;

void GroupPlan::set_streams(std::span<void* const> streams) {
  require(streams.empty() || static_cast<int>(streams.size()) == ranks(), "the plan has ", ranks(), " ranks, but ",
          streams.size(), " streams were given");
  impl_->runner->set_streams(streams);
}

void GroupPlan::forward(std::span<const void* const> in, std::span<void* const> out) {
  impl_->run(Direction::forward, in, out);
}
void GroupPlan::backward(std::span<const void* const> in, std::span<void* const> out) {
  impl_->run(Direction::backward, in, out);
}

int GroupPlan::ranks() const { return impl_->ranks(); }
Side GroupPlan::input(int rank) const { return impl_->at(impl_->sides.input, rank); }
Side GroupPlan::output(int rank) const { return impl_->at(impl_->sides.output, rank); }
void* GroupPlan::stream(int rank) const { return impl_->runner->stream(impl_->at(impl_->sides.input, rank).rank); }
std::size_t GroupPlan::workspace_bytes() const { return impl_->runner->workspace_bytes(); }
Buffer GroupPlan::allocate_input(int rank) { return impl_->allocate(impl_->sides.input, rank); }
Buffer GroupPlan::allocate_output(int rank) { return impl_->allocate(impl_->sides.output, rank); }

PlanReport GroupPlan::report() const {
  return make_report({Communicator(), impl_->ranks(), impl_->transform, impl_->options, impl_->sides.input,
                      impl_->sides.output, *impl_->runner});
}

}  // namespace shardfft
