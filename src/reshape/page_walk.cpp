#include "reshape/page_walk.hpp"

#include <algorithm>

#include "geometry/box_range.hpp"
#include "reshape/box_order.hpp"

namespace shardfft {

std::int64_t Slots::take(std::int64_t wanted) {
  const auto found = free_.contains(wanted) ? free_.find(wanted) : free_.begin();
  if (found == free_.end()) return next_++;
  const std::int64_t slot = *found;
  free_.erase(found);
  return slot;
}

/// Each step reads the array up to the element that fills some page: no step fills more than one page of a stream. Open
/// and full pages hold the elements read so far. There are at most as many of them as pages that were read whole, and
/// one more for each stream.
PageWalk::PageWalk(const std::vector<Box>& streams, std::int64_t page, std::int64_t in_array)
    : pages_(streams.size()), slots_(in_array) {
  std::vector<std::int64_t> count, done(streams.size(), 0);
  std::int64_t all = 0, read = 0;
  for (const Box& box : streams) all = std::max(all, place_in(box, count.emplace_back(box.elements()) - 1) + 1);
  const std::int64_t used = (all + page - 1) / page;
  for (std::int64_t slot = used; slot < in_array; ++slot) slots_.give(slot);
  while (read < all) {
    std::int64_t next = all;
    for (std::size_t s = 0; s < streams.size(); ++s) {
      const std::int64_t end = std::min((done[s] / page + 1) * page, count[s]);
      if (done[s] < count[s]) next = std::min(next, place_in(streams[s], end - 1) + 1);
    }
    for (std::size_t s = 0; s < streams.size(); ++s) {
      const std::int64_t end = elements_before(streams[s], next);
      if (end == done[s]) continue;
      if (done[s] % page == 0) pages_[s].push_back(slots_.take());
      for (const Box& box : box_range({streams[s]}, done[s], end)) {
        moves_.push_back({box, pages_[s].back(), done[s] % page});
        done[s] += box.elements();
      }
    }
    for (std::int64_t slot = read / page; slot < std::min(next / page, in_array); ++slot) slots_.give(slot);
    read = next;
  }
  if (used <= in_array && all % page != 0) slots_.give(used - 1);
}

}  // namespace shardfft
