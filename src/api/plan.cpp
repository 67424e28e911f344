// Plan: checks the arguments, agrees on them over all ranks, and hands the work to the runner of its processor.
#include "shardfft/plan.hpp"

#include <algorithm>
#include <functional>

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
Choice choose_exchange(const Communicator& comm, const ExecutorSetup& setup, const Program& program) {
  std::size_t largest = 0;
  for (const State& state : program.states) largest = std::max(largest, max_state_bytes(state, setup.precision));
  const Communicator host = comm.split_host();
  const bool room = available_memory() / 3 / static_cast<std::size_t>(comm.size()) > largest;
  // On one host all ranks agree on each of these.
  if (host.size() != comm.size()) return {"exchange", "alltoallv", "the ranks are on several hosts"};
  if (comm.min(std::int64_t{room ? 1 : 0}) == 0)
    return {"exchange", "alltoallv", "this host has no room for three arrays of every rank"};
  if (!can_share(host)) return {"exchange", "alltoallv", "the ranks of this host cannot share memory"};
  return {"exchange", "shared_window", "all ranks are on this host and can read each other's memory"};
}

/// Not to cut: inside a host messages are copies by the same cores that transform, and what cutting gains across
/// networks has not been measured (docs/performance.md).
constexpr int chosen_chunks_on_cpus = 1;

std::unique_ptr<Runner> make_runner(ExecutorSetup setup, const Program& program, const std::vector<int>& devices) {
  if (setup.options.processor == Processor::gpu) return gpu::make_runner(std::move(setup), devices);
  if (setup.options.chunks == 0) setup.options.chunks = chosen_chunks_on_cpus;
  if (setup.exchange == "auto") {
    setup.choices.push_back(choose_exchange(setup.comm, setup, program));
    setup.exchange = setup.choices.back().chosen;
  }
  return std::make_unique<Executor>(std::move(setup));
}

/// Empty over a communicator.
std::vector<int> devices_of(const Ranks& ranks) {
  const auto* devices = std::get_if<Devices>(&ranks);
  if (devices == nullptr) return {};
  require(!devices->numbers.empty(), "a plan over devices needs one GPU at least");
  for (const int device : devices->numbers) {
    require(device >= 0, "GPU ", device, " does not exist");
    gpu::check_device(device);
  }
  return devices->numbers;
}

/// None over devices. Who was told that others gave up makes no plans that they would not make.
Communicator communicator_of(const Ranks& ranks) {
  const auto* comm = std::get_if<MPI_Comm>(&ranks);
  if (comm == nullptr) return {};
  if (*comm != MPI_COMM_NULL && mpi_initialized() && !mpi_finalized()) WaitingRoom::refuse_if_closed(*comm);
  return Communicator::duplicate(*comm);
}

/// Processes agree on failures; the devices of one have nobody else to tell.
void together(const Communicator& comm, const std::function<void()>& work) {
  comm.valid() ? agree(comm, work) : work();
}

/// What the types of a call tell of its arrays.
struct Facts {
  detail::ArrayFacts in{}, out{};
};

int program_of(Direction direction) { return direction == Direction::forward ? forward_program : backward_program; }

std::vector<const std::byte*> as_bytes(std::span<const void* const> arrays) {
  std::vector<const std::byte*> bytes;
  for (const void* array : arrays) bytes.push_back(static_cast<const std::byte*>(array));
  return bytes;
}

std::vector<std::byte*> as_bytes(std::span<void* const> arrays) {
  std::vector<std::byte*> bytes;
  for (void* array : arrays) bytes.push_back(static_cast<std::byte*>(array));
  return bytes;
}

}  // namespace

struct Plan::Impl {
  std::vector<int> devices;  ///< none over a communicator
  Communicator comm;         ///< none over devices
  Transform transform;
  Options options;
  std::unique_ptr<CallCheck> calls;  ///< null over devices
  std::vector<Sides> sides;          ///< by member
  std::unique_ptr<Runner> runner;
  std::unique_ptr<TraceFile> trace_file;

  Impl(const Ranks& who, Transform t, const Layout& in, const std::optional<Layout>& out, OutputLayout kind,
       const Options& o);
  ~Impl() {
    if (runner && trace_file && !(calls && calls->given_up())) trace_file->write(*runner);
  }
  void enter(Call call, const Failure& mine = {}) const {
    if (calls)
      calls->enter(call, mine);
    else if (mine.failed())
      throw Error(mine.code, mine.text);
  }
  int ranks() const { return comm.valid() ? comm.size() : static_cast<int>(devices.size()); }
  int members() const { return comm.valid() ? 1 : ranks(); }
  Place place() const {
    if (!comm.valid()) return Place::devices;
    return options.processor == Processor::gpu ? Place::gpu : Place::cpu;
  }
  void make(const ProblemSpec& spec);
  const Sides& at(int member) const {
    require(member >= 0 && member < members(), "member ", member, " is not one of the ", members(),
            " that this process has of the plan's ", ranks(), " ranks");
    return sides[static_cast<std::size_t>(member)];
  }
  void check(Direction direction, InputArrays in, OutputArrays out, const Facts& facts) const;
  void run(Direction direction, InputArrays in, OutputArrays out, const Facts& facts = {});
  Buffer allocate(Call call, int member);
};

Plan::Impl::Impl(const Ranks& who, Transform t, const Layout& in, const std::optional<Layout>& out, OutputLayout kind,
                 const Options& o)
    : devices(devices_of(who)), comm(communicator_of(who)), transform(t), options(o) {
  if (!comm.valid()) options.processor = Processor::gpu;
  const ProblemSpec spec{transform, in, out, kind, options, ranks(), place()};
  together(comm, [&] { validate(spec); });
  if (comm.valid()) {
    agree_same(comm, spec);
    calls = std::make_unique<CallCheck>(
        CallCheckSetup{comm, std::get<MPI_Comm>(who), plan_name(spec), options.call_timeout, options.check_calls});
    trace_file = std::make_unique<TraceFile>(comm, options.trace);
  }
  make(spec);
}

/// The runner, its programs, and the sides that these leave. Collective.
void Plan::Impl::make(const ProblemSpec& spec) {
  ExecutorSetup setup;
  Program program;
  together(comm, [&] {
    const Problem problem = make_problem(spec);
    if (options.algorithm == "auto") setup.choices.push_back(choose_algorithm(problem));
    program = make_program(options.algorithm, problem);
    if (place() == Place::cpu) setup.local_ffts = candidates(options.local_fft);
  });
  setup.exchange = options.exchange;
  setup.comm = comm;
  setup.options = options;
  setup.precision = transform.precision;
  if (calls) setup.watch = &calls->watch();
  runner = make_runner(std::move(setup), program, devices);
  runner->add(make_programs(spec, runner->lower(program)));
  const Program& forward = runner->programs()[forward_program].program;
  for (int m = 0; m < members(); ++m) sides.push_back(make_sides(spec, forward, comm.valid() ? comm.rank() : m));
}

/// Throws for what is wrong with this process's arrays.
void Plan::Impl::check(Direction direction, InputArrays in, OutputArrays out, const Facts& facts) const {
  const auto count = static_cast<std::size_t>(members());
  require(in.size() == count && out.size() == count, "this process has ", count, " of the plan's ranks, but ",
          in.size(), " inputs and ", out.size(), " outputs were given");
  for (std::size_t m = 0; m < count; ++m) {
    const Side& from = direction == Direction::forward ? sides[m].input : sides[m].output;
    const Side& to = direction == Direction::forward ? sides[m].output : sides[m].input;
    try {
      shardfft::check_arrays({in[m], facts.in, from}, {out[m], facts.out, to});
    } catch (const Error& e) {
      if (count == 1) throw;
      fail(e.code(), "rank ", from.rank, ": ", e.what());
    }
  }
  runner->check_arrays(program_of(direction), in, out);
}

void Plan::Impl::run(Direction direction, InputArrays in, OutputArrays out, const Facts& facts) {
  enter(direction == Direction::forward ? Call::forward : Call::backward,
        failure_of([&] { check(direction, in, out, facts); }));
  Failure failure = failure_of([&] { runner->run(program_of(direction), in, out); });
  if (!failure.failed()) return;
  if (calls && runner->half_way()) {
    failure = failure_of_rank(std::move(failure), comm.rank());
    calls->give_up(failure);
  }
  throw Error(failure.code, failure.text);
}

Buffer Plan::Impl::allocate(Call call, int member) {
  const Sides& mine = at(member);
  if (place() == Place::cpu) enter(call);  // memory of GPUs is a rank's own: each rank allocates it when it likes
  const std::size_t bytes = (call == Call::allocate_input ? mine.input : mine.output).bytes();
  return {runner->allocate(member, bytes), bytes};
}

Plan::Plan(Ranks ranks, Transform transform, const Layout& input, OutputLayout output, const Options& options)
    : impl_(std::make_unique<Impl>(ranks, transform, input, std::nullopt, output, options)) {}

Plan::Plan(Ranks ranks, Transform transform, const Layout& input, const Layout& output, const Options& options)
    : impl_(std::make_unique<Impl>(ranks, transform, input, output, OutputLayout::as_left, options)) {}

Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

Plan::Impl& Plan::impl() const {
  require(impl_ != nullptr, "this plan was moved from: only the plan that it was moved to can be used");
  require(!impl_->comm.valid() || !mpi_finalized(), "MPI is finalized already: this plan can only be destroyed");
  return *impl_;
}

void Plan::forward(std::span<const void* const> in, std::span<void* const> out) {
  impl().run(Direction::forward, as_bytes(in), as_bytes(out));
}
void Plan::backward(std::span<const void* const> in, std::span<void* const> out) {
  impl().run(Direction::backward, as_bytes(in), as_bytes(out));
}
void Plan::forward(const void* in, void* out) { run(Direction::forward, in, out, {}, {}); }
void Plan::backward(const void* in, void* out) { run(Direction::backward, in, out, {}, {}); }

void Plan::run(Direction direction, const void* in, void* out, const detail::ArrayFacts& about_in,
               const detail::ArrayFacts& about_out) {
  const auto* const from = static_cast<const std::byte*>(in);
  auto* const to = static_cast<std::byte*>(out);
  impl().run(direction, {&from, 1}, {&to, 1}, {about_in, about_out});
}

void Plan::refuse(const std::string& why) {
  // Whatever the others call: a failure comes before a mismatch.
  impl().enter(Call::forward, {Status::invalid_argument, why});
  fail(Status::internal, why);
}

int Plan::ranks() const { return impl().ranks(); }
int Plan::members() const { return impl().members(); }
const Side& Plan::input(int member) const { return impl().at(member).input; }
const Side& Plan::output(int member) const { return impl().at(member).output; }

int Plan::device(int member) const {
  impl().at(member);
  return impl().runner->device(member);
}

void* Plan::stream(int member) const {
  impl().at(member);
  return impl().runner->stream(member);
}

void Plan::set_streams(std::span<void* const> streams) {
  require(impl().place() != Place::cpu, "plans on CPUs have no streams");
  require(streams.empty() || static_cast<int>(streams.size()) == members(), "this process has ", members(),
          " of the plan's ranks, but ", streams.size(), " streams were given");
  impl().runner->set_streams(streams);
}

std::size_t Plan::workspace_bytes() const { return impl().runner->workspace_bytes(); }

void Plan::set_workspace(void* memory, std::size_t bytes) {
  require(members() == 1, "a plan of ", members(), " members in one process has a workspace for each, of its own");
  impl().runner->set_workspace(static_cast<std::byte*>(memory), bytes);
}

Buffer Plan::allocate_input(int member) { return impl().allocate(Call::allocate_input, member); }
Buffer Plan::allocate_output(int member) { return impl().allocate(Call::allocate_output, member); }

PlanReport Plan::report() const {
  const Impl& plan = impl();
  plan.enter(Call::report);
  return make_report({plan.comm, plan.ranks(), plan.transform, plan.options, plan.sides.front().input,
                      plan.sides.front().output, *plan.runner});
}

}  // namespace shardfft
