// Shared by all exchanges that send messages: packing and unpacking on the device.
#include <algorithm>

#include "base/aligned.hpp"
#include "device/copy_box.hpp"
#include "device/short_numbers.hpp"
#include "exchange/shortened.hpp"
#include "gpu/move/strategies.hpp"

namespace shardfft::gpu {

namespace {

int rank_of(const DeviceReshapeSetup& setup, int member) {
  return setup.team->here()[static_cast<std::size_t>(member)].rank;
}

ExchangeSetup exchange_setup(const DeviceReshapeSetup& setup, int member) {
  ExchangeSetup made{setup.team->context()};
  made.schedule = schedule_of(setup, member);
  made.element_bytes = setup.element_bytes;
  return made;
}

std::int64_t numbers_of(const ExchangeSetup& setup, const Message& message) {
  return message.count * static_cast<std::int64_t>(setup.element_bytes / setup.numbers.number_bytes());
}

}  // namespace

Schedule schedule_of(const DeviceReshapeSetup& setup, int member, const Pieces::Message& message) {
  Schedule all = make_schedule(setup.from, setup.to, rank_of(setup, member), message.from, message.to);
  if (setup.peers == Peers::all) return all;
  const bool near = setup.peers == Peers::near;
  Schedule part = only_peers(all, [&](int peer) { return setup.team->reaches(member, peer) == near; });
  if (!near) part.self = std::move(all.self);
  return part;
}

MessageExchange::MessageExchange(const DeviceReshapeSetup& setup, int member, Staging staging)
    : elements_(exchange_setup(setup, member)),
      setup_(elements_.numbers.active() ? setup_of_runs(elements_) : elements_),
      send_(setup_.schedule.send, setup_, elements_.numbers.active() ? Staging::always : staging),
      recv_(setup_.schedule.recv, setup_, elements_.numbers.active() ? Staging::always : staging),
      send_order_(send_.from_neighbour(rank_of(setup, member))),
      recv_order_(recv_.from_neighbour(rank_of(setup, member))) {
  if (!elements_.numbers.active()) return;
  for (const auto* messages : {&elements_.schedule.send, &elements_.schedule.recv})
    for (const Message& message : *messages)
      if (!is_run(message))
        whole_bytes_ =
            std::max(whole_bytes_, round_up(static_cast<std::size_t>(message.count) * setup.element_bytes, cache_line));
  loss_ = device::Owned<device::release_managed>(device::allocate_managed(sizeof(Loss)));
  *static_cast<Loss*>(loss_.get()) = {};
}

void MessageExchange::pack_into(int i, const DeviceBuffers& b, std::byte* block, device::StreamHandle stream) const {
  const Message& message = elements_.schedule.send[static_cast<std::size_t>(i)];
  const std::size_t element = elements_.element_bytes;
  const bool is_short = elements_.numbers.active(), gathers = !is_short || !is_run(message);
  std::byte* const run = is_short ? whole(b) : block;
  std::int64_t offset = 0;
  for (const Box& box : message.boxes) {
    if (!gathers) break;
    const std::int64_t count = box.elements();
    device::copy_box(b.in, box, run, Box::run(offset, count), element, stream);
    offset += count;
  }
  if (!is_short) return;
  const std::byte* const numbers = gathers ? run : b.in + static_cast<std::size_t>(message.boxes[0].offset) * element;
  device::shorten(numbers, numbers_of(elements_, message), elements_.numbers, block, static_cast<Loss*>(loss_.get()),
                  stream);
}

void MessageExchange::unpack_from(int i, const DeviceBuffers& b, const std::byte* block,
                                  device::StreamHandle stream) const {
  const Message& message = elements_.schedule.recv[static_cast<std::size_t>(i)];
  const std::size_t element = elements_.element_bytes;
  const std::byte* run = block;
  if (elements_.numbers.active()) {
    const bool direct = is_run(message);
    std::byte* const to = direct ? b.out + static_cast<std::size_t>(message.boxes[0].offset) * element : whole(b);
    device::restore(block, numbers_of(elements_, message), elements_.numbers, to, stream);
    if (direct) return;
    run = to;
  }
  std::int64_t offset = 0;
  for (const Box& box : message.boxes) {
    const std::int64_t count = box.elements();
    device::copy_box(run, Box::run(offset, count), b.out, box, element, stream);
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
  copy_self(elements_.schedule.self, buffers, elements_.element_bytes, stream);
}

std::int64_t MessageExchange::bytes_sent() const {
  std::int64_t bytes = 0;
  for (const Message& message : elements_.schedule.send) bytes += message_bytes(elements_, message.count);
  return bytes;
}

void copy_self(const std::vector<LocalCopy>& copies, const DeviceBuffers& buffers, std::size_t element_bytes,
               device::StreamHandle stream) {
  for (const LocalCopy& copy : copies)
    device::copy_box(buffers.in, copy.from, buffers.out, copy.to, element_bytes, stream);
}

}  // namespace shardfft::gpu
