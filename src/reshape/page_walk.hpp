#pragma once
// Takes a local array apart into streams, page by page, inside itself. From the front on, elements go to open pages,
// one for each stream. Pages are in the part of the array that has been read already, a few of them beside the array.
// The same steps backwards put an array together. Pure geometry.
#include <cstdint>
#include <set>
#include <vector>

#include "geometry/schedule.hpp"

namespace shardfft {

/// Elements of the array, and their place in a page: slot `slot`, from element `first` of it on.
struct PageMove {
  Box box;
  std::int64_t slot = 0;
  std::int64_t first = 0;
};

/// Places for pages of `page` elements: slot i < in_array begins at element i * page of the array, the others are
/// beside the array.
class Slots {
 public:
  explicit Slots(std::int64_t in_array) : next_(in_array) {}
  void give(std::int64_t slot) { free_.insert(slot); }
  /// Makes at least `count` slots; the new ones are free.
  void reach(std::int64_t count) {
    while (next_ < count) give(next_++);
  }
  /// A free slot: `wanted` (-1: any) if it is free, else the first free one, else a new one beside the array.
  std::int64_t take(std::int64_t wanted = -1);
  const std::set<std::int64_t>& free() const { return free_; }
  /// The number of all slots so far.
  std::int64_t count() const { return next_; }

 private:
  std::set<std::int64_t> free_;
  std::int64_t next_;
};

class PageWalk {
 public:
  PageWalk() = default;
  /// `streams` are boxes in memory order, none empty, of an array with room for `in_array` whole pages. Elements in no
  /// box are ignored.
  PageWalk(const std::vector<Box>& streams, std::int64_t page, std::int64_t in_array);

  /// In order of execution. To put an array together, run them backwards, from page to array.
  const std::vector<PageMove>& moves() const { return moves_; }
  /// The slots of the pages of stream `s`, in order; all but the last page are full.
  const std::vector<std::int64_t>& pages(std::size_t s) const { return pages_[s]; }
  /// All slots, and the free ones at the end.
  const Slots& slots() const { return slots_; }

 private:
  std::vector<PageMove> moves_;
  std::vector<std::vector<std::int64_t>> pages_;
  Slots slots_{0};
};

}  // namespace shardfft
