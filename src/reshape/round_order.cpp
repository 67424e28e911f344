#include "reshape/round_order.hpp"

#include <algorithm>
#include <numeric>

#include "reshape/box_order.hpp"

namespace shardfft {

namespace {

/// The box, counted in runs of `unit` elements.
Box in_units(Box box, std::int64_t unit) {
  box.offset /= unit;
  for (std::size_t a = 0; a < static_cast<std::size_t>(box.axes); ++a) {
    if (box.stride[a] == 1)
      box.count[a] /= unit;
    else
      box.stride[a] /= unit;
  }
  return box;
}

}  // namespace

std::int64_t common_run(const std::vector<Message>& messages) {
  std::int64_t run = 0;
  for (const Message& m : messages)
    for (const Box& box : m.boxes) {
      const auto axes = static_cast<std::size_t>(box.axes);
      const bool contiguous = axes > 0 && box.stride[axes - 1] == 1;
      run = std::gcd(run, contiguous ? box.count[axes - 1] : 1);
      run = std::gcd(run, box.offset);
      for (std::size_t a = 0; a + 1 < axes; ++a) run = std::gcd(run, box.stride[a]);
    }
  return run;
}

RoundOrder::RoundOrder(std::vector<Message> messages, std::int64_t unit, int rounds) : messages_(std::move(messages)) {
  for (Message& m : messages_) {
    m.count /= unit;
    if (unit > 1)
      for (Box& box : m.boxes) box = in_units(box, unit);
  }
  for (std::int64_t k = 0; k < rounds; ++k)
    for (const Message& m : messages_)
      begin_.push_back(begin_.back() + m.count * (k + 1) / rounds - m.count * k / rounds);
}

std::int64_t RoundOrder::rounds() const {
  return messages_.empty() ? 0 : static_cast<std::int64_t>((begin_.size() - 1) / messages_.size());
}

std::int64_t RoundOrder::place(std::int64_t i) const {
  const auto share = static_cast<std::size_t>(std::upper_bound(begin_.begin(), begin_.end(), i) - begin_.begin() - 1);
  const Message& m = messages_[share % messages_.size()];
  const auto round = static_cast<std::int64_t>(share / messages_.size());
  std::int64_t at = m.count * round / rounds() + i - begin_[share];
  for (const Box& box : m.boxes) {
    const std::int64_t elements = box.elements();
    if (at < elements) return place_in(box, at);
    at -= elements;
  }
  return i;  // unreachable: the boxes of a message have its count
}

std::int64_t RoundOrder::most_in_a_round() const {
  std::int64_t most = 0;
  for (int k = 0; k < static_cast<int>(rounds()); ++k) most = std::max(most, round_begin(k + 1) - round_begin(k));
  return most;
}

std::size_t RoundOrder::table_bytes() const {
  return shardfft::table_bytes(messages_) + begin_.size() * sizeof(std::int64_t);
}

}  // namespace shardfft
