#include "exchange/blocks.hpp"

#include <algorithm>

#include "base/aligned.hpp"
#include "pack/pack.hpp"

namespace shardfft {

bool is_run(const Message& m) { return m.count == 0 || (m.boxes.size() == 1 && m.boxes.front().contiguous()); }

Blocks::Blocks(const std::vector<Message>& messages, const ExchangeSetup& setup, Staging staging)
    : element_bytes_(setup.element_bytes), threads_(setup.threads), trace_(setup.trace) {
  const bool may = staging == Staging::only_strided ||
                   (staging == Staging::all_or_none && std::all_of(messages.begin(), messages.end(), is_run));
  for (const Message& m : messages) {
    if (m.count == 0) continue;
    const bool direct = may && is_run(m);
    messages_.push_back(m);
    direct_.push_back(direct ? 1 : 0);
    messages_.back().offset = static_cast<std::int64_t>(bytes_ / element_bytes_);
    if (direct) continue;
    const std::size_t bytes = round_up(static_cast<std::size_t>(m.count) * element_bytes_, cache_line);
    bytes_ += bytes;
    largest_bytes_ = std::max(largest_bytes_, bytes);
  }
}

bool Blocks::all_direct() const {
  return std::all_of(direct_.begin(), direct_.end(), [](char d) { return d != 0; });
}

std::int64_t Blocks::offset(int i) const {
  const Message& m = (*this)[i];
  return direct(i) ? m.boxes.front().offset : m.offset;
}

std::int64_t Blocks::offset_bytes(int i) const { return offset(i) * static_cast<std::int64_t>(element_bytes_); }

const std::byte* Blocks::outgoing(int i, const std::byte* array, const std::byte* work) const {
  return (direct(i) ? array : work) + offset_bytes(i);
}

std::byte* Blocks::incoming(int i, std::byte* array, std::byte* work) const {
  return (direct(i) ? array : work) + offset_bytes(i);
}

void Blocks::pack(int i, const std::byte* array, std::byte* work) const {
  if (!direct(i)) pack_into(i, array, work + offset_bytes(i));
}

void Blocks::pack_all(const std::byte* array, std::byte* work) const {
  for (int i = 0; i < size(); ++i) pack(i, array, work);
}

void Blocks::unpack(int i, const std::byte* work, std::byte* array) const {
  if (!direct(i)) unpack_from(i, work + offset_bytes(i), array);
}

void Blocks::unpack_all(const std::byte* work, std::byte* array) const {
  for (int i = 0; i < size(); ++i) unpack(i, work, array);
}

void Blocks::pack_into(int i, const std::byte* array, std::byte* block) const {
  const Scope scope(trace_, Activity::pack);
  pack_boxes(array, (*this)[i].boxes, block, element_bytes_, threads_);
}

void Blocks::unpack_from(int i, const std::byte* block, std::byte* array) const {
  const Scope scope(trace_, Activity::unpack);
  unpack_boxes(block, (*this)[i].boxes, array, element_bytes_, threads_);
}

int Blocks::find(int peer) const {
  const auto found =
      std::lower_bound(messages_.begin(), messages_.end(), peer, [](const Message& m, int p) { return m.peer < p; });
  return found == messages_.end() || found->peer != peer ? -1 : static_cast<int>(found - messages_.begin());
}

std::vector<int> Blocks::from_neighbour(int rank) const {
  std::vector<int> order;
  for (int i = 0; i < size(); ++i) order.push_back(i);
  std::stable_partition(order.begin(), order.end(), [&](int i) { return (*this)[i].peer > rank; });
  return order;
}

Schedule only_peers(const Schedule& schedule, const std::function<bool(int)>& keep) {
  Schedule part;
  for (const Message& m : schedule.send)
    if (keep(m.peer)) part.send.push_back(m);
  for (const Message& m : schedule.recv)
    if (keep(m.peer)) part.recv.push_back(m);
  for (const Message& m : part.send) part.send_count += m.count;
  for (const Message& m : part.recv) part.recv_count += m.count;
  return part;
}

void renumber(std::vector<Message>& messages, const std::vector<int>& group) {
  for (Message& m : messages)
    m.peer = static_cast<int>(std::lower_bound(group.begin(), group.end(), m.peer) - group.begin());
}

}  // namespace shardfft
