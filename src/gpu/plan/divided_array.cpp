#include "gpu/plan/divided_array.hpp"

#include <algorithm>

namespace shardfft::gpu {

std::vector<bool> in_tail(const DividedArray& divided, int rank, const std::vector<std::vector<Bytes>>& used) {
  std::vector<bool> flags;
  for (const std::vector<Bytes>& bytes : used) flags.push_back(divided.in_tail(rank, begin_of(bytes)));
  return flags;
}

UsedBytes used_bytes(const Joined& steps, const Pieces& cut, int rank, Precision precision, bool behind) {
  const Layout &from = steps.from.layout, &to = steps.to.layout;
  const auto element = static_cast<std::int64_t>(element_bytes(steps.from, precision));
  const auto own = [&](const Slice& sent, const Slice& received) {
    std::vector<Bytes> all;
    for (const LocalCopy& copy : make_schedule(from, to, rank, sent, received).self)
      all.emplace_back(behind ? copy.to : copy.from, element, 0);
    return all;
  };
  const auto part = [&](const Layout& layout, const Slice& slice) {
    const Piece piece = sliced(only_piece(layout, rank), slice);
    return piece.set.empty() ? std::vector<Bytes>() : std::vector<Bytes>{Bytes(box_of(piece), element, 0)};
  };
  UsedBytes used;
  if (!behind) used.messages = sources_of(from, steps, cut, rank, element).messages;
  used.messages.resize(cut.messages.size());
  for (std::size_t m = 0; m < cut.messages.size(); ++m)
    for (const Bytes& bytes : own(cut.messages[m].from, cut.messages[m].to)) used.messages[m].push_back(bytes);
  for (const Slice& slice : cut.before) used.before.push_back(behind ? own(slice, {}) : part(from, slice));
  for (const Slice& slice : cut.after) used.after.push_back(behind ? part(to, slice) : own({}, slice));
  return used;
}

namespace {

/// The uses of an array by all tasks, on one rank.
struct Uses {
  /// Bytes of the user's array that a piece writes, and bytes of the divided one that are read then or later.
  struct Write {
    Bytes written;
    std::vector<Bytes> kept;
  };
  std::vector<std::vector<Bytes>> units{};  ///< each in one part
  std::vector<Write> writes{};

  void add(const std::vector<std::vector<Bytes>>& more) { units.insert(units.end(), more.begin(), more.end()); }
  bool add(int array, const Lowered& lowered, const FusedTask& fused, const Pieces& cut, int rank, Precision precision);
  void add_writes(const Joined& steps, const Pieces& cut, const UsedBytes& used, bool is_result, int rank,
                  Precision precision);
  bool in_time(std::int64_t begin, std::int64_t split) const;
  std::optional<std::pair<std::int64_t, std::int64_t>> divide(std::int64_t bytes, std::int64_t room) const;
};

/// Returns false if the task uses the array whole, not in pieces.
bool Uses::add(int array, const Lowered& lowered, const FusedTask& fused, const Pieces& cut, int rank,
               Precision precision) {
  const LoweredStep &first = fused.front(), &last = fused.back();
  if (fused.size() == 1) return first.from != array && first.to != array;
  const Joined steps = lowered.joined(fused);
  const bool is_source = array == (steps.before ? first.to : first.from);
  const bool is_result = array == (steps.after ? last.from : last.to);
  if ((first.from == array && !is_source) || (last.to == array && !is_result)) return false;
  if (!is_source && !is_result) return true;
  if (steps.before && first.from == input_array && last.to == output_array) return false;  // StagingBuffer serves
  if (cut.stores) return false;
  const UsedBytes used = used_bytes(steps, cut, rank, precision, is_result);
  for (const auto* part : {&used.before, &used.messages, &used.after}) add(*part);
  const auto element = static_cast<std::int64_t>(element_bytes(steps.from, precision));
  for (const Pieces::Message& m : cut.messages)
    for (const Message& received : is_result
                                       ? make_schedule(steps.from.layout, steps.to.layout, rank, m.from, m.to).recv
                                       : std::vector<Message>())
      for (auto& bytes = units.emplace_back(); const Box& box : received.boxes) bytes.emplace_back(box, element, 0);
  if (!steps.after || last.from == last.to) return true;
  add_writes(steps, cut, used, is_result, rank, precision);
  return last.to == output_array && !(is_result && first.from == input_array);  // input and output may be one array
}

/// A piece behind the reshape begins when this rank has sent all messages up to the last one that the piece needs. Data
/// that is received is kept until its own piece has read it.
void Uses::add_writes(const Joined& steps, const Pieces& cut, const UsedBytes& used, bool is_result, int rank,
                      Precision precision) {
  const State& result = steps.after->after;
  for (int k = 0; k < cut.afters(); ++k) {
    const Piece piece = sliced(only_piece(result.layout, rank), cut.after[static_cast<std::size_t>(k)]);
    if (piece.set.empty()) continue;
    Write& write =
        writes.emplace_back(Write{{box_of(piece), static_cast<std::int64_t>(element_bytes(result, precision)), 0}, {}});
    const auto keep = [&write](const std::vector<std::vector<Bytes>>& all, int from) {
      for (auto bytes = all.begin() + from; bytes != all.end(); ++bytes)
        write.kept.insert(write.kept.end(), bytes->begin(), bytes->end());
    };
    if (!is_result) keep(used.messages, cut.last_message_of(k) + 1);
    keep(used.after, k);
  }
}

bool Uses::in_time(std::int64_t begin, std::int64_t split) const {
  return std::all_of(writes.begin(), writes.end(), [&](const Write& write) {
    return std::all_of(write.kept.begin(), write.kept.end(), [&](Bytes kept) {
      const bool in_room = kept.offset < split;
      kept.offset += begin;
      return !in_room || are_apart(kept, write.written);
    });
  });
}

/// The first byte in the user's array, and the number of bytes there: as many as possible. None if less than half.
std::optional<std::pair<std::int64_t, std::int64_t>> Uses::divide(std::int64_t bytes, std::int64_t room) const {
  for (std::int64_t split = std::min(bytes, room); 2 * split >= bytes; --split) {
    for (bool is_between = false; !is_between;) {
      const std::int64_t before = split;
      for (const std::vector<Bytes>& unit : units)
        if (begin_of(unit) < split && split < end_of(unit)) split = begin_of(unit);
      is_between = split == before;
    }
    if (2 * split < bytes) break;
    const std::int64_t last = (room - split) / DividedArray::alignment * DividedArray::alignment;
    for (const std::int64_t begin : {std::int64_t{0}, last})
      if (in_time(begin, split)) return std::pair(begin, split);
  }
  return std::nullopt;
}

}  // namespace

std::optional<DividedArray> divide_array(int array, const Lowered& lowered, const std::vector<Pieces>& cuts,
                                         const std::vector<std::int64_t>& array_bytes,
                                         const std::vector<std::int64_t>& room, Precision precision) {
  DividedArray divided;
  for (std::size_t rank = 0; rank < room.size(); ++rank) {
    Uses uses;
    for (std::size_t t = 0; t < cuts.size(); ++t)
      if (!uses.add(array, lowered, lowered.fused_tasks()[t], cuts[t], static_cast<int>(rank), precision))
        return std::nullopt;
    const auto place = uses.divide(array_bytes[rank], room[rank]);
    if (!place) return std::nullopt;
    divided.begin.push_back(place->first);
    divided.split.push_back(place->second);
    const std::int64_t tail = array_bytes[rank] - divided.tail_begin(static_cast<int>(rank));
    if (array_bytes[rank] > place->second)
      divided.tail_bytes = std::max(divided.tail_bytes, static_cast<std::size_t>(tail));
  }
  return divided;
}

}  // namespace shardfft::gpu
