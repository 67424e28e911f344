// Redistribution: a program of one reshape, run as plans run theirs.
#include "shardfft/redistribution.hpp"

#include <algorithm>
#include <functional>

#include "api/call_check.hpp"
#include "api/problem.hpp"
#include "api/trace_file.hpp"
#include "exec/executor.hpp"
#include "geometry/shape.hpp"

namespace shardfft {

namespace {

/// Sizes that copies and messages know, the largest first.
constexpr std::array<std::size_t, 5> units{16, 8, 4, 2, 1};

std::size_t unit_of(std::size_t element_bytes) {
  return *std::find_if(units.begin(), units.end(), [=](std::size_t unit) { return element_bytes % unit == 0; });
}

/// Every element as `parts` of them: another axis, the fastest in memory.
Layout in_parts(const Layout& layout, std::int64_t parts) {
  if (parts == 1) return layout;
  Shape shape = layout.shape();
  shape.push_back(parts);
  const Progression all{0, parts, 1};
  return Layout::from_pieces(shape, layout.ranks(), [layout, parts, all](int rank) {
    std::vector<Piece> pieces = layout.pieces(rank);
    for (Piece& piece : pieces) {
      for (std::int64_t& stride : piece.stride) stride *= parts;
      piece.offset *= parts;
      piece.stride[static_cast<std::size_t>(piece.set.axes)] = 1;
      piece.set.axis[static_cast<std::size_t>(piece.set.axes++)] = all;
    }
    return pieces;
  });
}

/// Options of transforms say nothing here.
void check_options(const Options& options) {
  validate_options(options, Place::cpu);
  require(options.processor == Processor::cpu, "redistributions run on CPUs");
  const std::vector<std::string> heeded{
      "exchange", "batch", "threads", "check_calls", "call_timeout", "trace", "fake_ranks_per_host"};
  for (const OptionRow& row : option_table())
    require(std::find(heeded.begin(), heeded.end(), row.name) != heeded.end() || row.get(options) == row.get(Options()),
            "option ", row.name, " has no effect where nothing is transformed");
}

constexpr int forward_run = 0, backward_run = 1;

}  // namespace

struct Redistribution::Impl {
  Communicator comm;
  std::size_t element_bytes;
  std::array<std::int64_t, 2> counts{};  ///< of this rank's arrays in the layouts from and to
  std::unique_ptr<CallCheck> calls;
  std::unique_ptr<Runner> runner;
  std::unique_ptr<TraceFile> trace_file;
  std::string exchange;

  Impl(MPI_Comm users, const Layout& from, const Layout& to, std::size_t bytes, const Options& options);
  ~Impl() {
    if (calls && calls->given_up())
      comm.abandon();
    else if (runner && trace_file)
      trace_file->write(*runner);
  }
  void check(int program, const void* in, const void* out, const detail::ArrayFacts& about_in,
             const detail::ArrayFacts& about_out) const;
  void run(int program, const void* in, void* out, const detail::ArrayFacts& about_in,
           const detail::ArrayFacts& about_out);
};

Redistribution::Impl::Impl(MPI_Comm users, const Layout& from, const Layout& to, std::size_t bytes,
                           const Options& options)
    : comm(Communicator::duplicate(users)), element_bytes(bytes) {
  agree(comm, [&] {
    validate_layout(from, "layout from", comm.size());
    validate_layout(to, "layout to", comm.size());
    require(from.shape() == to.shape(), "the layouts are of arrays of different shapes, ", shape_text(from.shape()),
            " and ", shape_text(to.shape()));
    require(bytes > 0, "elements of 0 bytes are nothing to move");
    check_options(options);
  });
  std::vector<Agreed> agreed = agreed_options(options);
  agreed.push_back({"layouts from", from.fingerprint()});
  agreed.push_back({"layouts to", to.fingerprint()});
  agreed.push_back({"sizes of elements", bytes});
  agree_same(comm, agreed);
  calls = std::make_unique<CallCheck>(CallCheckSetup{comm, users, "redistribution " + shape_text(from.shape()),
                                                     options.call_timeout, options.check_calls});
  trace_file = std::make_unique<TraceFile>(comm, options.trace);
  const std::size_t unit = unit_of(bytes);
  const auto state = [&](const Layout& layout) {
    const Layout parts = in_parts(layout, static_cast<std::int64_t>(bytes / unit)).with_batch(options.batch);
    return State{.layout = parts, .is_complex = false, .element_bytes = unit};
  };
  Program program{"redistribution", {state(from), state(to)}, {ReshapeStep{}}};
  if (from.same_as(to)) program = {"redistribution", {state(from)}, {}};
  counts = {from.count(comm.rank()) * options.batch, to.count(comm.rank()) * options.batch};
  ExecutorSetup setup;
  setup.comm = comm;
  setup.options = options;
  setup.local_ffts = candidates("reference");
  setup.watch = &calls->watch();
  runner = make_host_runner(std::move(setup), program);
  runner->add({{"forward", program, 1}, {"backward", reversed(program), 1}});
  exchange = runner->facts().exchange;
}

void Redistribution::Impl::check(int program, const void* in, const void* out, const detail::ArrayFacts& about_in,
                                 const detail::ArrayFacts& about_out) const {
  const auto one = [&](const char* name, const void* data, const detail::ArrayFacts& about, std::int64_t count) {
    require(!about.element || about.element->bytes() == element_bytes, "the ", name, " has elements of ",
            about.element ? about.element->bytes() : 0, " bytes; ", element_bytes, " are expected");
    require(!about.count || *about.count >= count, "the ", name, " has ", about.count.value_or(0), " elements; ", count,
            " are expected");
    require(data != nullptr || count == 0, "the ", name, " is a null pointer; ", count, " elements are expected");
  };
  const auto p = static_cast<std::size_t>(program);
  one("input", in, about_in, counts[p]);
  one("output", out, about_out, counts[1 - p]);
  const std::less<> before;
  const auto *from = static_cast<const std::byte*>(in), *to = static_cast<const std::byte*>(out);
  const auto bytes = [&](std::int64_t count) { return static_cast<std::size_t>(count) * element_bytes; };
  const bool apart = counts[0] == 0 || counts[1] == 0 || from == to || !before(from, to + bytes(counts[1 - p])) ||
                     !before(to, from + bytes(counts[p]));
  require(apart, "the input and the output overlap in part; they must begin at the same address or lie apart");
}

void Redistribution::Impl::run(int program, const void* in, void* out, const detail::ArrayFacts& about_in,
                               const detail::ArrayFacts& about_out) {
  const auto* const from = static_cast<const std::byte*>(in);
  auto* const to = static_cast<std::byte*>(out);
  calls->enter(program == forward_run ? Call::forward : Call::backward, failure_of([&] {
                 check(program, in, out, about_in, about_out);
                 runner->check_arrays(program, {&from, 1}, {&to, 1});
               }));
  Failure failure = failure_of([&] { runner->run(program, {&from, 1}, {&to, 1}); });
  if (!failure.failed()) return;
  if (runner->half_way()) failure = calls->give_up(std::move(failure));
  throw Error(failure.code, failure.text);
}

Redistribution::Redistribution(MPI_Comm comm, const Layout& from, const Layout& to, std::size_t element_bytes,
                               const Options& options)
    : impl_(std::make_unique<Impl>(comm, from, to, element_bytes, options)) {}

Redistribution::~Redistribution() = default;
Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;

Redistribution::Impl& Redistribution::impl() const {
  require(impl_ != nullptr, "this redistribution was moved from: only the one that it was moved to can be used");
  require(!mpi_finalized(), "MPI is finalized already: this redistribution can only be destroyed");
  return *impl_;
}

void Redistribution::run(bool forward, const void* in, void* out, const detail::ArrayFacts& about_in,
                         const detail::ArrayFacts& about_out) {
  impl().run(forward ? forward_run : backward_run, in, out, about_in, about_out);
}

void Redistribution::forward(const void* in, void* out) { run(true, in, out, {}, {}); }
void Redistribution::backward(const void* in, void* out) { run(false, in, out, {}, {}); }
std::int64_t Redistribution::input_count() const { return impl().counts[0]; }
std::int64_t Redistribution::output_count() const { return impl().counts[1]; }
const std::string& Redistribution::exchange() const { return impl().exchange; }

std::int64_t Redistribution::bytes_sent() const {
  std::int64_t sum = 0;
  for (const StepReport& step : impl().runner->steps(forward_run)) sum += step.bytes_sent;
  return sum;
}

void redistribute(MPI_Comm comm, const Layout& from, const Layout& to, std::size_t element_bytes, const void* in,
                  void* out, const Options& options) {
  Redistribution(comm, from, to, element_bytes, options).forward(in, out);
}

}  // namespace shardfft
