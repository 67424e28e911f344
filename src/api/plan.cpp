// Plan: the calls of users, as the inside (plan_impl) takes them.
#include "shardfft/plan.hpp"

#include <algorithm>

#include "api/plan_impl.hpp"
#include "api/report.hpp"

namespace shardfft {

namespace {

int program_of(Direction direction) { return direction == Direction::forward ? forward_program : backward_program; }

}  // namespace

Plan::Plan(Ranks ranks, Transform transform, const Layout& input, OutputLayout output, const Options& options)
    : impl_(std::make_unique<Impl>(ranks, transform, input, std::nullopt, output, options)) {}

Plan::Plan(Ranks ranks, Transform transform, const Layout& input, const Layout& output, const Options& options)
    : impl_(std::make_unique<Impl>(ranks, transform, input, output, OutputLayout::as_left, options)) {}

Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

Plan::Impl& Plan::impl() const {
  require(impl_ != nullptr, "this plan was moved from: only the plan that it was moved to can be used");
  impl_->require_usable("plan");
  return *impl_;
}

void Plan::forward(std::span<const void* const> in, std::span<void* const> out) {
  impl().run(forward_program, as_bytes(in), as_bytes(out));
}
void Plan::backward(std::span<const void* const> in, std::span<void* const> out) {
  impl().run(backward_program, as_bytes(in), as_bytes(out));
}
void Plan::forward(const void* in, void* out) { run(Direction::forward, in, out, {}, {}); }
void Plan::backward(const void* in, void* out) { run(Direction::backward, in, out, {}, {}); }

void Plan::run(Direction direction, const void* in, void* out, const detail::ArrayFacts& about_in,
               const detail::ArrayFacts& about_out) {
  Impl& plan = impl();
  // Spans tell the size of an array; with `in_place` or the least workspace the caller knows the size that it needs.
  const bool told = about_in.count || plan.options.in_place || plan.options.workspace == Workspace::least;
  if (in == out && in != nullptr && !told && plan.members() == 1) {
    const auto& [input, output] = plan.sides.front();
    const std::size_t read = (direction == Direction::forward ? input : output).bytes(),
                      needed = plan.in_place_bytes(0);
    const auto check = [&] { plan.check(program_of(direction), In(in), Out(out), {about_in, about_out}); };
    if (read > 0 && read < needed && !failure_of(check).failed())
      refuse("input and output are one array of unknown size: the input has " + std::to_string(read) +
             " bytes, and a call in place needs in_place_bytes(), " + std::to_string(needed) +
             "; set the option in_place for such calls, or pass spans");
  }
  plan.run(program_of(direction), In(in), Out(out), {about_in, about_out});
}

void Plan::apply(const Operator& op, const void* in, void* out) { run_apply(op, in, out, {}, {}); }
void Plan::apply(const Operator& op, std::span<const void* const> in, std::span<void* const> out) {
  impl().apply(op, as_bytes(in), as_bytes(out));
}

void Plan::run_apply(const Operator& op, const void* in, void* out, const detail::ArrayFacts& about_in,
                     const detail::ArrayFacts& about_out) {
  impl().apply(op, In(in), Out(out), {about_in, about_out});
}

void Plan::adjoint(Direction of, std::span<const void* const> in, std::span<void* const> out) {
  impl().adjoint(of, as_bytes(in), as_bytes(out));
}

Operator Plan::convolution(const void* kernel) { return make_convolution(kernel, {}); }
Operator Plan::convolution(std::span<const void* const> kernels) { return impl().convolution(as_bytes(kernels)); }

Operator Plan::make_convolution(const void* kernel, const detail::ArrayFacts& about) {
  return impl().convolution(In(kernel), about);
}

void Plan::refuse(const std::string& why) {
  // The others may make any call: a failure comes before a mismatch.
  impl().enter(Call::forward, {Status::invalid_argument, why});
  fail(Status::internal, why);
}

bool Plan::failed_half_way() const { return impl_ != nullptr && impl_->runner->half_way(); }

int Plan::ranks() const { return impl().ranks(); }
int Plan::members() const { return impl().members(); }
const Side& Plan::input(int member) const { return impl().at(member).input; }
const Side& Plan::output(int member) const { return impl().at(member).output; }

int Plan::device(int member) const { return impl().device(member); }
void* Plan::stream(int member) const { return impl().stream(member); }
void Plan::set_streams(std::span<void* const> streams) { impl().set_streams(streams); }

std::size_t Plan::in_place_bytes(int member) const { return impl().in_place_bytes(member); }

std::size_t Plan::workspace_bytes() const { return impl().runner->memory().workspace; }

void Plan::set_workspace(void* memory, std::size_t bytes) {
  require(members() == 1, "a plan of ", members(), " members in one process only uses workspaces of its own");
  impl().runner->set_workspace(static_cast<std::byte*>(memory), bytes);
  impl().workspace = {static_cast<const std::byte*>(memory), std::min(bytes, workspace_bytes())};
}

Buffer Plan::allocate_input(int member) { return impl().allocate(Call::allocate_input, member); }
Buffer Plan::allocate_output(int member) { return impl().allocate(Call::allocate_output, member); }

std::string Plan::way() const {
  impl().enter(Call::report, {}, true);
  return impl().way().text();
}

PlanReport Plan::report() const {
  const Impl& plan = impl();
  plan.enter(Call::report, {}, true);
  return make_report({plan.comm, plan.ranks(), plan.transform, plan.options, plan.sides.front().input,
                      plan.sides.front().output, *plan.runner, plan.planning_bytes});
}

}  // namespace shardfft
