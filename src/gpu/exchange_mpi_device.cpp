// mpi_device: messages between arrays in device memory, by an MPI library that takes device pointers. The plainest
// exchange of GPUs: pack, wait for the device, send and receive, unpack.
#include "exchange/link.hpp"
#include "gpu/strategies.hpp"

namespace shardfft::gpu {

namespace {

class MpiDevice : public MessageExchange {
 public:
  explicit MpiDevice(const DeviceReshapeSetup& setup)
      : MessageExchange(setup, 0), link_(setup_), requests_(setup_.watch) {}

  void enqueue(int, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    for (int i = 0; i < send_.size(); ++i) pack(i, buffers, stream);
    device::synchronize(stream);
    for (const int i : recv_order_) link_.receive(incoming(i, buffers), recv_[i].count, recv_[i].peer, requests_);
    for (const int i : send_order_) link_.send(outgoing(i, buffers), send_[i].count, send_[i].peer, requests_);
    copy_stays(buffers, stream);
    requests_.wait_all();
    for (int i = 0; i < recv_.size(); ++i) unpack(i, buffers, stream);
  }
  bool capturable() const override { return false; }
  std::string describe() const override {
    return "mpi_device, " + std::to_string(send_.size()) + " messages from device memory";
  }

 private:
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
