// What the exchanges that send messages share: packing and unpacking on the device.
#include "device/copy_box.hpp"
#include "gpu/strategies.hpp"

namespace shardfft::gpu {

namespace {

int rank_of(const DeviceReshapeSetup& setup, int member) {
  return setup.team->here()[static_cast<std::size_t>(member)].rank;
}

ExchangeSetup exchange_setup(const DeviceReshapeSetup& setup, int member) {
  ExchangeSetup made;
  made.comm = setup.team->comm();
  made.schedule = make_schedule(setup.from, setup.to, rank_of(setup, member));
  made.element_bytes = setup.element_bytes;
  made.watch = setup.team->watch();
  return made;
}

}  // namespace

MessageExchange::MessageExchange(const DeviceReshapeSetup& setup, int member)
    : setup_(exchange_setup(setup, member)),
      send_(setup_.schedule.send, setup_),
      recv_(setup_.schedule.recv, setup_),
      send_order_(send_.from_neighbour(rank_of(setup, member))),
      recv_order_(recv_.from_neighbour(rank_of(setup, member))) {}

void MessageExchange::pack(int i, const DeviceBuffers& b, device::StreamHandle stream) const {
  if (send_.direct(i)) return;
  std::int64_t offset = send_.offset(i);
  for (const Box& box : send_[i].boxes) {
    const std::int64_t count = box.elements();
    device::copy_box(b.in, box, b.scratch, Box::run(offset, count), setup_.element_bytes, stream);
    offset += count;
  }
}

void MessageExchange::unpack(int i, const DeviceBuffers& b, device::StreamHandle stream) const {
  if (recv_.direct(i)) return;
  std::int64_t offset = recv_.offset(i);
  for (const Box& box : recv_[i].boxes) {
    const std::int64_t count = box.elements();
    device::copy_box(incoming_work(b), Box::run(offset, count), b.out, box, setup_.element_bytes, stream);
    offset += count;
  }
}

void MessageExchange::copy_stays(const DeviceBuffers& buffers, device::StreamHandle stream) const {
  copy_self(setup_.schedule.self, buffers, setup_.element_bytes, stream);
}

std::int64_t MessageExchange::bytes_sent() const {
  return setup_.schedule.send_count * static_cast<std::int64_t>(setup_.element_bytes);
}

void copy_self(const std::vector<LocalCopy>& copies, const DeviceBuffers& buffers, std::size_t element_bytes,
               device::StreamHandle stream) {
  for (const LocalCopy& copy : copies)
    device::copy_box(buffers.in, copy.from, buffers.out, copy.to, element_bytes, stream);
}

}  // namespace shardfft::gpu
