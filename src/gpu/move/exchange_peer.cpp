// cuda_peer, cuda_peer_copy, cuda_peer_store: every member writes its messages straight into the arrays of the others.
// Nothing is packed or unpacked: a message's boxes go from where the sender has them to where the receiver wants them.
#include <algorithm>
#include <string>

#include "base/check.hpp"
#include "device/copy_box.hpp"
#include "gpu/move/box_copies.hpp"
#include "gpu/move/strategies.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// One message: its boxes by copy engines, or where these do not fit, by kernels.
struct PeerMessage {
  int peer = 0;
  std::vector<EngineCopies> engines;
  std::vector<LocalCopy> kernels;
  /// A GPU's engines send to one peer at a time in any case. Left alone they take long messages in an order in which
  /// several GPUs send to the same one (docs/gpu-design.md).
  bool in_turn() const {
    std::size_t bytes = 0;
    for (const EngineCopies& copies : engines) bytes += copies.offsets.size() * copies.bytes();
    return kernels.empty() && bytes >= peer_gpu_defaults().bytes_worth_an_order;
  }
};

/// Many calls of a few megabytes are no faster than kernels on two GPUs, and half as fast on four (docs/gpu-design.md).
bool engines_are_faster(const EngineCopies& copies) {
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  const bool single = copies.shape.rows * copies.shape.slices == 1;
  if (!single && copies.shape.bytes < defaults.engine_row_bytes) return false;
  return static_cast<std::int64_t>(copies.offsets.size()) <= defaults.few_engine_calls ||
         copies.bytes() >= defaults.engine_call_bytes;
}

class PeerExchange : public DeviceOperation {
 public:
  /// With the member's device current.
  PeerExchange(const DeviceReshapeSetup& setup, int member, PeerWay way)
      : name_(way == PeerWay::chosen   ? "cuda_peer"
              : way == PeerWay::copies ? "cuda_peer_copy"
                                       : "cuda_peer_store"),
        rank_(setup.team->here()[static_cast<std::size_t>(member)].rank),
        element_bytes_(setup.element_bytes),
        all_here_(setup.team->all_here()) {
    const Schedule schedule = schedule_of(setup, member);
    self_ = schedule.self;
    bytes_sent_ = schedule.send_count * static_cast<std::int64_t>(element_bytes_);
    for (const Message& m : schedule.send) add_message(setup, m, way);
    std::stable_partition(messages_.begin(), messages_.end(), [this](const PeerMessage& m) { return m.peer > rank_; });
    for (const Message& m : schedule.recv) {
      senders_.push_back(m.peer);
      landed_.insert(landed_.end(), m.boxes.begin(), m.boxes.end());
    }
    in_turn_ = device::make_stream();
    for (const PeerMessage& m : messages_) streams_.push_back(m.in_turn() ? device::Stream{} : device::make_stream());
    filled_ = device::make_event();
    events_.resize(static_cast<std::size_t>(setup.team->ranks()) + 1);
    events_.front() = device::make_event(setup.team->event_use());
    for (const PeerMessage& m : messages_)
      events_[static_cast<std::size_t>(1 + m.peer)] = device::make_event(setup.team->event_use());
  }

  /// Those whose events this member waits for: it sends to them, or they to it.
  std::vector<int> partners() const {
    std::vector<int> ranks = senders_;
    for (const PeerMessage& m : messages_) ranks.push_back(m.peer);
    return ranks;
  }
  /// To be shared: that the arrays may be used, then for every rank that what it is sent has left (null: nothing is).
  std::vector<device::EventHandle> events() const {
    std::vector<device::EventHandle> handles;
    for (const device::Event& e : events_) handles.push_back(e.get());
    return handles;
  }
  void set_events(const std::vector<std::vector<device::EventHandle>>& all) {
    for (const PeerMessage& m : messages_) ready_.push_back(all[static_cast<std::size_t>(m.peer)].front());
    for (const int q : senders_)
      arrived_.push_back(all[static_cast<std::size_t>(q)][static_cast<std::size_t>(1 + rank_)]);
  }

  int phases() const override { return 3; }
  bool announces() const override { return true; }
  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    if (phase == 0) {
      device::record(events_.front().get(), stream);
    } else if (phase == 1) {
      device::record(filled_.get(), stream);
      for (std::size_t i = 0; i < messages_.size(); ++i) send(i, buffers);
      if (!buffers.own_is_there) copy_self(self_, buffers, element_bytes_, stream);
    } else {
      for (const device::EventHandle event : arrived_) device::wait(stream, event);
      for (const PeerMessage& m : messages_) device::wait(stream, sent(m.peer));
      if (buffers.landing == nullptr) return;
      for (const Box& box : landed_) device::copy_box(buffers.landing, box, buffers.out, box, element_bytes_, stream);
    }
  }
  void abandon() override {
    device::synchronize(in_turn_.get());
    for (const device::Stream& stream : streams_)
      if (stream) device::synchronize(stream.get());
  }
  bool writes_peers() const override { return true; }
  /// Host barriers between processes are no part of a graph.
  bool capturable() const override { return all_here_; }
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
  /// Both sides' boxes of a message are made in the same order.
  void add_message(const DeviceReshapeSetup& setup, const Message& m, PeerWay way) {
    const Schedule theirs = make_schedule(setup.from, setup.to, m.peer, setup.from_slice, setup.to_slice);
    const auto there = std::find_if(theirs.recv.begin(), theirs.recv.end(),
                                    [this](const Message& candidate) { return candidate.peer == rank_; });
    if (there == theirs.recv.end() || there->boxes.size() != m.boxes.size())
      fail(Status::internal, "ranks ", rank_, " and ", m.peer, " do not agree on their message");
    PeerMessage message;
    message.peer = m.peer;
    for (std::size_t i = 0; i < m.boxes.size(); ++i) {
      const LocalCopy boxes{m.boxes[i], there->boxes[i]};
      auto engines = way == PeerWay::stores
                         ? std::nullopt
                         : engine_copies(boxes, setup.element_bytes, peer_gpu_defaults().most_engine_calls);
      if (engines && (way == PeerWay::copies || engines_are_faster(*engines)))
        message.engines.push_back(std::move(*engines));
      else
        message.kernels.push_back(boxes);
    }
    messages_.push_back(std::move(message));
  }

  void send(std::size_t i, const DeviceBuffers& buffers) {
    const PeerMessage& m = messages_[i];
    const device::StreamHandle stream = m.in_turn() ? in_turn_.get() : streams_[i].get();
    std::byte* const there = buffers.outs[static_cast<std::size_t>(m.peer)];
    device::wait(stream, filled_.get());
    device::wait(stream, ready_[i]);
    for (const EngineCopies& copies : m.engines)
      for (const EngineCopies::Offsets& offset : copies.offsets) {
        device::BoxCopy copy = copies.shape;
        copy.from.base = const_cast<std::byte*>(buffers.in) + offset.from;  // the engines' interface; only read
        copy.to.base = there + offset.to;
        device::copy_box(copy, stream);
      }
    for (const LocalCopy& boxes : m.kernels)
      device::copy_box(buffers.in, boxes.from, there, boxes.to, element_bytes_, stream);
    device::record(sent(m.peer), stream);
  }

  device::EventHandle sent(int to) const { return events_[static_cast<std::size_t>(1 + to)].get(); }

  std::string name_;
  int rank_;
  std::size_t element_bytes_;
  bool all_here_;
  std::int64_t bytes_sent_ = 0;
  std::vector<LocalCopy> self_;
  std::vector<PeerMessage> messages_;  ///< beginning with the next higher rank: not all into the same one
  std::vector<int> senders_;
  std::vector<Box> landed_;  ///< what they write
  device::Stream in_turn_;
  std::vector<device::Stream> streams_;  ///< one for every other message
  device::Event filled_;                 ///< what is sent is there
  std::vector<device::Event> events_;
  std::vector<device::EventHandle> ready_, arrived_;  ///< of the receivers, of the senders
};

}  // namespace

MemberOperations make_peer_exchange(const DeviceReshapeSetup& setup, PeerWay way) {
  Team& team = *setup.team;
  auto made =
      team.for_members([&](std::size_t m) { return std::make_unique<PeerExchange>(setup, static_cast<int>(m), way); });
  std::vector<std::vector<device::EventHandle>> events;
  for (const auto& operation : made) events.push_back(operation->events());
  const auto all = team.share_events(events, made.front()->partners());
  MemberOperations operations;
  for (auto& operation : made) {
    operation->set_events(all);
    operations.push_back(std::move(operation));
  }
  return operations;
}

}  // namespace shardfft::gpu
