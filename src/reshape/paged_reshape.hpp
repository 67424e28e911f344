#pragma once
// A change of layout inside one array, for machines that move large runs. Every rank takes its array apart into pages,
// one stream for each rank that it sends to. In each round, every two ranks of a group send each other a page. Then the
// array is put together from the received pages. Pure geometry: all ranks plan alike, without communication.
#include <cstdint>
#include <vector>

#include "geometry/schedule.hpp"
#include "reshape/page_walk.hpp"

namespace shardfft {

/// The cut of an array for its way from one layout to another: the same on all ranks.
struct PageCut {
  std::int64_t page = 1;  ///< elements of a page
  int rounds = 0;         ///< 0 if no element leaves its rank
  /// Ranks that exchange data, ascending; all groups have equally many.
  std::vector<std::vector<int>> groups;

  std::int64_t group_size() const { return static_cast<std::int64_t>(groups.front().size()); }
  const std::vector<int>& group_of(int rank) const;
  /// The exchange of a round: from and to an array of group_size() pages a rank, one for each member of its group.
  Layout leaving() const { return pages_of(1); }
  Layout coming() const { return pages_of(2); }

 private:
  Layout pages_of(std::size_t axis) const;
};

/// Chooses pages so small that all memory beside the array has about `bytes` bytes. Throws Error(unsupported) if
/// elements change their order in memory.
PageCut cut_in_pages(const Layout& from, const Layout& to, std::size_t element_bytes, std::size_t bytes);

/// Elements of a page that are copied between a slot and the page of member `member` of the group.
struct PageSent {
  std::int64_t slot = 0;
  std::size_t member = 0;
  std::int64_t elements = 0;
};
struct PageShift {
  std::int64_t from = 0, to = 0;  ///< slots
  std::int64_t elements = 0;
};

/// The steps of one rank, in this order.
class PagedReshape {
 public:
  PagedReshape(const Layout& from, const Layout& to, int rank, const PageCut& cut);

  struct Round {
    std::vector<PageSent> leave, come;
  };
  /// Copies from the array to pages.
  const std::vector<PageMove>& apart() const { return apart_; }
  const std::vector<Round>& rounds() const { return rounds_; }
  /// Copies of pages to the slots from which the array is put together.
  const std::vector<PageShift>& shifts() const { return shifts_; }
  /// Copies from pages to the array: to be run from the last to the first.
  const std::vector<PageMove>& together() const { return together_; }
  /// Slots in the array; those beside it have the next numbers.
  std::int64_t slots_in_array() const { return in_array_; }
  std::int64_t slots_beside() const { return beside_; }
  std::size_t table_bytes() const;

 private:
  std::vector<PageMove> apart_, together_;
  std::vector<Round> rounds_;
  std::vector<PageShift> shifts_;
  std::int64_t in_array_ = 0, beside_ = 0;
};

}  // namespace shardfft
