#include "gpu/slab/slab.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "device/pointwise.hpp"
#include "gpu/slab/slab_places.hpp"
#include "gpu/slab/slab_program.hpp"
#include "gpu/slab/slab_rank.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

SlabShape known_shape(const Program& program, int first, Precision precision) {
  const std::optional<SlabShape> shape = slab_shape_of_either(program, first, precision);
  if (!shape) fail(Status::internal, "steps from ", first, " on are not a slab transform");
  return *shape;
}

/// Whether passes may store into peers: stores are not cut in chunks; more GPUs and unequal shares have not been
/// measured.
bool may_store(const SlabShape& shape, const SlabOptions& options) {
  return shape.ranks == 2 && options.chunks <= 1 && shape.nx % 2 == 0 && shape.ny % 2 == 0;
}

/// Bytes of planes up to which stores are faster than copies.
std::size_t most_to_store(const SlabFusion& fusion) {
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  return fusion.planes ? defaults.most_bytes_to_store_planes : defaults.most_bytes_to_store;
}

/// Half spectra, and complex z lines that straddle the memory's sectors, are faster with padded z lines, which x line
/// passes can leave away at the spectrum. Small ones are not where they are complex, or in single precision and copied
/// to the peers. With the option verify all are padded that passes of our own want so: these check themselves.
SlabShape padded_where_faster(const SlabShape& shape, const SlabOptions& options, const SlabSetup& setup) {
  if (setup.few_buffers) return shape;
  if (!shape.real() && device::lines::begins_with_sectors(shape.nz, shape.transform.precision)) return shape;
  SlabShape padded = shape;
  padded.padded = padded.dense_spectrum = true;
  const SlabFusion fusion = fusion_of(padded, options);
  const bool large = padded.planes_bytes(0) >= setup.padded_from;
  const bool no_passes = !shape.real() && !device::lines::begins_with_units(shape.nz, shape.transform.precision);
  const bool even_small = shape.real() ? setup.verify || shape.transform.precision == Precision::f64 ||
                                             (fusion.direct && may_store(shape, options))
                                       : setup.verify && no_passes;
  return fusion.y && fusion.x && (large || even_small) ? padded : shape;
}

/// What both directions of one member share.
struct SlabMember {
  SlabShape shape;
  SlabRank rank;
  int number = 0;  ///< its rank
  std::array<double, 2> scale{1, 1};
  bool all_here = true;
  SlabPlaces places{};
  Pieces pieces{};  ///< runs of planes that are sent, shares of the lines behind
  device::Memory tokens{};
  std::shared_ptr<SharedAddresses> token_addresses{};  ///< of all ranks
  std::vector<SlabPeer> peers{};

  std::size_t held_bytes() const { return token_bytes(rank.tokens()) + rank.counter_bytes() + rank.weight_bytes(); }
  /// Scratch of rank r: its planes, where they are not in the middle; behind them rows where there are any.
  std::size_t rows_offset(int r, Direction direction) const {
    return places.has_middle(direction) ? 0 : round_up(shape.planes_bytes(r), std::size_t{256});
  }
  /// What lies behind the rows in scratch forward: planes that lie apart, and behind them what is packed.
  std::size_t tail_offset() const {
    return round_up(rows_offset(number, Direction::forward) + shape.rows_bytes(number), std::size_t{256});
  }
  std::size_t packed_offset() const {
    const std::int64_t planes = std::max<std::int64_t>(shape.x_count(number), 1);
    const std::size_t plane = shape.planes_bytes(number) / static_cast<std::size_t>(planes);
    return round_up(tail_offset() + static_cast<std::size_t>(places.tail) * plane, std::size_t{256});
  }
  std::byte* planes(const DeviceBuffers& buffers, Direction direction) const {
    return places.has_middle(direction) ? buffers.middle : buffers.scratch;
  }
  std::uint32_t* own_tokens() const { return static_cast<std::uint32_t*>(tokens.get()); }
  double left_to_scale(Direction direction) const {
    return rank.fused_x() ? 1 : scale[static_cast<std::size_t>(direction)];
  }
  std::string describe() const {
    return std::string("slab, ") + std::to_string(rank.chunks(0)) + " chunks in " + std::to_string(rank.parts()) +
           " parts, " + (rank.fused_planes() ? "plane kernels for z and y, " : "") +
           (rank.fused_rows() ? "row kernels for z, " : "") + "line kernels for" + (rank.fused_y() ? " y" : "") +
           (rank.fused_x() ? " x" : "") + (rank.fused_y() || rank.fused_x() ? "" : " no axis") +
           (rank.stores() ? ", which store into the peers" : "") + (shape.dense_spectrum ? ", padded inside" : "") +
           (shape.woven ? ", planes of the first axis and the last one" : "");
  }
};

class SlabOperation : public DeviceOperation {
 public:
  explicit SlabOperation(std::shared_ptr<SlabMember> member) : member_(std::move(member)) {}

  /// begin, turns, finish. One thread that drives all GPUs gives each a turn in a phase; processes meet less often.
  int phases() const override { return member_->all_here ? 2 + member_->rank.turns() : 3; }
  bool capturable() const override { return member_->all_here; }
  /// Transforms run while copies are under way: neither's time can be told from the events around both.
  Activity activity() const override { return member_->shape.ranks > 1 ? Activity::other : Activity::fft; }
  void close_peers() override { *member_->token_addresses = {}; }
  /// Copies that wait for their turn take it.
  void abandon() override {
    SlabMember& m = *member_;
    const device::DeviceScope scope(m.rank.device());
    release_tokens(m.tokens.get(), m.rank.tokens(), m.rank.ready());
    m.rank.drain();
  }
  std::string describe() const override { return member_->describe(); }
  const Pieces* pieces() const override { return &member_->pieces; }
  DeviceChecks make_checks() override {
    return make_slab_checks(member_->shape, member_->number, sends_planes() ? Direction::forward : Direction::backward,
                            member_->rank.copied(), checks_.emplace());
  }
  std::int64_t bytes_sent() const override {
    const SlabShape& s = member_->shape;
    const int me = member_->number;
    const std::int64_t rows =
        sends_planes() ? s.x_count(me) * (s.ny - s.y_count(me)) : s.y_count(me) * (s.nx - s.x_count(me));
    return rows * s.pitch() * static_cast<std::int64_t>(s.complex_bytes());  // the padding travels, too
  }

 protected:
  virtual bool sends_planes() const = 0;
  const SlabChecks* checks() const { return checks_ ? &*checks_ : nullptr; }
  bool is_last(int phase) const { return phase == phases() - 1; }
  /// send(turn) for the turns of a phase between the first and the last one.
  template <class Send>
  void send_turns(int phase, Send send) const {
    const int first = member_->all_here ? phase - 1 : 0, count = member_->all_here ? 1 : member_->rank.turns();
    for (int turn = first; turn < first + count; ++turn) send(turn);
  }
  void scale(std::byte* data, std::int64_t count, bool is_complex, Direction direction,
             device::StreamHandle stream) const {
    const double factor = member_->left_to_scale(direction);
    if (factor != 1 && count > 0)
      device::scale(data, count, {member_->shape.transform.precision, is_complex}, factor, stream);
  }

  std::shared_ptr<SlabMember> member_;
  std::optional<SlabChecks> checks_;  ///< with the option verify
};

/// Field to planes, planes to the x rows of all ranks, x lines from there to the spectrum. The x rows are the spectra
/// themselves, where these are not padded inside.
class SlabForward : public SlabOperation {
 public:
  using SlabOperation::SlabOperation;

  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    SlabMember& m = *member_;
    void* const rows = m.places.own_rows ? buffers.scratch + m.rows_offset(m.number, Direction::forward) : nullptr;
    auto* const field = const_cast<std::byte*>(buffers.in);  // only read
    std::byte* const planes = m.planes(buffers, Direction::forward);
    SlabArrays own{field, planes, buffers.out, rows, m.own_tokens(), checks()};
    if (m.places.tail > 0) {
      own.tail = buffers.scratch + m.tail_offset();
      own.tail_begin = m.shape.x_count(m.number) - m.places.tail;
    }
    if (m.places.packed_bytes > 0) own.packed = buffers.scratch + m.packed_offset();
    if (phase == 0) {
      m.rank.begin_forward(own, stream);
    } else if (!is_last(phase)) {
      for (std::size_t q = 0; q < m.peers.size(); ++q)
        m.peers[q].arrays.rows = m.places.own_rows
                                     ? buffers.scratches[q] + m.rows_offset(static_cast<int>(q), Direction::forward)
                                     : buffers.outs[q];
      send_turns(phase, [&](int turn) { m.rank.send_forward(own, m.peers, turn, stream); });
    } else {
      m.rank.finish_forward(own, m.peers, stream);
      scale(buffers.out, m.shape.nx * m.shape.y_count(m.number) * m.shape.nzc(), true, Direction::forward, stream);
    }
  }
  std::size_t scratch_bytes() const override {
    const SlabMember& m = *member_;
    if (m.places.tail > 0 || m.places.packed_bytes > 0) return m.packed_offset() + m.places.packed_bytes;
    if (m.places.own_rows) return m.rows_offset(m.number, Direction::forward) + m.shape.rows_bytes(m.number);
    return uses_middle() ? 0 : m.shape.planes_bytes(m.number);
  }
  bool uses_middle() const override { return member_->places.has_middle(Direction::forward); }
  bool takes_input_as_middle() const override { return member_->shape.planes_like_field(); }
  /// The spectrum is written when the field has been read, or what became of it.
  bool runs_in_place() const override { return uses_middle() ? takes_input_as_middle() : member_->places.own_rows; }
  bool writes_peers() const override { return !member_->places.own_rows; }
  bool writes_scratches() const override { return member_->places.own_rows; }
  /// Memory that both directions share.
  RunnerMemory kept() const override {
    return {.table = member_->held_bytes(), .library = member_->rank.library_bytes()};
  }

 protected:
  bool sends_planes() const override { return true; }
};

/// x lines from the spectrum to x rows, from there to the planes of all ranks, planes to field.
class SlabBackward : public SlabOperation {
 public:
  using SlabOperation::SlabOperation;

  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    SlabMember& m = *member_;
    void* rows = nullptr;
    if (m.places.rows_back == RowsBack::field) rows = buffers.out;
    if (m.places.rows_back == RowsBack::scratch) rows = buffers.scratch + m.rows_offset(m.number, Direction::backward);
    auto* const spectrum = const_cast<std::byte*>(buffers.in);  // only read, unless SlabEnds allow otherwise
    std::byte* const planes = m.planes(buffers, Direction::backward);
    const SlabArrays own{buffers.out, planes, spectrum, rows, m.own_tokens(), checks()};
    if (phase == 0) {
      m.rank.begin_backward(own, stream);
    } else if (!is_last(phase)) {
      for (std::size_t q = 0; q < m.peers.size(); ++q)
        m.peers[q].arrays.planes = (writes_peers() ? buffers.outs : buffers.scratches)[q];
      send_turns(phase, [&](int turn) { m.rank.send_backward(own, m.peers, turn, stream); });
    } else {
      m.rank.finish_backward(own, m.peers, stream);
      scale(buffers.out, m.shape.x_count(m.number) * m.shape.ny * m.shape.nz, m.shape.transform.kind == Kind::c2c,
            Direction::backward, stream);
    }
  }
  std::size_t scratch_bytes() const override {
    const SlabMember& m = *member_;
    if (m.places.rows_back == RowsBack::scratch)
      return m.rows_offset(m.number, Direction::backward) + m.rank.rows_back_bytes();
    return uses_middle() ? 0 : m.shape.planes_bytes(m.number);
  }
  bool uses_middle() const override { return member_->places.has_middle(Direction::backward); }
  bool takes_input_as_middle() const override { return member_->places.in_place; }
  bool runs_in_place() const override { return member_->places.rows_back != RowsBack::field; }
  bool writes_peers() const override { return uses_middle(); }
  bool writes_scratches() const override { return !uses_middle(); }

 protected:
  bool sends_planes() const override { return false; }
};

/// Options with which all members decide alike: line passes are left out where not all GPUs have the same ones, and
/// stores into peers where not all can. Else plane passes are each GPU's own affair.
SlabOptions common_options(const SlabShape& shape, const SlabSetup& setup, const Team& team) {
  SlabOptions options;
  options.chunks = setup.chunks;
  options.checks = setup.verify;
  if (setup.chunks == 1) options.parts = {1};  // nothing is to be cut
  options.paired = wanted_turns(team, setup.paired);
  options.forward_scale = setup.scale[0];
  options.backward_scale = setup.scale[1];
  std::int64_t least = 7, most = 0;
  std::int64_t stores = may_store(shape, options) ? 1 : 0, planes = 1;
  team.agree([&] {
    for (const Member& member : team.here()) {
      const device::DeviceScope scope(member.device);
      const SlabShape made = padded_where_faster(shape, options, setup);
      const SlabFusion fusion = fusion_of(made, options);
      const std::int64_t flags = (fusion.y ? 1 : 0) + (fusion.x ? 2 : 0) + (fusion.direct ? 4 : 0);
      least = std::min(least, flags);
      most = std::max(most, flags);
      if (!fusion.direct || made.planes_bytes(0) > most_to_store(fusion)) stores = 0;
      if (!fusion.planes) planes = 0;
    }
  });
  options.fused = team.min(least) == team.max(most);
  options.stores = team.min(stores) == 1 && options.fused;
  options.planes = team.min(planes) == 1 && options.fused;
  return options;
}

std::shared_ptr<SlabMember> make_member(const SlabShape& dense, SlabOptions options, const SlabSetup& setup,
                                        const Member& member) {
  const device::DeviceScope scope(member.device);
  const SlabShape shape = padded_where_faster(dense, options, setup);
  options.in_place = runs_in_one_array(shape, options, setup);
  SlabRank rank(shape, options, member.rank, member.device, setup.team->event_use());
  auto made = std::make_shared<SlabMember>(SlabMember{shape, std::move(rank), member.rank, setup.scale});
  made->all_here = setup.team->all_here();
  made->places = places_of(made->rank, member.rank, shape, options, setup);
  made->tokens = make_tokens(made->rank.tokens());
  const int chunks = made->rank.chunks(0), parts = made->rank.parts();
  for (int c = 0; c < chunks; ++c) made->pieces.before.push_back({1, chunks, c});
  for (int p = 0; p < parts; ++p) made->pieces.after.push_back({3, parts, p});
  return made;
}

/// To be shared: when it is ready, then for every rank the events of its parts and chunks.
std::vector<device::EventHandle> events_of(const SlabRank& rank) {
  std::vector<device::EventHandle> events;
  for (int p = 0; p < rank.readies(); ++p) events.push_back(rank.ready(p));
  for (int to = 0; to < rank.ranks(); ++to)
    for (int p = 0; p < rank.parts(); ++p)
      for (int c = 0; c < rank.chunks(p); ++c) events.push_back(rank.sent(p, c, to));
  return events;
}

SlabPeer peer_of(const std::vector<device::EventHandle>& events, std::size_t q, const SlabMember& me) {
  SlabPeer peer;
  peer.arrays.tokens = reinterpret_cast<std::uint32_t*>(me.token_addresses->all()[q]);
  const auto each = static_cast<std::ptrdiff_t>(me.rank.turns());
  const auto copies = events.begin() + me.rank.readies(), first = copies + each * me.number;
  peer.ready.assign(events.begin(), copies);
  peer.sent_here.assign(first, first + each);
  return peer;
}

}  // namespace

bool runs_as_slab(const Program& program, int first, const Team& team, const SlabSetup& setup) {
  const std::optional<SlabShape> shape = slab_shape_of_either(program, first, setup.precision);
  if (!shape || team.switch_of("SHARDFFT_SLAB_BY_SCHEDULE", "slabs without the slab engine").value_or(false))
    return false;
  if (!shape->woven && !setup.verify) return true;
  const SlabOptions options = common_options(*shape, setup, team);
  std::int64_t takes = options.fused ? 1 : 0;
  team.agree([&] {
    for (const Member& member : team.here()) {
      const device::DeviceScope scope(member.device);
      const SlabFusion fusion = fusion_of(padded_where_faster(*shape, options, setup), options);
      if (shape->woven && (!fusion.planes || !fusion.x || fusion.copied)) takes = 0;
      if (setup.verify && !fusion.checked) takes = 0;
    }
  });
  return team.min(takes) == 1;
}

bool is_forward_slab(const Program& program, int first) {
  return slab_shape_of(program, first, Precision::f64).has_value();
}

std::array<MemberOperations, 2> make_slab(const Program& program, int first, const SlabSetup& setup) {
  require(setup.team != nullptr, "a slab transform of GPUs needs a team");
  Team& team = *setup.team;
  const SlabShape shape = known_shape(program, first, setup.precision);
  if (!team.all_peers()) fail(Status::unsupported, "the slab engine needs GPUs that can use each other's memory");
  std::vector<std::shared_ptr<SlabMember>> members;
  std::vector<std::vector<device::EventHandle>> mine;
  std::vector<void*> tokens;
  const SlabOptions options = common_options(shape, setup, team);
  team.agree([&] {
    for (const Member& member : team.here()) {
      members.push_back(make_member(shape, options, setup, member));
      mine.push_back(events_of(members.back()->rank));
      tokens.push_back(members.back()->tokens.get());
    }
  });
  std::vector<int> others(static_cast<std::size_t>(team.ranks()));
  std::iota(others.begin(), others.end(), 0);  // planes are cut by all, empty ranks included
  const auto events = team.share_events(mine, others);
  auto addresses = std::make_shared<SharedAddresses>();
  addresses->share(team, tokens);
  std::array<MemberOperations, 2> operations;
  for (const auto& member : members) {
    member->token_addresses = addresses;
    for (std::size_t q = 0; q < events.size(); ++q) member->peers.push_back(peer_of(events[q], q, *member));
    operations[0].push_back(std::make_unique<SlabForward>(member));
    operations[1].push_back(std::make_unique<SlabBackward>(member));
  }
  return operations;
}

}  // namespace shardfft::gpu
