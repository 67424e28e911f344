#include "gpu/plan/staging_bytes.hpp"

#include <algorithm>
#include <limits>

#include "geometry/schedule.hpp"

namespace shardfft::gpu {

bool are_apart(const Bytes& a, const Bytes& b) {
  if (a.end() <= b.offset || b.end() <= a.offset) return true;
  for (const Bytes* of : {&a, &b})
    for (const auto& [count, period] : of->steps) {
      if (count < 2 || period < 2) continue;
      const std::int64_t behind = ((b.offset - a.offset) % period + period) % period;
      if (behind >= a.reach(period) && behind + b.reach(period) <= period) return true;
    }
  return false;
}

Sources sources_of(const Layout& from, const Joined& steps, const Pieces& cut, int rank, std::int64_t element) {
  Sources sources;
  for (const Slice& slice : cut.before) {
    std::vector<Bytes>& piece = sources.pieces.emplace_back();
    for (const Piece& p : from.pieces(rank))
      if (const Piece part = sliced(p, slice); !part.set.empty()) piece.emplace_back(box_of(part), element, 0);
  }
  for (const Pieces::Message& message : cut.messages) {
    std::vector<Bytes>& sent = sources.messages.emplace_back();
    for (const Message& m : make_schedule(from, steps.to.layout, rank, message.from, message.to).send)
      for (const Box& of : m.boxes) sent.emplace_back(of, element, 0);
  }
  return sources;
}

std::int64_t begin_of(const std::vector<Bytes>& all) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Bytes& bytes : all) least = std::min(least, bytes.offset);
  return least;
}

std::int64_t end_of(const std::vector<Bytes>& all) {
  std::int64_t most = 0;
  for (const Bytes& bytes : all) most = std::max(most, bytes.end());
  return most;
}

bool is_sent_in_time(const StagingBuffer& staging, const Sources& sources, const Joined& steps, const Pieces& cut,
                     int rank, Precision precision) {
  const auto element = static_cast<std::int64_t>(element_bytes(steps.after->after, precision));
  for (int k = 0; k < cut.afters(); ++k) {
    const Piece piece = sliced(only_piece(steps.after->after.layout, rank), cut.after[static_cast<std::size_t>(k)]);
    if (piece.set.empty()) continue;
    for (int m = cut.last_message_of(k) + 1; m < cut.moves(); ++m) {
      const auto& [in_output, begin, layout] = staging.messages[static_cast<std::size_t>(m)];
      const Bytes written(box_of(piece), element, -begin);
      for (const Bytes& sent : sources.messages[static_cast<std::size_t>(m)])
        if (in_output && !are_apart(sent, written)) return false;
    }
  }
  return true;
}

}  // namespace shardfft::gpu
