// host_staged: messages through pinned host memory, for MPI libraries that do not take device pointers. While one
// message is on the network the next one is on its way to the host.
#include "exchange/link.hpp"
#include "gpu/move/strategies.hpp"

namespace shardfft::gpu {

namespace {

class HostStaged : public MessageExchange {
 public:
  /// With the member's device current.
  explicit HostStaged(const DeviceReshapeSetup& setup)
      : MessageExchange(setup, 0),
        device_(device::current_device()),
        link_(setup_),
        out_(setup_.schedule.send, setup_, Staging::always),
        in_(setup_.schedule.recv, setup_, Staging::always),
        down_(device::make_stream()),
        up_(device::make_stream()),
        begun_(device::make_event()),
        sends_(setup_.watch),
        receives_(setup_.watch) {
    pin(out_.bytes() + in_.bytes());
    for (int i = 0; i < send_.size(); ++i) {
      packed_.push_back(device::make_event());
      staged_.push_back(device::make_event());
    }
    for (int i = 0; i < recv_.size(); ++i) uploaded_.push_back(device::make_event());
  }

  void enqueue(int, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    device::synchronize(up_.get());  // copies of the last run may still read the receive buffers
    post_receives();
    device::record(begun_.get(), stream);
    device::wait(up_.get(), begun_.get());
    for (const int i : send_order_) stage(i, buffers, stream);
    copy_stays(buffers, stream);
    std::size_t sent = 0;
    int arrived = 0;
    wait_until(setup_.watch, [&] {
      const bool sends = sent < send_order_.size() && send_staged(send_order_[sent]);
      const int message = arrived < recv_.size() ? next_arrived() : -1;
      if (sends) ++sent;
      if (message >= 0) {
        upload(message, buffers, stream);
        ++arrived;
      }
      return sent == send_order_.size() && arrived == recv_.size();
    });
    receives_.clear();
    sends_.wait_all();
  }
  void abandon() override {
    const device::DeviceScope scope(device_);
    for (const device::StreamHandle stream : {down_.get(), up_.get()}) device::synchronize(stream);
  }
  HostWait waits_for() const override { return HostWait::messages; }
  std::string describe() const override {
    return "host_staged, " + std::to_string(send_.size()) + " messages through pinned host memory";
  }

 private:
  std::byte* out(int i) const { return host() + out_.offset_bytes(i); }
  std::byte* in(int i) const { return host() + out_.bytes() + in_.offset_bytes(i); }

  void post_receives() {
    message_of_request_.clear();
    missing_.assign(static_cast<std::size_t>(recv_.size()), 0);
    for (const int i : recv_order_) {
      link_.receive(in(i), recv_[i].count, recv_[i].peer, receives_);
      missing_[static_cast<std::size_t>(i)] = link_.messages(recv_[i].count);
      message_of_request_.resize(receives_.size(), i);
    }
  }

  /// Copies a message to the host while the next one is packed.
  void stage(int i, const DeviceBuffers& buffers, device::StreamHandle stream) {
    const auto index = static_cast<std::size_t>(i);
    pack(i, buffers, stream);
    device::record(packed_[index].get(), stream);
    device::wait(down_.get(), packed_[index].get());
    device::copy_bytes(out(i), outgoing(i, buffers), bytes_of(send_[i]), down_.get());
    device::record(staged_[index].get(), down_.get());
  }

  /// Sends the message if it is on the host.
  bool send_staged(int i) {
    if (!device::done(staged_[static_cast<std::size_t>(i)].get())) return false;
    link_.send(out(i), send_[i].count, send_[i].peer, sends_);
    return true;
  }

  /// Returns a message that has arrived since the last call, or -1. Lets MPI move the others.
  int next_arrived() {
    const int request = receives_.test_any();
    if (request < 0) return -1;
    const int message = message_of_request_[static_cast<std::size_t>(request)];
    return --missing_[static_cast<std::size_t>(message)] == 0 ? message : -1;
  }

  void upload(int i, const DeviceBuffers& buffers, device::StreamHandle stream) {
    const device::EventHandle uploaded = uploaded_[static_cast<std::size_t>(i)].get();
    device::copy_bytes(incoming(i, buffers), in(i), bytes_of(recv_[i]), up_.get());
    device::record(uploaded, up_.get());
    device::wait(stream, uploaded);
    unpack(i, buffers, stream);
  }

  int device_;
  Link link_;
  Blocks out_, in_;           ///< the places of messages on the host
  device::Stream down_, up_;  ///< to and from the host
  device::Event begun_;
  std::vector<device::Event> packed_, staged_, uploaded_;
  RequestSet sends_, receives_;
  std::vector<int> message_of_request_;
  std::vector<std::int64_t> missing_;  ///< requests that each message still waits for
};

}  // namespace

MemberOperations make_host_staged_exchange(const DeviceReshapeSetup& setup) {
  return setup.team->for_members(
      [&](std::size_t) -> std::unique_ptr<DeviceOperation> { return std::make_unique<HostStaged>(setup); });
}

}  // namespace shardfft::gpu
