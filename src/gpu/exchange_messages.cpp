// What the exchanges that send messages share: packing and unpacking on the device.
#include "device/copy_box.hpp"
#include "gpu/strategies.hpp"

namespace shardfft::gpu {

namespace {

ExchangeSetup exchange_setup(const DeviceReshapeSetup& setup, int member) {
  ExchangeSetup made;
  made.comm = setup.team->comm();
  made.schedule = make_schedule(setup.from, setup.to, setup.team->here()[static_cast<std::size_t>(member)].rank);
  made.element_bytes = setup.element_bytes;
  made.watch = setup.team->watch();
  return made;
}

}  // namespace

MessageSide::MessageSide(const DeviceReshapeSetup& given, int member)
    : setup(exchange_setup(given, member)),
      send(setup.schedule.send, setup),
      recv(setup.schedule.recv, setup),
      send_order(send.from_neighbour(given.team->here()[static_cast<std::size_t>(member)].rank)),
      recv_order(recv.from_neighbour(given.team->here()[static_cast<std::size_t>(member)].rank)) {}

void MessageSide::pack(int i, const DeviceBuffers& b, device::StreamHandle stream) const {
  if (send.direct(i)) return;
  std::int64_t offset = send.offset(i);
  for (const Box& box : send[i].boxes) {
    const std::int64_t count = box.elements();
    device::copy_box(b.in, box, b.scratch, Box::run(offset, count), setup.element_bytes, stream);
    offset += count;
  }
}

void MessageSide::unpack(int i, const DeviceBuffers& b, device::StreamHandle stream) const {
  if (recv.direct(i)) return;
  std::int64_t offset = recv.offset(i);
  for (const Box& box : recv[i].boxes) {
    const std::int64_t count = box.elements();
    device::copy_box(incoming_work(b), Box::run(offset, count), b.out, box, setup.element_bytes, stream);
    offset += count;
  }
}

void MessageSide::copy_self(const DeviceBuffers& buffers, device::StreamHandle stream) const {
  gpu::copy_self(setup.schedule.self, buffers, setup.element_bytes, stream);
}

std::int64_t MessageSide::bytes_sent() const {
  return setup.schedule.send_count * static_cast<std::int64_t>(setup.element_bytes);
}

void copy_self(const std::vector<LocalCopy>& copies, const DeviceBuffers& buffers, std::size_t element_bytes,
               device::StreamHandle stream) {
  for (const LocalCopy& copy : copies)
    device::copy_box(buffers.in, copy.from, buffers.out, copy.to, element_bytes, stream);
}

}  // namespace shardfft::gpu
