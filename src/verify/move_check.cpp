#include "verify/move_check.hpp"

#include <algorithm>
#include <numeric>

#include "geometry/gaps.hpp"
#include "pack/block_sums.hpp"

namespace shardfft {

namespace {

std::uint32_t box_sum(const std::byte* array, const Box& box, std::size_t element_bytes, int axis = 0,
                      std::int64_t offset = 0) {
  const auto sum_of = [&](std::int64_t elements) {
    return word_sum(array + static_cast<std::size_t>(box.offset + offset) * element_bytes,
                    static_cast<std::size_t>(elements) * element_bytes);
  };
  if (axis == box.axes) return sum_of(1);
  const auto a = static_cast<std::size_t>(axis);
  if (axis + 1 == box.axes && box.stride[a] == 1) return sum_of(box.count[a]);
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < box.count[a]; ++i)
    sum += box_sum(array, box, element_bytes, axis + 1, offset + i * box.stride[a]);
  return sum;
}

class MoveCheck : public HostCheck {
 public:
  MoveCheck(std::shared_ptr<MoveSums> sums, bool walks_before, bool walks_after)
      : sums_(std::move(sums)), walks_before_(walks_before), walks_after_(walks_after) {}
  void before(const std::byte* in, bool /*compares_bits*/) override {
    if (walks_before_) bits_.read = sums_->add_sent(in);
  }
  void after(const std::byte* out) override {
    if (walks_after_) bits_.written = sums_->add_received(out);
  }
  /// The ranks compare their sums themselves.
  Finding finding() const override { return {sums_->pairs(), 0, {}}; }
  std::span<const std::uint64_t> sent() const override { return sums_->sent(); }
  std::span<const std::uint64_t> received() const override { return sums_->received(); }
  std::size_t table_bytes() const override { return sums_->table_bytes(); }

 private:
  std::shared_ptr<MoveSums> sums_;
  bool walks_before_, walks_after_;
};

std::uint32_t total(const std::vector<std::uint64_t>& sums) {
  return static_cast<std::uint32_t>(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}));
}

}  // namespace

MoveSums::MoveSums(const Layout& from, const Layout& to, int rank, std::size_t element_bytes)
    : from_(from),
      to_(to),
      schedule_(make_schedule(from, to, rank)),
      rank_(static_cast<std::size_t>(rank)),
      element_bytes_(element_bytes),
      source_bytes_(static_cast<std::size_t>(from.count(rank)) * element_bytes),
      result_bytes_(static_cast<std::size_t>(to.count(rank)) * element_bytes),
      sent_(static_cast<std::size_t>(from.ranks())),
      received_(sent_.size()) {
  std::int64_t stays = 0;
  for (const LocalCopy& copy : schedule_.self) stays += copy.from.elements();
  sends_all_ = schedule_.send_count + stays == elements_of(from.pieces(rank));
  receives_all_ = schedule_.recv_count + stays == elements_of(to.pieces(rank));
}

std::uint32_t MoveSums::add_sent(const std::byte* source) {
  add(schedule_.send, &LocalCopy::from, source, sent_);
  return sends_all_ ? total(sent_) : word_sum(source, source_bytes_);
}

std::uint32_t MoveSums::add_received(const std::byte* result) {
  add(schedule_.recv, &LocalCopy::to, result, received_);
  return receives_all_ ? total(received_) : word_sum(result, result_bytes_);
}

void MoveSums::add(const std::vector<Message>& messages, Box LocalCopy::*own, const std::byte* array,
                   std::vector<std::uint64_t>& sums) const {
  std::fill(sums.begin(), sums.end(), 0);
  for (const Message& message : messages)
    for (const Box& box : message.boxes)
      sums[static_cast<std::size_t>(message.peer)] += box_sum(array, box, element_bytes_);
  for (const LocalCopy& copy : schedule_.self) sums[rank_] += box_sum(array, copy.*own, element_bytes_);
  for (std::uint64_t& sum : sums) sum = static_cast<std::uint32_t>(sum);
}

std::unique_ptr<HostCheck> make_move_check(std::shared_ptr<MoveSums> sums, bool walks_before, bool walks_after) {
  return std::make_unique<MoveCheck>(std::move(sums), walks_before, walks_after);
}

}  // namespace shardfft
