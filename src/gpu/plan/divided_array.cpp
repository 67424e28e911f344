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
  /// Bytes of the user's array that a piece writes, and bytes of the divided one that are read then or later. Or bytes
  /// of the input that a piece reads, and those of the divided array that are written then or before.
  struct Apart {
    Bytes fixed;
    std::vector<Bytes> divided;
  };
  int rank;
  Precision precision;
  bool follows_input;
  std::vector<std::vector<Bytes>> units{};  ///< each in one part
  std::vector<Apart> apart{};

  void add(const std::vector<std::vector<Bytes>>& more) { units.insert(units.end(), more.begin(), more.end()); }
  bool add(int array, const Lowered& lowered, const FusedTask& fused, const Pieces& cut);
  void add_writes(const Joined& steps, const Pieces& cut, const UsedBytes& used, bool is_result);
  void add_reads(const LocalTransform& local, const Pieces& cut, const UsedBytes& used);
  bool are_apart(std::int64_t begin, std::int64_t split) const;
  void move_between(std::int64_t& split) const;
  bool divide(DividedArray& divided, std::int64_t room) const;
};

/// Returns false if the task uses the array whole, not in pieces.
bool Uses::add(int array, const Lowered& lowered, const FusedTask& fused, const Pieces& cut) {
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
  if (follows_input && is_source && first.from == input_array) add_reads(*steps.before, cut, used);
  if (!steps.after || last.from == last.to) return true;
  add_writes(steps, cut, used, is_result);
  return last.to == output_array && !(is_result && first.from == input_array);  // input and output may be one array
}

/// A piece behind the reshape begins when this rank has sent all messages up to the last one that the piece needs. Data
/// that is received is kept until its own piece has read it.
void Uses::add_writes(const Joined& steps, const Pieces& cut, const UsedBytes& used, bool is_result) {
  const State& result = steps.after->after;
  for (int k = 0; k < cut.afters(); ++k) {
    const Piece piece = sliced(only_piece(result.layout, rank), cut.after[static_cast<std::size_t>(k)]);
    if (piece.set.empty()) continue;
    Apart& write =
        apart.emplace_back(Apart{{box_of(piece), static_cast<std::int64_t>(element_bytes(result, precision)), 0}, {}});
    const auto keep = [&write](const std::vector<std::vector<Bytes>>& all, int from) {
      for (auto bytes = all.begin() + from; bytes != all.end(); ++bytes)
        write.divided.insert(write.divided.end(), bytes->begin(), bytes->end());
    };
    if (!is_result) keep(used.messages, cut.last_message_of(k) + 1);
    keep(used.after, k);
  }
}

/// A piece of the first transform reads its input before the pieces behind it are written.
void Uses::add_reads(const LocalTransform& local, const Pieces& cut, const UsedBytes& used) {
  for (std::size_t k = 0; k < cut.before.size(); ++k) {
    const Piece piece = sliced(only_piece(local.before.layout, rank), cut.before[k]);
    if (piece.set.empty()) continue;
    Apart& read = apart.emplace_back(
        Apart{{box_of(piece), static_cast<std::int64_t>(element_bytes(local.before, precision)), 0}, {}});
    for (std::size_t before = 0; before <= k; ++before)
      read.divided.insert(read.divided.end(), used.before[before].begin(), used.before[before].end());
  }
}

bool Uses::are_apart(std::int64_t begin, std::int64_t split) const {
  return std::all_of(apart.begin(), apart.end(), [&](const Apart& one) {
    return std::all_of(one.divided.begin(), one.divided.end(), [&](Bytes bytes) {
      const bool in_room = (bytes.offset < split) != follows_input;
      bytes.offset += begin;
      return !in_room || gpu::are_apart(bytes, one.fixed);
    });
  });
}

/// Moves the split out of the units, to that side on which the part in the user's array becomes smaller.
void Uses::move_between(std::int64_t& split) const {
  for (bool is_between = false; !is_between;) {
    const std::int64_t before = split;
    for (const std::vector<Bytes>& unit : units)
      if (begin_of(unit) < split && split < end_of(unit)) split = follows_input ? end_of(unit) : begin_of(unit);
    is_between = split == before;
  }
}

/// Divides with as many bytes in the user's array as possible. Returns false if those are less than half.
bool Uses::divide(DividedArray& divided, std::int64_t room) const {
  const std::int64_t bytes = divided.bytes.back();
  const auto in_room = [&](std::int64_t split) { return follows_input ? bytes - split : split; };
  for (std::int64_t split = follows_input ? 0 : std::min(bytes, room);; split += follows_input ? 1 : -1) {
    move_between(split);
    if (2 * in_room(split) < bytes) return false;
    const auto aligned = [](std::int64_t byte) { return byte / DividedArray::alignment * DividedArray::alignment; };
    const std::int64_t last = follows_input ? -aligned(split) : aligned(room - split);
    for (const std::int64_t begin : {follows_input ? last : 0, last}) {
      if (follows_input && begin + bytes > room) continue;
      if (!are_apart(begin, split)) continue;
      divided.begin.push_back(begin);
      divided.split.push_back(split);
      return true;
    }
  }
}

}  // namespace

bool divide_array(DividedArray& divided, int array, const Lowered& lowered, const std::vector<Pieces>& cuts,
                  std::int64_t room, Precision precision) {
  Uses uses{static_cast<int>(divided.split.size()), precision, divided.follows_input};
  for (std::size_t t = 0; t < cuts.size(); ++t)
    if (!uses.add(array, lowered, lowered.fused_tasks()[t], cuts[t])) return false;
  return uses.divide(divided, room);
}

}  // namespace shardfft::gpu
