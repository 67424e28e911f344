// mpi_device: messages between arrays in device memory, by an MPI library that takes device pointers. The plainest
// exchange of GPUs: pack, wait for the device, send and receive, unpack.
#include "exchange/link.hpp"
#include "gpu/strategies.hpp"

namespace shardfft::gpu {

namespace {

class MpiDevice : public DeviceOperation {
 public:
  explicit MpiDevice(const DeviceReshapeSetup& setup)
      : side_(setup, 0), link_(side_.setup), requests_(side_.setup.watch) {}

  void enqueue(int, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    for (int i = 0; i < side_.send.size(); ++i) side_.pack(i, buffers, stream);
    device::synchronize(stream);
    for (const int i : side_.recv_order)
      link_.receive(side_.incoming(i, buffers), side_.recv[i].count, side_.recv[i].peer, requests_);
    for (const int i : side_.send_order)
      link_.send(side_.outgoing(i, buffers), side_.send[i].count, side_.send[i].peer, requests_);
    side_.copy_self(buffers, stream);
    requests_.wait_all();
    for (int i = 0; i < side_.recv.size(); ++i) side_.unpack(i, buffers, stream);
  }
  std::size_t scratch_bytes() const override { return side_.scratch_bytes(); }
  bool capturable() const override { return false; }
  Activity activity() const override { return Activity::exchange; }
  std::int64_t bytes_sent() const override { return side_.bytes_sent(); }
  std::string describe() const override {
    return "mpi_device, " + std::to_string(side_.send.size()) + " messages from device memory";
  }

 private:
  MessageSide side_;
  Link link_;
  RequestSet requests_;
};

}  // namespace

MemberOperations make_mpi_device_exchange(const DeviceReshapeSetup& setup) {
  MemberOperations operations;
  setup.team->agree([&] { operations.push_back(std::make_unique<MpiDevice>(setup)); });
  return operations;
}

}  // namespace shardfft::gpu
