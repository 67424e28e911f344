#include "exec/move_check.hpp"

#include <algorithm>
#include <cstring>

#include "base/aligned.hpp"

namespace shardfft {

std::uint64_t bit_sum(const std::byte* data, std::size_t bytes) {
  // Two numbers at once: adding words of 64 bits needs no wider ones, so that it is done in vectors.
  std::uint64_t sum = 0;
  const std::size_t pairs = bytes / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < pairs; ++i) {
    std::uint64_t pair = 0;
    std::memcpy(&pair, data + i * sizeof pair, sizeof pair);
    sum += (pair & 0xffffffffU) + (pair >> 32U);
  }
  if (bytes % sizeof(std::uint64_t) != 0) {
    std::uint32_t word = 0;
    std::memcpy(&word, data + pairs * sizeof(std::uint64_t), sizeof word);
    sum += word;
  }
  return sum;
}

namespace {

std::uint64_t box_sum(const std::byte* array, const Box& box, std::size_t element_bytes, int axis = 0,
                      std::int64_t offset = 0) {
  const auto at = [&](std::int64_t element) { return array + static_cast<std::size_t>(element) * element_bytes; };
  if (axis == box.axes) return bit_sum(at(box.offset + offset), element_bytes);
  const auto a = static_cast<std::size_t>(axis);
  if (axis + 1 == box.axes && box.stride[a] == 1)
    return bit_sum(at(box.offset + offset), static_cast<std::size_t>(box.count[a]) * element_bytes);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < box.count[a]; ++i)
    sum += box_sum(array, box, element_bytes, axis + 1, offset + i * box.stride[a]);
  return sum;
}

std::uint64_t total(const std::vector<std::uint64_t>& sums) {
  std::uint64_t sum = 0;
  for (const std::uint64_t s : sums) sum += s;
  return sum;
}

class RepeatCheck : public StepCheck {
 public:
  RepeatCheck(Operation& operation, std::size_t in_bytes, std::size_t out_bytes)
      : operation_(operation), in_bytes_(in_bytes), out_bytes_(out_bytes), copy_(allocate_aligned(out_bytes)) {}
  std::uint64_t before(const std::byte* in) override {
    operation_.run(in, copy_.get(), nullptr);
    return bit_sum(in, in_bytes_);
  }
  std::uint64_t after(const std::byte* out) override {
    same_ = out_bytes_ == 0 || std::memcmp(copy_.get(), out, out_bytes_) == 0;
    return bit_sum(out, out_bytes_);
  }
  Finding finding() const override { return repeat_finding(same_); }
  std::size_t table_bytes() const override { return out_bytes_; }

 private:
  Operation& operation_;
  std::size_t in_bytes_;
  std::size_t out_bytes_;
  AlignedMemory copy_;
  bool same_ = true;
};

}  // namespace

MoveCheck::MoveCheck(const Layout& from, const Layout& to, int rank, std::size_t element_bytes)
    : schedule_(make_schedule(from, to, rank)),
      rank_(static_cast<std::size_t>(rank)),
      element_bytes_(element_bytes),
      in_bytes_(static_cast<std::size_t>(from.count(rank)) * element_bytes),
      out_bytes_(static_cast<std::size_t>(to.count(rank)) * element_bytes),
      sent_(static_cast<std::size_t>(from.ranks())),
      received_(sent_.size()) {
  std::int64_t stays = 0;
  for (const LocalCopy& copy : schedule_.self) stays += copy.from.elements();
  sends_all_ = schedule_.send_count + stays == from.count(rank);
  receives_all_ = schedule_.recv_count + stays == to.count(rank);
}

std::uint64_t MoveCheck::before(const std::byte* in) {
  sum_up(schedule_.send, in, sent_);
  for (const LocalCopy& copy : schedule_.self) sent_[rank_] += box_sum(in, copy.from, element_bytes_);
  return sends_all_ ? total(sent_) : bit_sum(in, in_bytes_);
}

std::uint64_t MoveCheck::after(const std::byte* out) {
  sum_up(schedule_.recv, out, received_);
  for (const LocalCopy& copy : schedule_.self) received_[rank_] += box_sum(out, copy.to, element_bytes_);
  return receives_all_ ? total(received_) : bit_sum(out, out_bytes_);
}

void MoveCheck::sum_up(const std::vector<Message>& messages, const std::byte* array,
                       std::vector<std::uint64_t>& sums) const {
  std::fill(sums.begin(), sums.end(), 0);
  for (const Message& message : messages)
    for (const Box& box : message.boxes)
      sums[static_cast<std::size_t>(message.peer)] += box_sum(array, box, element_bytes_);
}

std::unique_ptr<StepCheck> make_move_check(const Layout& from, const Layout& to, int rank, std::size_t element_bytes) {
  return std::make_unique<MoveCheck>(from, to, rank, element_bytes);
}

std::unique_ptr<StepCheck> make_repeat_check(Operation& operation, std::size_t in_bytes, std::size_t out_bytes) {
  return std::make_unique<RepeatCheck>(operation, in_bytes, out_bytes);
}

}  // namespace shardfft
