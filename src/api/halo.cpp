// Halo exchanges: on CPUs one exchange of boxes inside an array each way, on GPUs a program of one reshape.
#include "shardfft/halo.hpp"

#include <algorithm>
#include <optional>

#include "api/members.hpp"
#include "api/problem.hpp"
#include "base/aligned.hpp"
#include "base/require_threads.hpp"
#include "exchange/exchange.hpp"
#include "geometry/halo_layouts.hpp"
#include "geometry/shape.hpp"
#include "gpu/run/make.hpp"
#include "mpi/kept_for_mpi.hpp"
#include "pack/add.hpp"
#include "pack/pack.hpp"
#include "shardfft/gpu.hpp"

namespace shardfft {

namespace {

constexpr const char* messages = "p2p";

void check_halo_options(Options& options, Place place) {
  require_only(options, place,
               {"processor", "device", "memory", "stream", "exchange", "batch", "threads", "fake_ranks_per_host",
                "check_calls", "call_timeout"});
  if (place == Place::cpu) {
    require(options.exchange == "auto" || options.exchange == messages, "halos on CPUs are filled by exchange ",
            messages, ", not ", options.exchange, ": other exchanges may not read and write one array");
    require_threads(options.threads);
    return;
  }
  if (options.memory == MemoryModel::automatic) options.memory = MemoryModel::device;
  require(options.memory == MemoryModel::device,
          "halos of arrays on GPUs are filled in device memory: option memory must be device");
}

/// Differs, with near certainty, between different widths.
std::uint64_t width_number(const std::vector<HaloWidth>& widths) {
  std::uint64_t number = widths.size();
  for (const auto& [below, above, periodic] : widths)
    for (const std::int64_t part : {below, above, std::int64_t{periodic}})
      number = (number ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15ULL;
  return number;
}

/// The messages turned round. Received data is packed.
Schedule adjoint(const Schedule& forward) {
  Schedule back;
  back.send = forward.recv;
  back.recv = forward.send;
  for (Message& message : back.recv) message.boxes = {Box::run(message.offset, message.count)};
  back.send_count = forward.recv_count;
  back.recv_count = forward.send_count;
  return back;
}

std::int64_t largest(const std::vector<LocalCopy>& copies) {
  std::int64_t most = 0;
  for (const LocalCopy& copy : copies) most = std::max(most, copy.to.elements());
  return most;
}

}  // namespace

struct HaloExchange::Impl : Members {
  Layout layout;
  std::vector<HaloWidth> widths;
  ElementType element;
  HaloLayouts layouts{};
  std::vector<std::int64_t> counts{}, sent{};  ///< by member
  Schedule schedule{};                         ///< of this rank, over a communicator
  std::unique_ptr<Exchange> fill{}, back{};
  AlignedMemory workspace{};
  std::size_t workspace_bytes = 0;
  std::optional<std::byte*> under_way{};  ///< the array of begin()
  std::optional<HaloCopies> to_add{};     ///< GPUs: for add_back(), since its first call
  std::vector<std::shared_ptr<void>> received{};
  bool half_way = false;

  Impl(const Ranks& who, const Layout& l, std::vector<HaloWidth> w, ElementType e, const Options& o, Corners corners);
  ~Impl() {
    if (home.left()) abandon();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void make_exchanges();
  void check_call(OutputArrays x, const detail::ArrayFacts& facts) const;
  void begin(OutputArrays x, const detail::ArrayFacts& facts);
  void end();
  State state(const Layout& of) const { return {.layout = of, .is_complex = false, .element_bytes = element.bytes()}; }
  void add_back(OutputArrays x, const detail::ArrayFacts& facts);
  void add_on_gpus(OutputArrays x, const detail::ArrayFacts& facts);
  void add_on_host(std::byte* x);
  void abandon();
  template <class Work>
  void in_middle(const Work& work);

  std::byte* room() {
    if (!workspace) workspace = allocate_aligned(workspace_bytes);
    return workspace.get();
  }
  std::size_t bytes(std::int64_t elements) const { return static_cast<std::size_t>(elements) * element.bytes(); }
  std::size_t packed_bytes() const { return round_up(bytes(schedule.send_count), cache_line); }
};

HaloExchange::Impl::Impl(const Ranks& who, const Layout& l, std::vector<HaloWidth> w, ElementType e, const Options& o,
                         Corners corners)
    : Members(who, o, {"halo exchanges", "the"}), layout(l), widths(std::move(w)), element(e) {
  const Failure failure = failure_of([&] {
    validate_layout(layout, "layout", ranks());
    require_known("the precision of the elements", element.precision, Precision::f64, "f32, f64");
    require_known("the corners", corners, Corners::left_out, "filled, left_out");
    check_halo_options(options, place());
    layouts = make_halo_layouts(layout, widths, options.batch, corners);
  });
  std::vector<Agreed> agreed = agreed_options(failure.failed() ? Options() : options);
  agreed.push_back(agreed_layout("layouts", failure.failed() ? Layout() : layout));
  agreed.push_back({"corners", static_cast<std::uint64_t>(corners)});
  agreed.push_back({"element types", element.bytes() * 2 + (element.is_complex ? 1 : 0)});
  agreed.push_back({"widths of halos", width_number(widths)});
  ExecutorSetup setup;
  setup.ranks = agree_same(comm, "a halo exchange", agreed, options.effort, failure);
  if (comm.valid()) watch_calls(who, "halo exchange " + shape_text(layout.shape()));
  for (int m = 0; m < members(); ++m) {
    std::int64_t count = options.batch;
    for (const std::int64_t extent : padded_extents(layout, widths, rank_of(m))) count *= extent;
    counts.push_back(count);
    call_arrays.push_back({{count, element.bytes(), element}, {count, element.bytes(), element}});
    const Schedule all = make_schedule(layouts.owned, layouts.halos, rank_of(m));
    sent.push_back(all.send_count);
    if (comm.valid()) schedule = all;
  }
  if (place() == Place::cpu) {
    make_exchanges();
    return;
  }
  make_runner(std::move(setup), {"halo exchange", {state(layouts.owned), state(layouts.halos)}, {ReshapeStep{}}},
              [](const Program& lowered) {
                return std::vector<NamedProgram>{{"update", lowered, 1}};
              });
}

void HaloExchange::Impl::make_exchanges() {
  ExchangeSetup setup;
  setup.comm = comm;
  setup.threads = options.threads;
  setup.fake_ranks_per_host = options.fake_ranks_per_host;
  setup.watch = &calls->watch();
  setup.element_bytes = element.bytes();
  setup.schedule = schedule;
  fill = make_exchange(messages, setup);
  setup.schedule = adjoint(schedule);
  back = make_exchange(messages, setup);
  workspace_bytes = std::max(fill->workspace_bytes(), packed_bytes() + back->workspace_bytes());
  workspace_bytes = std::max(workspace_bytes, bytes(largest(schedule.self)));
}

/// MPI may still use the arrays of a call that failed half-way.
void HaloExchange::Impl::abandon() {
  half_way = true;
  if (calls && !home.left()) calls->watch().withdraw_messages();
  for (std::unique_ptr<Exchange>* const one : {&fill, &back})
    if (*one) keep_for_mpi(std::shared_ptr<Exchange>(std::move(*one)));
  if (workspace) keep_for_mpi(std::shared_ptr<std::byte>(std::move(workspace)));
}

template <class Work>
void HaloExchange::Impl::in_middle(const Work& work) {
  try {
    work();
  } catch (...) {
    Failure failure = calls->give_up(present_failure());
    abandon();
    throw Error(failure.code, failure.text);
  }
}

void HaloExchange::Impl::check_call(OutputArrays x, const detail::ArrayFacts& facts) const {
  if (half_way) fail(Status::backend_failure, "an earlier call of this halo exchange failed half-way: make a new one");
  require(!under_way, "a begin() of this halo exchange has no end() yet");
  const std::vector<const std::byte*> same(x.begin(), x.end());
  check(forward_program, same, x, {facts, facts});
}

void HaloExchange::Impl::begin(OutputArrays x, const detail::ArrayFacts& facts) {
  const std::vector<const std::byte*> same(x.begin(), x.end());
  enter(shardfft::Call::update, failure_of([&] {
          check_call(x, facts);
          if (runner)
            runner->check_arrays(forward_program, same, x);
          else
            room();
        }));
  if (runner) return start(forward_program, same, x);
  in_middle([&] {
    fill->start({x[0], x[0], room()});
    for (const LocalCopy& c : schedule.self) copy_box(x[0], c.from, x[0], c.to, element.bytes(), options.threads);
  });
  under_way = x[0];
}

void HaloExchange::Impl::end() {
  if (runner) return;
  std::byte* const x = *std::exchange(under_way, std::nullopt);
  in_middle([&] { fill->finish({x, x, room()}); });
}

void HaloExchange::Impl::add_on_host(std::byte* x) {
  std::byte* const packed = room();
  const ExchangeBuffers buffers{x, packed, packed + packed_bytes()};
  in_middle([&] {
    back->start(buffers);
    back->finish(buffers);
  });
  for (const Message& message : schedule.send) {
    std::int64_t at = message.offset;
    for (const Box& box : message.boxes) {
      add_box(packed, Box::run(at, box.elements()), x, box, element);
      at += box.elements();
    }
  }
  for (const Message& message : schedule.recv)
    for (const Box& box : message.boxes) clear_box(x, box, element);
  for (const LocalCopy& c : schedule.self) {
    add_box(x, c.to, x, c.from, element);
    clear_box(x, c.to, element);
  }
}

void HaloExchange::Impl::add_back(OutputArrays x, const detail::ArrayFacts& facts) {
  if (runner) return add_on_gpus(x, facts);
  enter(shardfft::Call::add_back, failure_of([&] {
          check_call(x, facts);
          room();
        }));
  add_on_host(x[0]);
}

/// A program brings all copies of a part's elements to its GPU.
void HaloExchange::Impl::add_on_gpus(OutputArrays x, const detail::ArrayFacts& facts) {
  constexpr int program = forward_program + 1;
  const bool first = runner->programs().size() <= program;
  const std::vector<const std::byte*> halos(x.begin(), x.end());
  std::vector<std::byte*> copies;
  enter(shardfft::Call::add_back, failure_of([&] {
          check_call(x, facts);
          runner->check_arrays(forward_program, halos, x);
          if (!to_add) to_add = make_halo_copies(layout, layouts);
          for (int m = static_cast<int>(received.size()); m < members(); ++m)
            received.push_back(runner->allocate(m, bytes(std::max<std::int64_t>(1, to_add->copies.count(rank_of(m))))));
        }),
        first);
  for (const std::shared_ptr<void>& array : received) copies.push_back(static_cast<std::byte*>(array.get()));
  if (first)
    runner->add(
        {{"add_back", runner->lower({"halo exchange", {state(to_add->halos), state(to_add->copies)}, {ReshapeStep{}}}),
          1}});
  together([&] { runner->check_arrays(program, halos, copies); });
  try {
    start(program, halos, copies);
  } catch (...) {
    if (runner->half_way())  // others may still write there
      for (std::shared_ptr<void>& array : received) keep_for_mpi(std::move(array));
    throw;
  }
  attempt([&] {
    for (int m = 0; m < members(); ++m) {
      const MemberPlace where = runner->member(m);
      const auto i = static_cast<std::size_t>(m);
      std::vector<Box> read;
      for (const Piece& piece : layouts.halos.pieces(where.rank)) read.push_back(box_of(piece));
      gpu::add_boxes(where, copies[i], x[i], copies_to_part(*to_add, layouts, where.rank), element);
      gpu::clear_boxes(where, x[i], read, element);
      synchronize_stream(where.device, where.stream);
    }
  });
}

HaloExchange::HaloExchange(Ranks ranks, const Layout& layout, const std::vector<HaloWidth>& widths, ElementType element,
                           const Options& options, Corners corners)
    : impl_(std::make_unique<Impl>(ranks, layout, widths, element, options, corners)) {}
HaloExchange::~HaloExchange() = default;
HaloExchange::HaloExchange(HaloExchange&&) noexcept = default;
HaloExchange& HaloExchange::operator=(HaloExchange&&) noexcept = default;

HaloExchange::Impl& HaloExchange::impl() const {
  require(impl_ != nullptr, "this halo exchange was moved from: only the one that it was moved to can be used");
  impl_->require_usable("halo exchange");
  return *impl_;
}

void HaloExchange::run(Call call, void* x, const detail::ArrayFacts& facts) {
  if (call == Call::add_back) return impl().add_back(Out(x), facts);
  impl().begin(Out(x), facts);
  if (call == Call::update) impl().end();
}

void HaloExchange::update(std::span<void* const> x) {
  impl().begin(as_bytes(x), {});
  impl().end();
}
void HaloExchange::begin(void* x) { run(Call::begin, x, {}); }
void HaloExchange::end() {
  require(impl().runner || impl().under_way, "end() of a halo exchange without a begin()");
  impl().end();
}
void HaloExchange::add_back(std::span<void* const> x) { impl().add_back(as_bytes(x), {}); }

int HaloExchange::members() const { return impl().members(); }
std::int64_t HaloExchange::count(int member) const { return impl().counts[impl().index_of(member)]; }
int HaloExchange::device(int member) const {
  impl().index_of(member);
  return impl().runner ? impl().device(member) : -1;
}
void* HaloExchange::stream(int member) const {
  impl().index_of(member);
  return impl().runner ? impl().stream(member) : nullptr;
}
Shape HaloExchange::extents(int member) const {
  impl().index_of(member);
  return padded_extents(impl().layout, impl().widths, impl().rank_of(member));
}
Piece HaloExchange::owned(int member) const {
  impl().index_of(member);
  Piece none;
  none.set.axes = impl().layout.axes();
  const std::vector<Piece> pieces = impl().layouts.owned.pieces(impl().rank_of(member));
  if (pieces.empty()) return none;
  const Piece& fields = pieces.front();
  none.offset = fields.offset;
  for (std::size_t a = 0; a < static_cast<std::size_t>(none.set.axes); ++a) {
    none.set.axis[a] = fields.set.axis[a + 1];
    none.stride[a] = fields.stride[a + 1];
  }
  return none;
}
std::int64_t HaloExchange::bytes_sent() const {
  return *std::max_element(impl().sent.begin(), impl().sent.end()) * static_cast<std::int64_t>(impl().element.bytes());
}
bool HaloExchange::failed_half_way() const {
  return impl_ != nullptr && (impl_->half_way || (impl_->runner && impl_->runner->half_way()));
}

}  // namespace shardfft
