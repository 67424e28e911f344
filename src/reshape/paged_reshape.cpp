#include "reshape/paged_reshape.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "pack/loop_nest.hpp"
#include "reshape/box_order.hpp"

namespace shardfft {

namespace {

/// The same copy, with boxes that have the same axes on both sides and are in memory order on both.
LocalCopy in_order(const LocalCopy& copy) {
  const LoopNest nest = common_refinement(copy.from, copy.to);
  LocalCopy ordered;
  ordered.from.offset = nest.from_offset;
  ordered.to.offset = nest.to_offset;
  if (nest.depth > max_axes) fail(Status::internal, "a box of ", nest.depth, " axes");
  ordered.from.axes = ordered.to.axes = nest.depth;
  for (std::size_t a = 0; a < static_cast<std::size_t>(nest.depth); ++a) {
    ordered.from.count[a] = ordered.to.count[a] = nest.loop[a].count;
    ordered.from.stride[a] = nest.loop[a].from;
    ordered.to.stride[a] = nest.loop[a].to;
  }
  if (!in_memory_order(ordered.from) || !in_memory_order(ordered.to))
    fail(Status::unsupported,
         "workspace = least cannot change the order of axes in memory on GPUs: give input and output the same order, ",
         "leave the output to the plan, or plan with workspace = fast");
  return ordered;
}

/// The boxes to each rank, or from each rank, on one side of the messages.
using Streams = std::map<int, std::vector<Box>>;

struct Ends {
  Streams out, in;
};

Streams streams_of(const std::vector<Message>& messages, const std::vector<LocalCopy>& self, Box LocalCopy::*side,
                   int rank) {
  Streams streams;
  for (const Message& m : messages) streams[m.peer] = m.boxes;
  for (const LocalCopy& copy : self) streams[rank].push_back(copy.*side);
  return streams;
}

/// The messages of all ranks. Both ends of a message are listed, each with its own boxes.
std::vector<Ends> all_ends(const Layout& from, const Layout& to) {
  std::vector<Ends> ends;
  for (int r = 0; r < from.ranks(); ++r) {
    const Schedule schedule = make_schedule(from, to, r);
    ends.push_back({streams_of(schedule.send, schedule.self, &LocalCopy::from, r),
                    streams_of(schedule.recv, schedule.self, &LocalCopy::to, r)});
  }
  for (int r = 0; r < from.ranks(); ++r)
    for (auto& [peer, boxes] : ends[static_cast<std::size_t>(r)].out) {
      std::vector<Box>& others = ends[static_cast<std::size_t>(peer)].in.at(r);
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        const LocalCopy ordered = in_order({boxes[i], others.at(i)});
        boxes[i] = ordered.from;
        others[i] = ordered.to;
      }
    }
  return ends;
}

std::int64_t pages_of(const std::vector<Box>& boxes, std::int64_t page) {
  std::int64_t sum = 0;
  for (const Box& box : boxes) sum += (box.elements() + page - 1) / page;
  return sum;
}

/// A page of one stream between two ranks.
struct Page {
  std::int64_t slot = 0;
  std::int64_t elements = 0;
};
using PagesByRank = std::map<int, std::vector<Page>>;  ///< by the rank at the other end

std::vector<Box> joined(const Streams& streams) {
  std::vector<Box> all;
  for (const auto& [peer, boxes] : streams) all.insert(all.end(), boxes.begin(), boxes.end());
  return all;
}

PagesByRank pages_by_rank(const Streams& streams, const PageWalk& walk, std::int64_t page) {
  PagesByRank pages;
  std::size_t stream = 0;
  for (const auto& [peer, boxes] : streams)
    for (const Box& box : boxes) {
      std::int64_t left = box.elements();
      for (const std::int64_t slot : walk.pages(stream)) {
        pages[peer].push_back({slot, std::min(page, left)});
        left -= page;
      }
      ++stream;
    }
  return pages;
}

/// The first of `pages` in round `round`; each of the `rounds` rounds has an equal share.
std::size_t share_begin(std::size_t pages, int round, int rounds) {
  return pages * static_cast<std::size_t>(round) / static_cast<std::size_t>(rounds);
}

/// Moves every page to its wanted slot, one after the other; a free slot breaks cycles of waiting pages.
class Sorting {
 public:
  Sorting(Slots& slots, std::vector<PageShift>& shifts) : slots_(slots), shifts_(shifts) {}
  void add(std::int64_t now, const Page& wanted) {
    if (now != wanted.slot) waiting_[wanted.slot] = {now, wanted.slot, wanted.elements};
  }
  void run() {
    const std::set<std::int64_t> free = slots_.free();
    for (const std::int64_t slot : free)
      if (waiting_.contains(slot)) slots_.give(fill(slots_.take(slot)));
    if (waiting_.empty()) return;
    const std::int64_t spare = slots_.take();
    while (!waiting_.empty()) {
      PageShift& first = waiting_.begin()->second;
      const std::int64_t freed = first.from;
      shifts_.push_back({freed, spare, first.elements});
      first.from = spare;
      fill(freed);
    }
  }

 private:
  /// Fills the free slot with the page that wants it, then the slot that this frees, and so on. Returns the last slot
  /// that is free.
  std::int64_t fill(std::int64_t slot) {
    for (auto page = waiting_.find(slot); page != waiting_.end(); page = waiting_.find(slot)) {
      shifts_.push_back(page->second);
      slot = page->second.from;
      waiting_.erase(page);
    }
    return slot;
  }

  Slots& slots_;
  std::vector<PageShift>& shifts_;
  std::map<std::int64_t, PageShift> waiting_;  ///< by the wanted slot
};

}  // namespace

const std::vector<int>& PageCut::group_of(int rank) const {
  for (const std::vector<int>& group : groups)
    if (std::find(group.begin(), group.end(), rank) != group.end()) return group;
  fail(Status::internal, "rank ", rank, " is in no group");
}

/// Axes: groups, senders, receivers, elements.
Layout PageCut::pages_of(std::size_t axis) const {
  const Shape shape{static_cast<std::int64_t>(groups.size()), group_size(), group_size(), page};
  std::vector<IndexSet> sets(groups.size() * groups.front().size(), box({0, 0, 0, 0}, shape));
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      IndexSet& mine = sets[static_cast<std::size_t>(groups[g][i])];
      mine.axis[0] = {static_cast<std::int64_t>(g), 1, 1};
      mine.axis[axis] = {static_cast<std::int64_t>(i), 1, 1};
    }
  return Layout::boxes(shape, sets);
}

PageCut cut_in_pages(const Layout& from, const Layout& to, std::size_t element_bytes, std::size_t bytes) {
  PageCut cut;
  std::vector<int> all;
  for (int r = 0; r < from.ranks(); ++r) {
    all.push_back(r);
    std::vector<int> group = exchange_group(from, to, r);
    if (group.front() == r) cut.groups.push_back(std::move(group));
  }
  const auto as_many = [&cut](const std::vector<int>& group) { return group.size() == cut.groups.front().size(); };
  if (!std::all_of(cut.groups.begin(), cut.groups.end(), as_many)) cut.groups = {all};
  const std::vector<Ends> ends = all_ends(from, to);
  std::size_t streams = cut.groups.front().size();
  for (const Ends& rank : ends) streams = std::max({streams, joined(rank.out).size(), joined(rank.in).size()});
  // At most two pages a stream and two more are beside the array, and two pages for each member are on their way.
  const std::size_t page_bytes = bytes / (4 * streams + 2);
  constexpr std::int64_t grain = 256;
  cut.page = std::max<std::int64_t>(1, static_cast<std::int64_t>(page_bytes / element_bytes));
  if (cut.page > grain) cut.page -= cut.page % grain;
  std::int64_t rounds = 0;
  for (int r = 0; r < from.ranks(); ++r)
    for (const auto& [peer, boxes] : ends[static_cast<std::size_t>(r)].out)
      if (peer != r) rounds = std::max(rounds, pages_of(boxes, cut.page));
  cut.rounds = narrow(rounds, "rounds of a reshape");
  return cut;
}

PagedReshape::PagedReshape(const Layout& from, const Layout& to, int rank, const PageCut& cut)
    : in_array_(std::max(from.count(rank), to.count(rank)) / cut.page) {
  const Ends ends = all_ends(from, to)[static_cast<std::size_t>(rank)];
  const std::vector<int>& group = cut.group_of(rank);
  const PageWalk out(joined(ends.out), cut.page, in_array_), in(joined(ends.in), cut.page, in_array_);
  apart_ = out.moves();
  together_ = in.moves();
  PagesByRank leaving = pages_by_rank(ends.out, out, cut.page), coming = pages_by_rank(ends.in, in, cut.page);
  Slots slots = out.slots();
  slots.reach(in.slots().count());
  Sorting sorting(slots, shifts_);
  for (std::size_t i = 0; i < coming[rank].size(); ++i) sorting.add(leaving[rank][i].slot, coming[rank][i]);
  for (int k = 0; k < cut.rounds; ++k) {
    Round& round = rounds_.emplace_back();
    const auto for_share = [&](const PagesByRank& pages, const auto& visit) {
      for (std::size_t member = 0; member < group.size(); ++member) {
        const auto found = pages.find(group[member]);
        if (found == pages.end() || group[member] == rank) continue;
        const std::size_t end = share_begin(found->second.size(), k + 1, cut.rounds);
        for (std::size_t i = share_begin(found->second.size(), k, cut.rounds); i < end; ++i)
          visit(member, found->second[i]);
      }
    };
    for_share(leaving, [&](std::size_t member, const Page& page) {
      round.leave.push_back({page.slot, member, page.elements});
      slots.give(page.slot);
    });
    for_share(coming, [&](std::size_t member, const Page& page) {
      const std::int64_t slot = slots.take(page.slot);
      round.come.push_back({slot, member, page.elements});
      sorting.add(slot, page);
    });
  }
  sorting.run();
  beside_ = slots.count() - in_array_;
}

std::size_t PagedReshape::table_bytes() const {
  std::size_t bytes = (apart_.size() + together_.size()) * sizeof(PageMove) + shifts_.size() * sizeof(PageShift);
  for (const Round& round : rounds_) bytes += (round.leave.size() + round.come.size()) * sizeof(PageSent);
  return bytes;
}

}  // namespace shardfft
