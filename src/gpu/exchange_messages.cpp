// What the exchanges that send messages share: packing and unpacking on the device.
#include "device/copy_box.hpp"
#include "gpu/strategies.hpp"

namespace shardfft::gpu {

namespace {

int rank_of(const DeviceReshapeSetup& setup, int member) {
  return setup.team->here()[static_cast<std::size_t>(member)].rank;
}

/// Communicators of hosts, shared by all exchanges of the team.
Groups* groups_of(const Team& team) {
  std::shared_ptr<void>& kept = team.resource("groups");
  if (!kept && team.comm().valid()) kept = std::make_shared<Groups>(team.comm());
  return static_cast<Groups*>(kept.get());
}

ExchangeSetup exchange_setup(const DeviceReshapeSetup& setup, int member) {
  ExchangeSetup made;
  made.comm = setup.team->comm();
  made.groups = groups_of(*setup.team);
  made.schedule = schedule_of(setup, member);
  made.element_bytes = setup.element_bytes;
  made.fake_ranks_per_host = setup.team->fake_ranks_per_host();
  made.watch = setup.team->watch();
  return made;
}

}  // namespace

Schedule schedule_of(const DeviceReshapeSetup& setup, int member) {
  Schedule all = make_schedule(setup.from, setup.to, rank_of(setup, member), setup.from_slice, setup.to_slice);
  if (setup.part == Part::all) return all;
  const bool near = setup.part == Part::near;
  Schedule part = only_peers(all, [&](int peer) { return setup.team->reaches(member, peer) == near; });
  if (!near) part.self = std::move(all.self);
  return part;
}

MessageExchange::MessageExchange(const DeviceReshapeSetup& setup, int member, Staging staging)
    : setup_(exchange_setup(setup, member)),
      send_(setup_.schedule.send, setup_, staging),
      recv_(setup_.schedule.recv, setup_, staging),
      send_order_(send_.from_neighbour(rank_of(setup, member))),
      recv_order_(recv_.from_neighbour(rank_of(setup, member))) {}

void MessageExchange::pack_into(int i, const DeviceBuffers& b, std::byte* block, device::StreamHandle stream) const {
  std::int64_t offset = 0;
  for (const Box& box : send_[i].boxes) {
    const std::int64_t count = box.elements();
    device::copy_box(b.in, box, block, Box::run(offset, count), setup_.element_bytes, stream);
    offset += count;
  }
}

void MessageExchange::unpack_from(int i, const DeviceBuffers& b, const std::byte* block,
                                  device::StreamHandle stream) const {
  std::int64_t offset = 0;
  for (const Box& box : recv_[i].boxes) {
    const std::int64_t count = box.elements();
    device::copy_box(block, Box::run(offset, count), b.out, box, setup_.element_bytes, stream);
    offset += count;
  }
}

void MessageExchange::pack(int i, const DeviceBuffers& b, device::StreamHandle stream) const {
  if (!send_.direct(i)) pack_into(i, b, b.scratch + send_.offset_bytes(i), stream);
}

void MessageExchange::unpack(int i, const DeviceBuffers& b, device::StreamHandle stream) const {
  if (!recv_.direct(i)) unpack_from(i, b, incoming_work(b) + recv_.offset_bytes(i), stream);
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
