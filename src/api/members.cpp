#include "api/members.hpp"

#include <algorithm>

#include "api/problem.hpp"
#include "base/check.hpp"
#include "exec/executor.hpp"
#include "gpu/run/make.hpp"
#include "mpi/stall_detector.hpp"
#include "shardfft/forks.hpp"

namespace shardfft {

namespace {

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

Communicator communicator_of(const Ranks& ranks, const Communicator::Mark& mark, bool& alike) {
  const auto* comm = std::get_if<MPI_Comm>(&ranks);
  if (comm == nullptr) return {};
  require(
      !mpi_is_inherited(),
      "this process was forked from one that had initialised MPI, and only that process may use MPI: transform there, "
      "or in newly started processes");
  if (*comm != MPI_COMM_NULL && !is_no_handle(*comm) && mpi_initialized() && !mpi_finalized())
    StallDetector::refuse_if_closed(*comm);
  return Communicator::duplicate(*comm, mark, alike);
}

}  // namespace

Members::Members(const Ranks& who, const Options& o, Words w, const Communicator::Mark& mark)
    : words(w), devices(devices_of(who)), comm(communicator_of(who, mark, alike)), options(o) {
  if (!comm.valid()) options.processor = Processor::gpu;
}

Members::~Members() {
  if (home.left()) {
    static_cast<void>(runner.release());
    static_cast<void>(calls.release());
    static_cast<void>(trace_file.release());
    static_cast<void>(new Communicator(std::move(comm)));  // the last one frees it in MPI
    return;
  }
  if (calls && calls->given_up())
    comm.abandon();
  else if (runner && trace_file)
    trace_file->write(*runner);
}

void Members::require_usable(const char* what) const {
  require(!home.left(), "this ", what,
          " was made before this process was forked, and only the process that made it can use it:",
          " transform there, or in newly started processes");
  require(!comm.valid() || !mpi_finalized(), "MPI is finalized already: this ", what, " can only be destroyed");
}

Place Members::place() const {
  if (!comm.valid()) return Place::devices;
  return options.processor == Processor::gpu ? Place::gpu : Place::cpu;
}

std::size_t Members::index_of(int member) const {
  require(member >= 0 && member < members(), "member ", member, " does not exist: this process has ", members(), " of ",
          words.whose, " ", ranks(), " ranks");
  return static_cast<std::size_t>(member);
}

int Members::device(int member) const {
  index_of(member);
  return runner->member(member).device;
}

void* Members::stream(int member) const {
  index_of(member);
  return runner->member(member).stream;
}

void Members::set_streams(std::span<void* const> streams) {
  require(place() != Place::cpu, words.plural, " on CPUs have no streams");
  together([&] {
    require(streams.empty() || static_cast<int>(streams.size()) == members(), "this process has ", members(), " of ",
            words.whose, " ranks, but ", streams.size(), " streams were given");
  });
  // None is the plan's own, too: ranks with streams wait for those without.
  const std::vector<void*> own(static_cast<std::size_t>(members()), nullptr);
  runner->set_streams(streams.empty() ? own : streams);
}

void Members::check_count(InputArrays in, OutputArrays out) const {
  const auto count = static_cast<std::size_t>(members());
  require(in.size() == count && out.size() == count, "this process has ", count, " of ", words.whose, " ranks, but ",
          in.size(), " inputs and ", out.size(), " outputs were given");
}

void Members::enter(Call call, const Failure& mine, bool makes, std::uint64_t given) const {
  if (!calls) {
    throw_failure(mine);
    return;
  }
  try {
    calls->enter(call, mine, makes || (runner && !runner->ready()), given);
  } catch (...) {
    if (runner && calls->given_up()) runner->others_gave_up();
    throw;
  }
}

void Members::start(int program, InputArrays in, OutputArrays out) {
  attempt([&] { runner->run(program, in, out); });
}

void Members::attempt(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    end(present_failure());
  }
}

void Members::end(Failure failure) {
  if (calls && runner->half_way()) failure = calls->give_up(std::move(failure));
  throw Error(failure.code, failure.text);
}

void Members::check(int program, InputArrays in, OutputArrays out, const CallFacts& facts) const {
  check_count(in, out);
  for (std::size_t m = 0; m < call_arrays.size(); ++m) {
    const Arrays& mine = call_arrays[m];
    // Apply writes an array like the input.
    const NeededArray& from = program == backward_program ? mine.output : mine.input;
    const NeededArray& to = program == forward_program ? mine.output : mine.input;
    // GPUs copy arrays at odd addresses; halos on CPUs have no runner.
    const bool on_gpu = runner && runner->member(static_cast<int>(m)).device >= 0;
    try {
      check_arrays({in[m], facts.in, from}, {out[m], facts.out, to}, on_gpu, workspace);
    } catch (const Error& e) {
      if (call_arrays.size() == 1) throw;
      fail(e.code(), "rank ", rank_of(static_cast<int>(m)), ": ", e.what());
    }
  }
}

void Members::run(int program, InputArrays in, OutputArrays out, const CallFacts& facts) {
  const Failure failure = failure_of([&] {
    check(program, in, out, facts);
    runner->check_arrays(program, in, out);
  });
  enter(program == forward_program ? Call::forward : Call::backward, failure);
  try {
    runner->run(program, in, out);
  } catch (...) {
    end(present_failure());
  }
}

std::size_t Members::in_place_bytes(int member) const {
  const Arrays& mine = call_arrays[index_of(member)];
  return std::max({mine.input.bytes(), mine.output.bytes(), runner->in_place_bytes(member)});
}

Buffer Members::allocate(Call call, int member) const {
  std::size_t bytes = 0;
  const auto measure = [&] {
    const Arrays& mine = call_arrays[index_of(member)];
    bytes = (call == Call::allocate_input ? mine.input : mine.output).bytes();
    if (options.workspace == Workspace::least) bytes = in_place_bytes(member);
  };
  if (place() == Place::cpu)
    enter(call, failure_of(measure), true);
  else
    measure();  // memory of GPUs is a rank's own: each rank allocates it when it likes
  return {runner->allocate(member, bytes), bytes};
}

void Members::together(const std::function<void()>& work) const { comm.valid() ? agree(comm, work) : work(); }

void Members::watch_calls(const Ranks& who, std::string name) {
  if (comm.has_one_host(options.fake_ranks_per_host))
    host = std::make_shared<HostMemory>(comm, options.fake_ranks_per_host);
  if (comm.imagined()) return;
  calls = std::make_unique<CallCheck>(
      CallCheckSetup{comm, std::get<MPI_Comm>(who), std::move(name), options.call_timeout, options.check_calls},
      host.get());
  trace_file = std::make_unique<TraceFile>(comm, options.trace);
}

namespace {

/// The report's line for a way that was taken because faster ones do not fit, by this error.
Choice fewer_buffers(Spare room, const std::string& error) {
  return {"workspace", room == Spare::few ? "few buffers" : "one array",
          "the fastest way does not fit: " + error.substr(0, error.find(';'))};
}

}  // namespace

/// Ways with fewer buffers are tried if there is no memory for those with more. The first error stays.
void Members::make_device_runner(const ExecutorSetup& setup, const Program& program, const Named& named) {
  Failure first;
  for (const Spare room : {Spare::fast, Spare::few, Spare::one_array}) {
    if (setup.way_is_given && room != setup.way.room) continue;
    ExecutorSetup tried = setup;
    tried.way.room = room;
    if (first.failed()) tried.choices.push_back(fewer_buffers(room, first.text));
    const Failure failure = failure_of([&] {
      runner.reset();
      runner = gpu::make_runner(std::move(tried), program, devices);
      runner->add(named(runner->lower(program)));
    });
    if (!failure.failed()) return;
    if (!first.failed()) first = failure;
    const bool may_fit = options.workspace == Workspace::fast && (room != Spare::few || options.chunks <= 1);
    if (first.code != Status::out_of_memory || !may_fit || (runner && runner->half_way())) break;
  }
  if (runner) end(first);
  throw Error(first.code, first.text);
}

void Members::make_runner(ExecutorSetup setup, const Program& program, const Named& named) {
  setup.comm = comm;
  setup.options = options;
  setup.host = host;
  setup.way.exchange = options.exchange;
  setup.way.chunks = options.chunks;
  setup.way.grid = options.grid;
  if (calls) setup.watch = &calls->watch();
  require(place() == Place::cpu || setup.way.exchanges.empty(),
          "the option way does not fit this plan: on GPUs all changes of layout have one exchange");
  if (place() != Place::cpu) return make_device_runner(setup, program, named);
  runner = make_host_runner(std::move(setup), program);
  attempt([&] { runner->add(named(runner->lower(program))); });
}

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

}  // namespace shardfft
