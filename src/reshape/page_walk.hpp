#pragma once
// A local array taken apart into streams, page by page, inside itself. From the front on, elements go to open pages,
// one for each stream; pages lie where the array has been read already, a few of them beside it. Played backwards, the
// same steps put an array together. Pure geometry.
#include <cstdint>
#include <set>
#include <vector>

#include "geometry/schedule.hpp"

namespace shardfft {

/// Elements of the array, and where they lie in a page: in slot `slot`, from element `first` of it on.
struct PageMove {
  Box box;
  std::int64_t slot = 0;
  std::int64_t first = 0;
};

/// Places for pages of `page` elements: slot i < in_array begins at element i * page of the array, the others lie
/// beside it.
class Slots {
 public:
  explicit Slots(std::int64_t in_array) : next_(in_array) {}
  void give(std::int64_t slot) { free_.insert(slot); }
  /// So many at least, the further ones free.
  void reach(std::int64_t count) {
    while (next_ < count) give(next_++);
  }
  /// A free slot: `wanted` (-1: no wish) if it is free, else the first free one, else a further one beside the array.
  std::int64_t take(std::int64_t wanted = -1);
  const std::set<std::int64_t>& free() const { return free_; }
  /// All that there are by now.
  std::int64_t count() const { return next_; }

 private:
  std::set<std::int64_t> free_;
  std::int64_t next_;
};

class PageWalk {
 public:
  PageWalk() = default;
  /// `streams` are boxes in memory order, none empty, of an array that has room for `in_array` whole pages; what no box
  /// has counts for nothing.
  PageWalk(const std::vector<Box>& streams, std::int64_t page, std::int64_t in_array);

  /// In this order; backwards, page to array, when an array is put together.
  const std::vector<PageMove>& moves() const { return moves_; }
  /// Where the pages of stream `s` lie, one behind the other; all but the last are full.
  const std::vector<std::int64_t>& pages(std::size_t s) const { return pages_[s]; }
  /// Slots that are free at the end, and all that there are.
  const Slots& slots() const { return slots_; }

 private:
  std::vector<PageMove> moves_;
  std::vector<std::vector<std::int64_t>> pages_;
  Slots slots_{0};
};

}  // namespace shardfft
