// Plan: checks the arguments, agrees on them over all ranks, and hands the work to the executor.
#include "shardfft/plan.hpp"

#include <algorithm>

#include "api/call_array.hpp"
#include "api/call_check.hpp"
#include "api/problem.hpp"
#include "api/report.hpp"
#include "api/trace_file.hpp"
#include "exec/executor.hpp"
#include "gpu/make.hpp"
#include "mpi/host_window.hpp"

namespace shardfft {

namespace {

/// Whether the ranks of a host can share memory at all: containers and kernels may forbid it.
bool can_share(const Communicator& host) {
  try {
    HostWindow(host, 1);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Reading each other's memory wins wherever it is possible: on one host, with room for three arrays a rank.
Choice choose_exchange(const Communicator& comm, const ExecutorSetup& setup) {
  std::size_t largest = 0;
  for (const State& state : setup.program.states) largest = std::max(largest, max_state_bytes(state, setup.precision));
  const Communicator host = comm.split_host();
  const bool room = available_memory() / 3 / static_cast<std::size_t>(comm.size()) > largest;
  // On one host all ranks agree on each of these.
  if (host.size() != comm.size()) return {"exchange", "alltoallv", "the ranks are on several hosts"};
  if (comm.min(std::int64_t{room ? 1 : 0}) == 0)
    return {"exchange", "alltoallv", "this host has no room for three arrays of every rank"};
  if (!can_share(host)) return {"exchange", "alltoallv", "the ranks of this host cannot share memory"};
  return {"exchange", "shared_window", "all ranks are on this host and can read each other's memory"};
}

/// Who was told that others gave up makes no plans that they would not make.
Communicator communicator_of_plan(MPI_Comm users) {
  if (users != MPI_COMM_NULL && mpi_initialized() && !mpi_finalized()) WaitingRoom::refuse_if_closed(users);
  return Communicator::duplicate(users);
}
/// Not to cut: inside a host messages are copies by the same cores that transform, and what cutting gains across
/// networks has not been measured (docs/performance.md).
constexpr int chosen_chunks_on_cpus = 1;

std::unique_ptr<Runner> make_runner(ExecutorSetup setup) {
  if (setup.options.processor == Processor::gpu) return gpu::make_runner(std::move(setup));
  if (setup.options.chunks == 0) setup.options.chunks = chosen_chunks_on_cpus;
  if (setup.exchange == "auto") {
    setup.choices.push_back(choose_exchange(setup.comm, setup));
    setup.exchange = setup.choices.back().chosen;
  }
  return std::make_unique<Executor>(std::move(setup));
}

}  // namespace

struct Plan::Impl {
  Communicator comm;
  Transform transform;
  Options options;
  std::unique_ptr<CallCheck> calls;  ///< null where the user wants no checks
  Sides sides;
  std::unique_ptr<Runner> runner;
  std::unique_ptr<TraceFile> trace_file;

  Impl(MPI_Comm user_comm, Transform t, const Layout& in, const std::optional<Layout>& out, OutputLayout kind,
       const Options& o);
  ~Impl() {
    if (runner && trace_file && !(calls && calls->given_up())) trace_file->write(*runner, transform);
  }
  void enter(
      Call call, const std::function<void()>& check = [] {}) const {
    if (calls)
      calls->enter(call, check);
    else
      check();
  }
  /// Memory of GPUs is a rank's own: each rank allocates it when it likes.
  void enter_allocation(Call call) const {
    if (runner->device(0) < 0) enter(call);
  }
  void run(Direction direction, const void* in, void* out, const detail::ArrayFacts& about_in,
           const detail::ArrayFacts& about_out);
};

Plan::Impl::Impl(MPI_Comm user_comm, Transform t, const Layout& in, const std::optional<Layout>& out, OutputLayout kind,
                 const Options& o)
    : comm(communicator_of_plan(user_comm)), transform(t), options(o) {
  const Place place = options.processor == Processor::gpu ? Place::gpu : Place::cpu;
  const ProblemSpec spec{transform, in, out, kind, options, comm.size(), place};
  agree(comm, [&] { validate(spec); });
  agree_same(comm, spec);
  if (options.check_calls) calls = std::make_unique<CallCheck>(comm, user_comm, plan_name(spec), options.call_timeout);
  trace_file = std::make_unique<TraceFile>(comm, options.trace);
  ExecutorSetup setup;
  agree(comm, [&] {
    const Problem problem = make_problem(spec);
    if (options.algorithm == "auto") setup.choices.push_back(choose_algorithm(problem));
    setup.program = make_program(options.algorithm, problem);
    setup.fixed_output = problem.fixed_output();
    setup.exchange = options.exchange;
    if (options.processor == "cpu") setup.local_ffts = candidates(options.local_fft);
    setup.scale = scales(spec);
  });
  setup.comm = comm;
  setup.options = options;
  setup.precision = transform.precision;
  runner = make_runner(std::move(setup));
  sides = make_sides(spec, runner->program(), comm.rank());
}

void Plan::Impl::run(Direction direction, const void* in, void* out, const detail::ArrayFacts& about_in,
                     const detail::ArrayFacts& about_out) {
  const Side& from = direction == Direction::forward ? sides.input : sides.output;
  const Side& to = direction == Direction::forward ? sides.output : sides.input;
  const auto* const source = static_cast<const std::byte*>(in);
  auto* const target = static_cast<std::byte*>(out);
  const Direction d = program_direction(transform, direction);
  enter(direction == Direction::forward ? Call::forward : Call::backward, [&] {
    check_arrays({in, about_in, from}, {out, about_out, to});
    runner->check_arrays(d, {&source, 1}, {&target, 1});
  });
  const Failure failure = failure_of([&] { runner->run(d, {&source, 1}, {&target, 1}); });
  if (!failure.failed()) return;
  if (calls && runner->half_way()) calls->give_up(failure);
  throw Error(failure.code, failure.text);
}

Plan::Plan(MPI_Comm comm, Transform transform, const Layout& input, OutputLayout output, const Options& options)
    : impl_(std::make_unique<Impl>(comm, transform, input, std::nullopt, output, options)) {}

Plan::Plan(MPI_Comm comm, Transform transform, const Layout& input, const Layout& output, const Options& options)
    : impl_(std::make_unique<Impl>(comm, transform, input, output, OutputLayout::as_left, options)) {}

Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

void Plan::forward(const void* in, void* out) { run(Direction::forward, in, out, {}, {}); }
void Plan::backward(const void* in, void* out) { run(Direction::backward, in, out, {}, {}); }

void Plan::run(Direction direction, const void* in, void* out, const detail::ArrayFacts& about_in,
               const detail::ArrayFacts& about_out) {
  impl_->run(direction, in, out, about_in, about_out);
}

void Plan::refuse(const std::string& why) {
  // Whatever the others call: a failure comes before a mismatch.
  impl_->enter(Call::forward, [&] { fail(Status::invalid_argument, why); });
  fail(Status::internal, why);
}

const Side& Plan::input() const { return impl_->sides.input; }
const Side& Plan::output() const { return impl_->sides.output; }
int Plan::device() const { return impl_->runner->device(0); }
void* Plan::stream() const { return impl_->runner->stream(0); }
std::size_t Plan::workspace_bytes() const { return impl_->runner->workspace_bytes(); }

void Plan::set_workspace(void* memory, std::size_t bytes) {
  impl_->runner->set_workspace(static_cast<std::byte*>(memory), bytes);
}

Buffer Plan::allocate_input() {
  impl_->enter_allocation(Call::allocate_input);
  const std::size_t bytes = impl_->sides.input.bytes();
  return {impl_->runner->allocate(0, bytes), bytes};
}

Buffer Plan::allocate_output() {
  impl_->enter_allocation(Call::allocate_output);
  const std::size_t bytes = impl_->sides.output.bytes();
  return {impl_->runner->allocate(0, bytes), bytes};
}

PlanReport Plan::report() const {
  impl_->enter(Call::report);
  return make_report({impl_->comm, impl_->comm.size(), impl_->transform, impl_->options, impl_->sides.input,
                      impl_->sides.output, *impl_->runner});
}

}  // namespace shardfft
