// Redistribution: like the inside of a plan, with a program of one reshape.
#include "shardfft/redistribution.hpp"

#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "api/members.hpp"
#include "api/problem.hpp"
#include "base/require_threads.hpp"
#include "geometry/shape.hpp"

namespace shardfft {

namespace {

void check_move(const Layout& from, const Layout& to, std::size_t element_bytes, const Members& who) {
  validate_layout(from, "layout from", who.ranks());
  validate_layout(to, "layout to", who.ranks());
  require(from.shape() == to.shape(), "the layouts are of arrays of different shapes, ", shape_text(from.shape()),
          " and ", shape_text(to.shape()));
  require(element_bytes > 0, "elements have 0 bytes; at least 1 is needed");
  require_only(who.options, who.place(),
               {"processor", "device", "memory", "stream", "exchange", "batch", "threads", "fake_ranks_per_host",
                "check_calls", "call_timeout", "trace"});
}

}  // namespace

struct Redistribution::Impl : Members {
  std::string exchange;

  Impl(const Ranks& who, const Layout& from, const Layout& to, std::size_t element_bytes, const Options& o);
};

Redistribution::Impl::Impl(const Ranks& who, const Layout& from, const Layout& to, std::size_t element_bytes,
                           const Options& o)
    : Members(who, o, {"redistributions", "the"}) {
  ExecutorSetup setup;
  const Failure failure = failure_of([&] {
    check_move(from, to, element_bytes, *this);
    if (place() != Place::cpu) return;
    setup.local_ffts = candidates("reference");  // nothing is asked of it
    require_threads(options.threads);
  });
  std::vector<Agreed> agreed = agreed_options(failure.failed() ? Options() : options);
  agreed.push_back(agreed_layout("layouts from", failure.failed() ? Layout() : from));
  agreed.push_back(agreed_layout("layouts to", failure.failed() ? Layout() : to));
  agreed.push_back({"sizes of elements", element_bytes, std::to_string(element_bytes)});
  setup.ranks = agree_same(comm, "a redistribution", agreed, options.effort, failure);
  if (comm.valid()) watch_calls(who, "redistribution " + shape_text(from.shape()));
  const auto needed = [&](const Layout& layout, int member) {
    return NeededArray{layout.count(rank_of(member)) * options.batch, element_bytes};
  };
  for (int m = 0; m < members(); ++m) call_arrays.push_back({needed(from, m), needed(to, m)});
  make_runner(std::move(setup), move_program(from, to, element_bytes, options.batch), [](const Program& lowered) {
    return std::vector<NamedProgram>{{"forward", lowered, 1}, {"backward", reversed(lowered), 1}};
  });
  exchange = runner->facts().way.exchange;
}

Redistribution::Redistribution(Ranks ranks, const Layout& from, const Layout& to, std::size_t element_bytes,
                               const Options& options)
    : impl_(std::make_unique<Impl>(ranks, from, to, element_bytes, options)) {}

Redistribution::~Redistribution() = default;
Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;

bool Redistribution::failed_half_way() const { return impl_ != nullptr && impl_->runner->half_way(); }

Redistribution::Impl& Redistribution::impl() const {
  require(impl_ != nullptr, "this redistribution was moved from: only the one that it was moved to can be used");
  impl_->require_usable("redistribution");
  return *impl_;
}

void Redistribution::run(bool forward, const void* in, void* out, const detail::ArrayFacts& about_in,
                         const detail::ArrayFacts& about_out) {
  impl().run(forward ? forward_program : backward_program, In(in), Out(out), {about_in, about_out});
}

void Redistribution::forward(const void* in, void* out) { run(true, in, out, {}, {}); }
void Redistribution::backward(const void* in, void* out) { run(false, in, out, {}, {}); }
void Redistribution::forward(std::span<const void* const> in, std::span<void* const> out) {
  impl().run(forward_program, as_bytes(in), as_bytes(out));
}
void Redistribution::backward(std::span<const void* const> in, std::span<void* const> out) {
  impl().run(backward_program, as_bytes(in), as_bytes(out));
}
int Redistribution::members() const { return impl().members(); }
std::int64_t Redistribution::input_count(int member) const {
  return impl().call_arrays[impl().index_of(member)].input.count;
}
std::int64_t Redistribution::output_count(int member) const {
  return impl().call_arrays[impl().index_of(member)].output.count;
}
const std::string& Redistribution::exchange() const { return impl().exchange; }
std::size_t Redistribution::workspace_bytes() const { return impl().runner->memory().workspace; }

Buffer Redistribution::allocate_input(int member) { return impl().allocate(Call::allocate_input, member); }
Buffer Redistribution::allocate_output(int member) { return impl().allocate(Call::allocate_output, member); }

int Redistribution::device(int member) const { return impl().device(member); }
void* Redistribution::stream(int member) const { return impl().stream(member); }
void Redistribution::set_streams(std::span<void* const> streams) { impl().set_streams(streams); }

std::int64_t Redistribution::bytes_sent() const {
  std::int64_t sum = 0;
  for (const StepReport& step : impl().runner->account(forward_program).steps) sum += step.bytes_sent;
  return sum;
}

void redistribute(MPI_Comm comm, const Layout& from, const Layout& to, std::size_t element_bytes, const void* in,
                  void* out, const Options& options) {
  Redistribution(comm, from, to, element_bytes, options).forward(in, out);
}

}  // namespace shardfft
