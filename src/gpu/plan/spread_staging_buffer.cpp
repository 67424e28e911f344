// Planes that wait in the output between pieces of lines.
#include <algorithm>
#include <numeric>

#include "base/round_up.hpp"
#include "device/facts.hpp"
#include "geometry/schedule.hpp"
#include "gpu/plan/staging_bytes.hpp"

namespace shardfft::gpu {

namespace {

/// The period in bytes with which a piece behind the reshape writes; 0 if it writes one run.
std::int64_t period_of(const Piece& written, int cut, std::int64_t element) {
  std::int64_t least = 0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(written.set.axes); ++a) {
    const std::int64_t stride = written.stride[a];
    if (written.set.axis[a].count > 1 && stride > written.stride[static_cast<std::size_t>(cut)] &&
        (least == 0 || stride < least))
      least = stride;
  }
  return std::lcm(least * element, static_cast<std::int64_t>(device::run_bytes));
}

/// Whether these two axes are the slowest ones in memory of a rank's piece, `first` before `second`.
bool are_slowest(const Piece& piece, std::size_t first, std::size_t second) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(piece.set.axes); ++a)
    if (a != first && piece.set.axis[a].count > 1 &&
        (piece.stride[a] > piece.stride[first] || (a != second && piece.stride[a] > piece.stride[second])))
      return false;
  return true;
}

/// The layout of the last message's data: for each rank only the runs that it sends to others, plane behind plane for
/// each run. Within the planes that the message sends, the runs for two receivers do not overlap.
Layout last_message_layout(const Layout& from, const Layout& to, const Pieces& pieces) {
  const auto lie = [from, to, end = pieces.messages.back()](int r) {
    const Piece mine = only_piece(from, r), rest = sliced(mine, end.from);
    const auto cut = static_cast<std::size_t>(end.from.axis), line = static_cast<std::size_t>(end.to.axis);
    std::vector<Piece> all;
    if (mine.set.empty()) return all;
    std::int64_t plane = 0;
    for (int q = 0; q < to.ranks(); ++q) {
      const Piece theirs = sliced(only_piece(to, q), end.to);
      if (q == r || theirs.set.empty() || intersect(mine.set, theirs.set).empty()) continue;
      const Progression& points = theirs.set.axis[line];
      const auto has_them = [&](const Piece& other) { return other.set.axis[line] == points; };
      if (std::any_of(all.begin(), all.end(), has_them)) continue;  // several ranks get parts of it
      Piece& run = all.emplace_back(mine);
      run.set.axis[line] = points;
      plane = std::max(plane, run.set.axis[line].count * mine.stride[line]);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].stride[cut] = plane;
      all[i].offset = static_cast<std::int64_t>(i) * rest.set.axis[cut].count * plane;
    }
    return all;
  };
  return Layout::from_pieces(from.shape(), from.ranks(), lie);
}

/// The layout before the reshape; its cut axis has a stride of whole periods of a rank's data behind the reshape.
Layout spread_layout(const Joined& steps, const Pieces& pieces, Precision precision) {
  const Layout &from = steps.from.layout, &to = steps.after->after.layout;
  const auto lie = [from, to, cut = static_cast<std::size_t>(pieces.before.front().axis),
                    piece = pieces.after.front().axis,
                    element = static_cast<std::int64_t>(element_bytes(steps.from, precision)),
                    written = static_cast<std::int64_t>(element_bytes(steps.after->after, precision))](int r) {
    Piece mine = only_piece(from, r);
    if (mine.set.empty()) return std::vector<Piece>();
    const Piece there = only_piece(to, r);
    const std::int64_t period = there.set.empty() ? 0 : period_of(there, piece, written) / element;
    if (period > 0) mine.stride[cut] = round_up(mine.stride[cut], period);
    return std::vector<Piece>{mine};
  };
  return Layout::from_pieces(from.shape(), from.ranks(), lie);
}

/// Places the pieces of a spread staging buffer, and checks the places.
class Spread {
 public:
  Spread(const Joined& steps, const Pieces& cut, int rank, Precision precision)
      : steps_(steps),
        cut_(cut),
        rank_(rank),
        precision_(precision),
        from_(only_piece(steps.from.layout, rank)),
        to_(only_piece(steps.after->after.layout, rank)),
        element_(static_cast<std::int64_t>(element_bytes(steps.from, precision))),
        written_(static_cast<std::int64_t>(element_bytes(steps.after->after, precision))),
        room_(static_cast<std::int64_t>(state_bytes(steps.after->after, precision, rank))) {
    while (whole_ < cut.befores() &&
           cut.before[static_cast<std::size_t>(whole_)].index < cut.messages.back().from.index)
      ++whole_;
  }

  std::optional<StagingBuffer> make();

 private:
  void place_last_message(StagingBuffer& staging, const Layout& spread) const;
  bool place_divided(StagingBuffer& staging, const Layout& spread, std::int64_t period) const;
  bool place_whole(StagingBuffer& staging) const;
  bool find_waits(StagingBuffer& staging) const;
  Bytes bytes_of(const StagingBuffer& staging, int piece) const {
    const StagingBuffer::Place& place = staging.pieces[static_cast<std::size_t>(piece)];
    const Piece all = place.layout ? only_piece(*place.layout, rank_) : from_;
    return {box_of(sliced(all, cut_.before[static_cast<std::size_t>(piece)])), element_, place.begin};
  }

  const Joined& steps_;
  const Pieces& cut_;
  int rank_;
  Precision precision_;
  Piece from_, to_;
  std::int64_t element_, written_, room_;
  int whole_ = 0;  ///< number of pieces that are sent whole
};

/// Places the pieces that are sent in parts at the end of the output. In each period, the data for the second piece
/// behind the reshape begins behind the bytes that the first one writes.
bool Spread::place_divided(StagingBuffer& staging, const Layout& spread, std::int64_t period) const {
  const Sources sources = sources_of(spread, steps_, cut_, rank_, element_);
  const auto is_empty = [](const std::vector<Bytes>& piece) { return piece.empty(); };
  if (std::any_of(sources.pieces.begin() + whole_, sources.pieces.end(), is_empty)) return false;  // fewer planes
  const std::int64_t first = begin_of(sources.pieces[static_cast<std::size_t>(whole_)]);
  const std::int64_t end = end_of(sources.pieces.back());
  const Bytes written(box_of(sliced(to_, cut_.after.front())), written_, 0);
  const auto next = static_cast<std::size_t>(cut_.last_message_of(0)) + 1;
  for (const Bytes& sent : sources.messages[next]) {
    const std::int64_t align = device::run_bytes;
    const std::int64_t behind = round_up(written.offset + written.reach(period) - sent.offset, align);
    // The last place with this position in a period.
    const std::int64_t last = room_ - in_units(end);
    const std::int64_t begin = last - ((last - behind) % period + period) % period;
    if (begin + first < 0) continue;
    for (int k = whole_; k < cut_.befores(); ++k) staging.pieces[static_cast<std::size_t>(k)] = {true, begin, spread};
    for (int m = whole_; m + 1 < cut_.moves(); ++m)
      staging.messages[static_cast<std::size_t>(m)] = {true, begin, spread};
    if (is_sent_in_time(staging, sources, steps_, cut_, rank_, precision_)) return true;
  }
  return false;
}

/// Places the data of the last message in the workspace, from its beginning.
void Spread::place_last_message(StagingBuffer& staging, const Layout& spread) const {
  const Slice& slice = cut_.messages.back().from;
  const Layout packed = *staging.messages.back().layout;
  staging.last_copies = make_schedule(spread, packed, rank_, slice, {}).self;
  const Piece rest = sliced(from_, slice);
  const auto cut = static_cast<std::size_t>(slice.axis);
  const std::vector<Piece> runs = packed.pieces(rank_);
  const std::int64_t plane = runs.empty() ? 0 : runs.front().stride[cut] * element_;
  const auto copies = static_cast<std::int64_t>(runs.size());
  staging.messages.back().begin = -from_.set.axis[cut].position(rest.set.axis[cut].first) * plane;
  staging.overflow_bytes = copies * rest.set.axis[cut].count * plane;
  staging.element_bytes = static_cast<std::size_t>(element_);
}

/// Places the pieces that are sent whole, the last one first: the places of those sent first can soon be written again.
bool Spread::place_whole(StagingBuffer& staging) const {
  std::int64_t at = 0;
  for (int k = whole_; k-- > 0;) {
    const auto number = static_cast<std::size_t>(k);
    staging.pieces[number].begin = 0;
    const Bytes here = bytes_of(staging, k);
    const std::int64_t align = device::run_bytes, bytes = round_up(here.reach(0), align);
    if (bytes > room_ || here.offset % align != 0) return false;
    if (at + bytes > room_) at = 0;
    staging.pieces[number].begin = at - here.offset;
    staging.messages[number].begin = staging.pieces[number].begin;
    at += bytes;
  }
  return true;
}

/// Finds the message that each piece waits for. Returns false if a piece would wait for a recent one: its links would
/// have nothing to send until the piece is there.
bool Spread::find_waits(StagingBuffer& staging) const {
  for (int k = 0; k < cut_.befores(); ++k) {
    int& wait = staging.waits[static_cast<std::size_t>(k)];
    const Bytes here = bytes_of(staging, k);
    for (int j = 0; j < k && j < whole_; ++j) {
      const Bytes there = bytes_of(staging, j);
      if (here.offset < there.end() && there.offset < here.end()) wait = j;
    }
    if (wait > std::max(-1, std::min(k, whole_) - 2)) return false;
  }
  return true;
}

std::optional<StagingBuffer> Spread::make() {
  StagingBuffer staging;
  staging.pieces.resize(cut_.before.size());
  staging.messages.resize(cut_.messages.size());
  staging.waits.resize(cut_.before.size(), -1);
  if (cut_.afters() < 2 || whole_ == cut_.befores()) return std::nullopt;
  const Layout spread = spread_layout(steps_, cut_, precision_);
  for (int m = whole_; m < cut_.moves(); ++m) staging.messages[static_cast<std::size_t>(m)].layout = spread;
  staging.messages.back() = {false, 0, last_message_layout(steps_.from.layout, steps_.to.layout, cut_)};
  if (from_.set.empty()) return staging;
  if (to_.set.empty() || !are_slowest(from_, static_cast<std::size_t>(cut_.before.front().axis),
                                      static_cast<std::size_t>(cut_.after.front().axis)))
    return std::nullopt;
  const std::int64_t period = period_of(to_, cut_.after.front().axis, written_);
  if (period == 0 || !place_divided(staging, spread, period) || !place_whole(staging) || !find_waits(staging))
    return std::nullopt;
  place_last_message(staging, spread);
  return staging;
}

}  // namespace

std::optional<StagingBuffer> spread_staging_buffer_of(const Joined& steps, const Pieces& pieces, int rank,
                                                      Precision precision) {
  return Spread(steps, pieces, rank, precision).make();
}

std::optional<Pieces> split_last(const Pieces& pieces, int sixteenths) {
  if (pieces.afters() < 2 || pieces.befores() < 2 || pieces.stores) return std::nullopt;
  Pieces split = pieces;
  Pieces::Message& last = split.messages.back();
  if (last.from.axis < 0 || last.to.axis < 0) return std::nullopt;
  last.to.shares = 16;
  last.to.end = 16 - sixteenths;
  Pieces::Message end = last;
  end.to.begin = last.to.end;
  end.to.end = 16;
  split.messages.push_back(end);
  ++split.split;
  return split;
}

}  // namespace shardfft::gpu
