#pragma once
// Exact sums of what moves between ranks, by loops here or by a GPU.
#include <vector>

#include "exec/step_check.hpp"
#include "geometry/schedule.hpp"

namespace shardfft {

class MoveCheck : public StepCheck {
 public:
  MoveCheck(const Layout& from, const Layout& to, int rank, std::size_t element_bytes);
  std::uint64_t before(const std::byte* in) override;
  std::uint64_t after(const std::byte* out) override;
  /// The ranks compare their sums themselves.
  Finding finding() const override {
    return {static_cast<std::int64_t>(schedule_.recv.size() + (schedule_.self.empty() ? 0 : 1)), 0, {}};
  }
  std::span<const std::uint64_t> sent() const override { return sent_; }
  std::span<const std::uint64_t> received() const override { return received_; }
  std::size_t table_bytes() const override {
    return shardfft::table_bytes(schedule_) + 2 * sent_.size() * sizeof(std::uint64_t);
  }

  /// For who sums elsewhere.
  const Schedule& schedule() const { return schedule_; }
  std::vector<std::uint64_t>& sent_sums() { return sent_; }
  std::vector<std::uint64_t>& received_sums() { return received_; }

 private:
  void sum_up(const std::vector<Message>& messages, const std::byte* array, std::vector<std::uint64_t>& sums) const;

  Schedule schedule_;
  std::size_t rank_;
  std::size_t element_bytes_;
  std::size_t in_bytes_, out_bytes_;
  bool sends_all_ = true;  ///< no element of the source is left where it is
  bool receives_all_ = true;
  std::vector<std::uint64_t> sent_, received_;  ///< by rank
};

}  // namespace shardfft
