#pragma once
// Exact sums of the data that moves between ranks: by loops here, by the steps around a move, or by a GPU.
#include <memory>
#include <vector>

#include "geometry/schedule.hpp"
#include "verify/step_check.hpp"

namespace shardfft {

/// The sums of one change of layout on one rank: of the words sent to, and received from, each rank. The operation that
/// writes the source sums the sent words, and the one that reads the result the received ones; if they cannot, walks
/// over both arrays do.
class MoveSums {
 public:
  MoveSums(const Layout& from, const Layout& to, int rank, std::size_t element_bytes);
  const Layout& from() const { return from_; }
  const Layout& to() const { return to_; }
  const Schedule& schedule() const { return schedule_; }
  /// Every element of the source goes to one rank, every one of the result came from one.
  bool sends_all() const { return sends_all_; }
  bool receives_all() const { return receives_all_; }
  std::int64_t pairs() const {
    return static_cast<std::int64_t>(schedule_.recv.size() + (schedule_.self.empty() ? 0 : 1));
  }
  std::vector<std::uint64_t>& sent() { return sent_; }
  std::vector<std::uint64_t>& received() { return received_; }
  const std::vector<std::uint64_t>& sent() const { return sent_; }
  const std::vector<std::uint64_t>& received() const { return received_; }
  /// Walks over the whole array, and returns the sum of all its words.
  std::uint32_t add_sent(const std::byte* source);
  std::uint32_t add_received(const std::byte* result);
  std::size_t table_bytes() const {
    return shardfft::table_bytes(schedule_) + 2 * sent_.size() * sizeof(std::uint64_t);
  }

 private:
  void add(const std::vector<Message>& messages, Box LocalCopy::*own, const std::byte* array,
           std::vector<std::uint64_t>& sums) const;

  Layout from_, to_;
  Schedule schedule_;
  std::size_t rank_;
  std::size_t element_bytes_;
  std::size_t source_bytes_, result_bytes_;
  bool sends_all_ = true, receives_all_ = true;
  std::vector<std::uint64_t> sent_, received_;  ///< by rank
};

/// A step that only moves. `walks_before`, `walks_after`: no other step sums its input or its output.
std::unique_ptr<HostCheck> make_move_check(std::shared_ptr<MoveSums> sums, bool walks_before, bool walks_after);

}  // namespace shardfft
