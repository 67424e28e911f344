// cuda_peer, cuda_peer_copy, cuda_peer_store: every member writes its messages straight into the arrays of the others.
// Nothing is packed or unpacked: each box goes from its place at the sender to its place at the receiver.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "device/copy_box.hpp"
#include "geometry/gaps.hpp"
#include "gpu/move/box_copies.hpp"
#include "gpu/move/send_turns.hpp"
#include "gpu/move/strategies.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// One message: its boxes go by copy engines, or by kernels if engines do not fit.
struct PeerMessage {
  int peer = 0;
  std::vector<EngineCopies> engines{};
  std::vector<LocalCopy> kernels{};
  bool in_tail = false;  ///< of a divided array
  /// Long messages of copy engines leave in order. A GPU's engines send to one peer at a time in any case; without an
  /// order, several GPUs send to the same peer (docs/gpu-design.md).
  bool in_turn() const {
    std::size_t bytes = 0;
    for (const EngineCopies& copies : engines) bytes += copies.offsets.size() * copies.bytes();
    return kernels.empty() && bytes >= peer_gpu_defaults().bytes_worth_an_order;
  }
};

/// Many calls of few megabytes are no faster than kernels on two GPUs, half as fast on four (docs/gpu-design.md).
bool engines_are_faster(const EngineCopies& copies) {
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  const bool single = copies.shape.rows * copies.shape.slices == 1;
  if (!single && copies.shape.bytes < defaults.engine_row_bytes) return false;
  return static_cast<std::int64_t>(copies.offsets.size()) <= defaults.few_engine_calls ||
         copies.bytes() >= defaults.engine_call_bytes;
}

/// The ranks that a rank sends to, and itself, ascending; none unless each of them sends to all the others.
std::vector<int> ring_of(const DeviceReshapeSetup& setup, int rank) {
  const auto with_receivers = [&setup](int of) {
    std::vector<int> ranks{of};
    for (const Message& m : make_schedule(setup.from, setup.to, of).send) ranks.push_back(m.peer);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  };
  const std::vector<int> ring = with_receivers(rank);
  const bool whole = setup.peers == Peers::all &&
                     std::all_of(ring.begin(), ring.end(), [&](int q) { return with_receivers(q) == ring; });
  return whole ? ring : std::vector<int>();
}

/// Shared by the messages of a reshape on one member: a stream in which long messages leave in order, and the tokens if
/// GPUs send in turn.
struct SendOrder {
  std::vector<int> ranks;  ///< of the ring
  SendRing ring{};
  device::Stream stream = device::make_stream();
  device::Memory tokens{};
  std::shared_ptr<SharedAddresses> all_tokens{};  ///< of all ranks

  std::uint32_t* own() const { return static_cast<std::uint32_t*>(tokens.get()); }
  std::uint32_t* of(int member) const {
    return reinterpret_cast<std::uint32_t*>(
        all_tokens->all()[static_cast<std::size_t>(ranks[static_cast<std::size_t>(member)])]);
  }
};

/// Unused bytes behind each row, if both arrays of a message have equally many and the message has whole rows;
/// otherwise 0.
std::int64_t gap_bytes(const DeviceReshapeSetup& setup, const Pieces::Message& slices, int rank) {
  const int row = setup.from.order().back();
  const std::int64_t gap = row_gap(setup.from, rank);
  const bool whole = setup.to.order().back() == row && slices.from.axis != row && slices.to.axis != row;
  return whole && gap == row_gap(setup.to, rank) ? gap * static_cast<std::int64_t>(setup.element_bytes) : 0;
}

class PeerExchange : public DeviceOperation {
 public:
  /// With the member's device current. Every member of the ring of `order` gets a message, which may be empty. `round`:
  /// the number of this message in the reshape.
  PeerExchange(const DeviceReshapeSetup& setup, int member, const Pieces::Message& slices, PeerWay way,
               std::shared_ptr<SendOrder> order, int round)
      : name_(way == PeerWay::chosen   ? "cuda_peer"
              : way == PeerWay::copies ? "cuda_peer_copy"
                                       : "cuda_peer_store"),
        rank_(setup.team->here()[static_cast<std::size_t>(member)].rank),
        element_bytes_(setup.element_bytes),
        all_here_(setup.team->all_here()),
        order_(std::move(order)),
        round_(round) {
    const Schedule schedule = schedule_of(setup, member, slices);
    self_ = schedule.self;
    bytes_sent_ = schedule.send_count * static_cast<std::int64_t>(element_bytes_);
    const std::optional<Layout> source =
        setup.sources.empty() ? std::nullopt : setup.sources[static_cast<std::size_t>(round)];
    const Schedule elsewhere = source ? make_schedule(*source, setup.to, rank_, slices.from, slices.to) : Schedule{};
    for (const Message& m : source ? elsewhere.send : schedule.send) add_message(setup, slices, m, way);
    for (const Message& m : schedule.recv) {
      senders_.push_back(m.peer);
      received_.insert(received_.end(), m.boxes.begin(), m.boxes.end());
    }
    for (const int q : order_->ranks) add_empty(q);
    std::sort(messages_.begin(), messages_.end(), [](const auto& a, const auto& b) { return a.peer < b.peer; });
    std::stable_partition(messages_.begin(), messages_.end(), [this](const PeerMessage& m) { return m.peer > rank_; });
    for (const PeerMessage& m : messages_) streams_.push_back(m.in_turn() ? device::Stream{} : device::make_stream());
    filled_ = device::make_event();
    events_.resize(static_cast<std::size_t>(setup.team->ranks()) + 1);
    events_.front() = device::make_event(setup.team->event_use());
    for (const PeerMessage& m : messages_)
      events_[static_cast<std::size_t>(1 + m.peer)] = device::make_event(setup.team->event_use());
  }

  /// The ranks whose events this member waits for: it sends to them, or they send to it.
  std::vector<int> partners() const {
    std::vector<int> ranks = senders_;
    for (const PeerMessage& m : messages_) ranks.push_back(m.peer);
    return ranks;
  }
  /// Events to share, behind those of earlier messages: that others may write into this member's array; then for every
  /// rank, that the data for it is sent (null: there is none).
  std::vector<device::EventHandle> events() const {
    std::vector<device::EventHandle> handles;
    for (const device::Event& e : events_) handles.push_back(e.get());
    return handles;
  }
  void set_events(const std::vector<std::vector<device::EventHandle>>& all) {
    const std::size_t first = static_cast<std::size_t>(round_) * events_.size();
    for (const PeerMessage& m : messages_) ready_.push_back(all[static_cast<std::size_t>(m.peer)][first]);
    for (const int q : senders_)
      arrived_.push_back(all[static_cast<std::size_t>(q)][first + static_cast<std::size_t>(1 + rank_)]);
  }

  /// Whether copy engines move everything.
  bool by_engines() const {
    return std::all_of(messages_.begin(), messages_.end(), [](const PeerMessage& m) { return m.kernels.empty(); });
  }

  int phases() const override { return 3; }
  bool announces() const override { return true; }
  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    if (phase == 0) {
      if (owns_tokens()) device::fill_zero(order_->own(), order_->ring.flags() * sizeof(std::uint32_t), stream);
      device::record(events_.front().get(), stream);
    } else if (phase == 1 && buffers.moved == Moved::all) {
      for (const PeerMessage& m : messages_) device::record(sent(m.peer), stream);
    } else if (phase == 1) {
      device::record(filled_.get(), stream);
      for (const device::EventHandle ready : ready_)
        if (owns_tokens()) device::wait(order_->stream.get(), ready);
      const bool loads = called_.insert({buffers.moved, buffers.one_array}).second;
      for (std::size_t i = 0; i < messages_.size(); ++i) send(i, buffers, loads);
      if (buffers.moved == Moved::nothing) copy_self(self_, buffers, element_bytes_, stream);
    } else {
      for (const device::EventHandle event : arrived_) device::wait(stream, event);
      if (buffers.moved != Moved::all)
        for (const PeerMessage& m : messages_) device::wait(stream, sent(m.peer));
      if (buffers.receive_buffer == nullptr) return;
      for (const Box& box : received_)
        device::copy_box(buffers.receive_buffer, box, buffers.out, box, element_bytes_, stream);
    }
  }
  void await_receivers(device::StreamHandle stream) override {
    for (const device::EventHandle ready : ready_) device::wait(stream, ready);
  }
  void await_sent(device::StreamHandle stream) override {
    for (const PeerMessage& m : messages_) device::wait(stream, sent(m.peer));
  }
  void abandon() override {
    const device::DeviceScope scope(device_);
    if (owns_tokens()) release_tokens(order_->own(), order_->ring.flags(), events_.front().get());
    device::synchronize(order_->stream.get());
    for (const device::Stream& stream : streams_)
      if (stream) device::synchronize(stream.get());
  }
  void close_peers() override {
    if (owns_tokens()) *order_->all_tokens = {};
  }
  RunnerMemory kept() const override { return {.table = owns_tokens() ? token_bytes(order_->ring.flags()) : 0}; }
  PeersWrite peers_write() const override { return PeersWrite::result; }
  /// A graph cannot contain host barriers between processes.
  HostWait waits_for() const override { return all_here_ ? HostWait::nothing : HostWait::itself; }
  Activity activity() const override { return Activity::exchange; }
  std::int64_t bytes_sent() const override { return bytes_sent_; }
  std::string describe() const override {
    std::size_t engines = 0, kernels = 0;
    for (const PeerMessage& m : messages_) {
      kernels += m.kernels.size();
      for (const EngineCopies& copies : m.engines) engines += copies.offsets.size();
    }
    return name_ + ", " + std::to_string(messages_.size()) + " peers, " + std::to_string(engines) +
           " copies by engines, " + std::to_string(kernels) + " by kernels";
  }

 private:
  /// The first message of a reshape owns the tokens of all its messages.
  bool owns_tokens() const { return round_ == 0 && order_->own() != nullptr; }
  void add_empty(int q) {
    const auto sends = [q](const PeerMessage& m) { return m.peer == q; };
    if (q != rank_ && std::none_of(messages_.begin(), messages_.end(), sends)) messages_.push_back({q});
    if (q != rank_ && std::find(senders_.begin(), senders_.end(), q) == senders_.end()) senders_.push_back(q);
  }
  /// Both ranks make the boxes of a message in the same order.
  void add_message(const DeviceReshapeSetup& setup, const Pieces::Message& slices, const Message& m, PeerWay way) {
    const Schedule theirs = make_schedule(setup.from, setup.to, m.peer, slices.from, slices.to);
    const auto there = std::find_if(theirs.recv.begin(), theirs.recv.end(),
                                    [this](const Message& candidate) { return candidate.peer == rank_; });
    if (there == theirs.recv.end() || there->boxes.size() != m.boxes.size())
      fail(Status::internal, "ranks ", rank_, " and ", m.peer, " do not agree on their message");
    const std::int64_t gap = gap_bytes(setup, slices, rank_);
    PeerMessage message;
    message.peer = m.peer;
    message.in_tail =
        setup.result && !there->boxes.empty() &&
        setup.result->in_tail(m.peer, there->boxes.front().offset * static_cast<std::int64_t>(setup.element_bytes));
    for (std::size_t i = 0; i < m.boxes.size(); ++i) {
      const LocalCopy boxes{m.boxes[i], there->boxes[i]};
      auto engines = way == PeerWay::stores
                         ? std::nullopt
                         : engine_copies(boxes, setup.element_bytes, peer_gpu_defaults().most_engine_calls, gap);
      if (engines && (way == PeerWay::copies || engines_are_faster(*engines)))
        message.engines.push_back(std::move(*engines));
      else
        message.kernels.push_back(boxes);
    }
    messages_.push_back(std::move(message));
  }

  /// `loads`: kernels may have to be loaded after this message. Loading waits for all work of the GPU, so this message
  /// must not wait for tokens: other members of this process enqueue their copies later.
  void send(std::size_t i, const DeviceBuffers& buffers, bool loads) {
    const PeerMessage& m = messages_[i];
    const bool takes_turns = order_->own() != nullptr;
    const device::StreamHandle stream = m.in_turn() || takes_turns ? order_->stream.get() : streams_[i].get();
    const int step = static_cast<int>(i) + 1;
    std::byte* const there = (m.in_tail ? buffers.out_tails : buffers.outs)[static_cast<std::size_t>(m.peer)];
    device::wait(stream, filled_.get());
    device::wait(stream, ready_[i]);
    if (takes_turns && !loads) order_->ring.await(order_->own(), round_, step, stream);
    for (const EngineCopies& copies : m.engines)
      for (const EngineCopies::Offsets& offset : copies.offsets) {
        device::BoxCopy copy = copies.shape;
        copy.from.base = const_cast<std::byte*>(buffers.in) + offset.from;  // the engines' interface; only read
        copy.to.base = there + offset.to;
        device::copy_box(copy, stream);
      }
    for (const LocalCopy& boxes : m.kernels)
      device::copy_box(buffers.in, boxes.from, there, boxes.to, element_bytes_, stream);
    // Before the event: another member's copy waits for the token.
    if (takes_turns) order_->ring.pass([this](int q) { return order_->of(q); }, round_, step, stream);
    device::record(sent(m.peer), stream);
  }

  device::EventHandle sent(int to) const { return events_[static_cast<std::size_t>(1 + to)].get(); }

  std::string name_;
  int rank_;
  std::size_t element_bytes_;
  bool all_here_;
  std::int64_t bytes_sent_ = 0;
  std::vector<LocalCopy> self_;
  std::vector<PeerMessage> messages_;  ///< begins with the next higher rank: not all send to the same one
  std::vector<int> senders_;
  std::vector<Box> received_;  ///< the boxes that they write
  int device_ = device::current_device();
  std::shared_ptr<SendOrder> order_;
  int round_;
  std::set<std::pair<Moved, bool>> called_;  ///< calls so far: the part moved elsewhere, and whether in place
  std::vector<device::Stream> streams_;      ///< one for each message that is not in order
  device::Event filled_;                     ///< the data to send is there
  std::vector<device::Event> events_;
  std::vector<device::EventHandle> ready_, arrived_;  ///< of the receivers, of the senders
};

/// The exchanges of a member, by message, and what they share.
struct MemberExchanges {
  std::shared_ptr<SendOrder> order;
  std::vector<std::unique_ptr<PeerExchange>> exchanges{};
};

/// Whether GPUs send in turn (gpu/move/send_turns.hpp): in rings of three and more, by copy engines, if arrays are
/// large and the user does not decide otherwise. Not if passes store: stores take no turns. Collective.
bool takes_turns(const DeviceReshapeSetup& setup, const std::vector<MemberExchanges>& members) {
  const std::size_t bytes = static_cast<std::size_t>(setup.from.max_count()) * setup.element_bytes;
  const bool wanted = wanted_turns(*setup.team).value_or(bytes >= peer_gpu_defaults().bytes_worth_turns);
  if (setup.stored || setup.team->ranks() < 3) return false;  // the same on all ranks
  bool may = wanted;
  for (const auto& [order, exchanges] : members) {
    may = may && order->ranks.size() > 2;
    for (const auto& exchange : exchanges) may = may && exchange->by_engines();
  }
  return setup.team->min(std::int64_t{may}) == 1;
}

/// Makes the tokens of all orders, and shares their addresses. Collective.
void share_tokens(Team& team, const std::vector<MemberExchanges>& members, int rounds) {
  team.for_members([&](std::size_t m) {
    SendOrder& order = *members[m].order;
    const auto me = std::find(order.ranks.begin(), order.ranks.end(), team.here()[m].rank) - order.ranks.begin();
    order.ring = {static_cast<int>(order.ranks.size()), rounds, static_cast<int>(me)};
    order.tokens = make_tokens(order.ring.flags(), team.sharing());
    return 0;
  });
  std::vector<void*> tokens;
  for (const MemberExchanges& member : members) tokens.push_back(member.order->tokens.get());
  auto addresses = std::make_shared<SharedAddresses>();
  addresses->share(team, tokens);
  for (const MemberExchanges& member : members) member.order->all_tokens = addresses;
}

}  // namespace

std::vector<MemberOperations> make_peer_exchange(const DeviceReshapeSetup& setup,
                                                 const std::vector<Pieces::Message>& messages, PeerWay way) {
  Team& team = *setup.team;
  auto made = team.for_members([&](std::size_t m) {
    MemberExchanges member{std::make_shared<SendOrder>(SendOrder{ring_of(setup, team.here()[m].rank)})};
    for (const Pieces::Message& message : messages)
      member.exchanges.push_back(std::make_unique<PeerExchange>(setup, static_cast<int>(m), message, way, member.order,
                                                                static_cast<int>(member.exchanges.size())));
    return member;
  });
  if (takes_turns(setup, made)) share_tokens(team, made, static_cast<int>(messages.size()));
  std::vector<std::vector<device::EventHandle>> events;
  std::set<int> partners;
  for (const MemberExchanges& member : made) {
    events.emplace_back();
    for (const auto& exchange : member.exchanges) {
      for (const device::EventHandle event : exchange->events()) events.back().push_back(event);
      for (const int rank : exchange->partners()) partners.insert(rank);
    }
  }
  const auto all = team.share_events(events, {partners.begin(), partners.end()});
  std::vector<MemberOperations> operations(messages.size());
  for (MemberExchanges& member : made)
    for (std::size_t k = 0; k < messages.size(); ++k) {
      member.exchanges[k]->set_events(all);
      operations[k].push_back(std::move(member.exchanges[k]));
    }
  return operations;
}

}  // namespace shardfft::gpu
