#pragma once
// One side of a reshape in rounds: a rank's array as a stream, round by round, and by peer within a round.
#include <vector>

#include "geometry/schedule.hpp"

namespace shardfft {

/// The longest run of elements that is contiguous in all boxes of the messages and can move as one; 0 without boxes.
std::int64_t common_run(const std::vector<Message>& messages);

/// Counts units: runs of `unit` elements, a divisor of common_run().
class RoundOrder {
 public:
  RoundOrder() = default;
  /// `messages` are by ascending peer and cover the array; round k has share k of `rounds` of each.
  RoundOrder(std::vector<Message> messages, std::int64_t unit, int rounds);

  std::int64_t units() const { return begin_.back(); }
  /// The place of unit `i` of the stream in the array.
  std::int64_t place(std::int64_t i) const;
  /// The round's first unit in the stream.
  std::int64_t round_begin(int round) const { return begin_[static_cast<std::size_t>(round) * messages_.size()]; }
  /// Units of the largest round.
  std::int64_t most_in_a_round() const;
  std::size_t peers() const { return messages_.size(); }
  int peer(std::size_t p) const { return messages_[p].peer; }
  /// The share of peer number `p` in a round: its place in the stream, and its length.
  std::int64_t share_begin(int round, std::size_t p) const {
    return begin_[static_cast<std::size_t>(round) * messages_.size() + p];
  }
  std::int64_t share_units(int round, std::size_t p) const {
    const std::size_t i = static_cast<std::size_t>(round) * messages_.size() + p;
    return begin_[i + 1] - begin_[i];
  }
  std::size_t table_bytes() const;

 private:
  std::int64_t rounds() const;

  std::vector<Message> messages_;  ///< counts, offsets and strides in units
  std::vector<std::int64_t> begin_{0};
};

}  // namespace shardfft
