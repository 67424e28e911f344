// Redistribution: a program of one reshape, run as plans run theirs.
#include "shardfft/redistribution.hpp"

#include <algorithm>

#include "api/call_array.hpp"
#include "api/members.hpp"
#include "api/problem.hpp"
#include "geometry/shape.hpp"

namespace shardfft {

namespace {

/// Element sizes that copies and messages support, the largest first.
constexpr std::array<std::size_t, 5> units{16, 8, 4, 2, 1};

std::size_t unit_of(std::size_t element_bytes) {
  return *std::find_if(units.begin(), units.end(), [=](std::size_t unit) { return element_bytes % unit == 0; });
}

/// Every element as `parts` smaller ones, along a new axis that is the fastest in memory.
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

/// Options that concern transforms must have their defaults.
void check_options(const Options& options, Place place) {
  validate_options(options, place);
  const std::vector<std::string> heeded{"processor",   "device",       "memory",  "stream",
                                        "exchange",    "batch",        "threads", "fake_ranks_per_host",
                                        "check_calls", "call_timeout", "trace"};
  for (const OptionRow& row : option_table())
    require(std::find(heeded.begin(), heeded.end(), row.name) != heeded.end() || row.get(options) == row.get(Options()),
            "option ", row.name, " has no effect where nothing is transformed");
}

constexpr int forward_run = 0, backward_run = 1;

}  // namespace

struct Redistribution::Impl : Members {
  std::size_t element_bytes;
  std::vector<std::array<std::int64_t, 2>> counts;  ///< of each member's arrays in the layouts from and to
  std::string exchange;

  Impl(const Ranks& who, const Layout& from, const Layout& to, std::size_t bytes, const Options& o);
  const std::array<std::int64_t, 2>& at(int member) const { return counts[index_of(member)]; }
  void check_layouts(const Layout& from, const Layout& to) const;
  void make(const Layout& from, const Layout& to);
  void check(int program, std::size_t member, const std::byte* in, const std::byte* out, const CallFacts& facts) const;
  void run(int program, InputArrays in, OutputArrays out, const CallFacts& facts = {});
};

Redistribution::Impl::Impl(const Ranks& who, const Layout& from, const Layout& to, std::size_t bytes, const Options& o)
    : Members(who, o, {"redistributions", "the"}), element_bytes(bytes) {
  together([&] { check_layouts(from, to); });
  if (comm.valid()) {
    std::vector<Agreed> agreed = agreed_options(options);
    agreed.push_back(agreed_layout("layouts from", from));
    agreed.push_back(agreed_layout("layouts to", to));
    agreed.push_back({"sizes of elements", bytes, std::to_string(bytes)});
    agree_same(comm, agreed);
    watch_calls(who, "redistribution " + shape_text(from.shape()));
  }
  make(from, to);
}

void Redistribution::Impl::check_layouts(const Layout& from, const Layout& to) const {
  validate_layout(from, "layout from", ranks());
  validate_layout(to, "layout to", ranks());
  require(from.shape() == to.shape(), "the layouts are of arrays of different shapes, ", shape_text(from.shape()),
          " and ", shape_text(to.shape()));
  require(element_bytes > 0, "elements of 0 bytes are nothing to move");
  check_options(options, place());
}

/// The runner and its programs. Collective.
void Redistribution::Impl::make(const Layout& from, const Layout& to) {
  const std::size_t unit = unit_of(element_bytes);
  const auto state = [&](const Layout& layout) {
    const Layout parts = in_parts(layout, static_cast<std::int64_t>(element_bytes / unit)).with_batch(options.batch);
    return State{.layout = parts, .is_complex = false, .element_bytes = unit};
  };
  Program program{"redistribution", {state(from), state(to)}, {ReshapeStep{}}};
  if (from.same_as(to)) program = {"redistribution", {state(from)}, {}};
  for (int m = 0; m < members(); ++m)
    counts.push_back({from.count(rank_of(m)) * options.batch, to.count(rank_of(m)) * options.batch});
  ExecutorSetup setup;
  if (place() == Place::cpu) setup.local_ffts.candidates = candidates("reference");
  make_runner(std::move(setup), program);
  runner->add({{"forward", program, 1}, {"backward", reversed(program), 1}});
  exchange = runner->facts().exchange;
}

void Redistribution::Impl::check(int program, std::size_t member, const std::byte* in, const std::byte* out,
                                 const CallFacts& facts) const {
  const auto one = [&](const char* name, const void* data, const detail::ArrayFacts& about, std::int64_t count) {
    require(!about.element || about.element->bytes() == element_bytes, "the ", name, " has elements of ",
            about.element ? about.element->bytes() : 0, " bytes; ", element_bytes, " are expected");
    require(!about.count || *about.count >= count, "the ", name, " has ", about.count.value_or(0), " elements; ", count,
            " are expected");
    require(data != nullptr || count == 0, "the ", name, " is a null pointer; ", count, " elements are expected");
  };
  const auto p = static_cast<std::size_t>(program);
  const std::int64_t in_count = counts[member][p], out_count = counts[member][1 - p];
  one("input", in, facts.in, in_count);
  one("output", out, facts.out, out_count);
  const auto bytes = [&](std::int64_t count) { return static_cast<std::size_t>(count) * element_bytes; };
  check_overlap(in, bytes(in_count), out, bytes(out_count));
}

void Redistribution::Impl::run(int program, InputArrays in, OutputArrays out, const CallFacts& facts) {
  const Failure wrong = failure_of([&] {
    check_count(in, out);
    for (std::size_t m = 0; m < counts.size(); ++m) check(program, m, in[m], out[m], facts);
    runner->check_arrays(program, in, out);
  });
  enter(program == forward_run ? Call::forward : Call::backward, wrong);
  start(program, in, out);
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
  const auto* const from = static_cast<const std::byte*>(in);
  auto* const to = static_cast<std::byte*>(out);
  impl().run(forward ? forward_run : backward_run, {&from, 1}, {&to, 1}, {about_in, about_out});
}

void Redistribution::forward(const void* in, void* out) { run(true, in, out, {}, {}); }
void Redistribution::backward(const void* in, void* out) { run(false, in, out, {}, {}); }
void Redistribution::forward(std::span<const void* const> in, std::span<void* const> out) {
  impl().run(forward_run, as_bytes(in), as_bytes(out));
}
void Redistribution::backward(std::span<const void* const> in, std::span<void* const> out) {
  impl().run(backward_run, as_bytes(in), as_bytes(out));
}
int Redistribution::members() const { return impl().members(); }
std::int64_t Redistribution::input_count(int member) const { return impl().at(member)[0]; }
std::int64_t Redistribution::output_count(int member) const { return impl().at(member)[1]; }
const std::string& Redistribution::exchange() const { return impl().exchange; }
std::size_t Redistribution::workspace_bytes() const { return impl().runner->memory().workspace; }

Buffer Redistribution::allocate_input(int member) {
  return impl().allocate(Call::allocate_input, member,
                         static_cast<std::size_t>(input_count(member)) * impl().element_bytes);
}
Buffer Redistribution::allocate_output(int member) {
  return impl().allocate(Call::allocate_output, member,
                         static_cast<std::size_t>(output_count(member)) * impl().element_bytes);
}

int Redistribution::device(int member) const { return impl().device(member); }
void* Redistribution::stream(int member) const { return impl().stream(member); }
void Redistribution::set_streams(std::span<void* const> streams) { impl().set_streams(streams); }

std::int64_t Redistribution::bytes_sent() const {
  std::int64_t sum = 0;
  for (const StepReport& step : impl().runner->account(forward_run).steps) sum += step.bytes_sent;
  return sum;
}

void redistribute(MPI_Comm comm, const Layout& from, const Layout& to, std::size_t element_bytes, const void* in,
                  void* out, const Options& options) {
  Redistribution(comm, from, to, element_bytes, options).forward(in, out);
}

}  // namespace shardfft
