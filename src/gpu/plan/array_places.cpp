#include "gpu/plan/array_places.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "gpu/move/exchange.hpp"
#include "gpu/plan/device_target.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// The lives of all arrays of a program, by number.
std::vector<ArrayLife> lives_of(const Lowered& lowered) {
  std::vector<ArrayLife> all(first_between);
  const auto use = [&all](int array, const State& state, int begin, int end) {
    const auto number = static_cast<std::size_t>(array);
    all.resize(std::max(all.size(), number + 1));
    ArrayLife& life = all[number];
    life.born = life.states.empty() ? begin : std::min(life.born, begin);
    life.dies = std::max(life.dies, end);
    life.states.push_back(state);
  };
  for (std::size_t i = 0; i < lowered.fused_tasks().size(); ++i) {
    const FusedTask& fused = lowered.fused_tasks()[i];
    int turn = first_turn(i) + (lowered.is_reshape(fused.front()) ? 1 : 0);
    for (const LoweredStep& one : fused) {
      const bool alone = fused.size() == 1;
      const int begin = alone ? first_turn(i) : turn, end = alone ? last_turn(i) : turn;
      use(one.from, lowered.before(one), begin, end);
      use(one.to, lowered.after(one), begin, end);
      ++turn;
    }
  }
  return all;
}

/// Gives the arrays of one program their rooms.
class Rooms {
 public:
  /// Further uses of the output: by a receive buffer while the pieces of its transform are written there; by the
  /// results of a first transform while it reads its input there; between processes, by arrays that only their own rank
  /// writes (1), or by all arrays (2).
  struct Shares {
    bool by_last = false, by_first = false;
    int between = 0;
  };

  Rooms(const Lowered& lowered, const ExecutorSetup& setup, const Team& team, Offers& offers, bool begins)
      : lowered_(lowered), setup_(setup), team_(team), begins_(begins), lives_(lives_of(lowered)) {
    for (const FusedTask& fused : lowered.fused_tasks())
      cuts_.push_back(fused.size() > 1 ? offers.pieces(lowered.joined(fused)) : Pieces{});
  }

  std::vector<ArrayLife> best() {
    const int most = most_between(), least = std::min(most, 1);
    std::vector<ArrayLife> best = arrays({false, false, least});
    if (lives_.size() == first_between) return best;
    const std::vector<bool> no{false}, both{false, true};
    for (int between = least; between <= most; ++between)
      for (const bool by_first : may_share_first() ? both : no)
        for (const bool by_last : may_share_last() ? both : no) {
          std::vector<ArrayLife> other = arrays({by_last, by_first, between});
          if (bytes(other) < bytes(best)) best = std::move(other);
        }
    return best;
  }

 private:
  const LoweredStep& first() const { return lowered_.fused_tasks().front().front(); }
  const LoweredStep& last() const { return lowered_.fused_tasks().back().back(); }
  bool may_share_last() const {
    return lowered_.transforms(last()) && last().from >= first_between && last().to == output_array;
  }
  /// Whether the first transform can write over its input.
  bool may_start_there() const {
    return lowered_.transforms(first()) && can_run_in_place(lowered_.step(first())) &&
           lowered_.before(first()).layout.same_as(lowered_.after(first()).layout);
  }
  bool may_share_first() const {
    return setup_.options.in_place && lowered_.fused_tasks().front().size() > 1 && lowered_.transforms(first()) &&
           first().to >= first_between && !may_start_there();
  }
  /// Small arrays are not worth a further meeting in each call.
  int most_between() const {
    if (is_open() || !cuts_in_slices(setup_.way.exchange)) return 0;
    const auto page = static_cast<std::int64_t>(gpu_defaults().large_page_bytes);
    for (int rank = 0; rank < team_.ranks(); ++rank)
      if (room_bytes(in_output, rank) > page) return 2;
    return 0;
  }
  bool is_open() const { return setup_.way.room != Spare::fast || team_.all_here(); }
  /// Whether other ranks write into the array.
  bool is_received(std::size_t array) const {
    for (const FusedTask& fused : lowered_.fused_tasks())
      for (const LoweredStep& one : fused)
        if (lowered_.is_reshape(one) && one.to == static_cast<int>(array)) return true;
    return false;
  }
  std::size_t bytes(const std::vector<ArrayLife>& lives) const {
    std::vector<TimedArray> all = timed(lives, setup_.precision);
    if (!setup_.options.in_place && waits_in_free_output(lowered_, lives, 0))
      all[static_cast<std::size_t>(first().to)].bytes = 0;
    return end_in(0, place_arrays(all, {{}}));
  }
  std::optional<int> free_behind(int room) const;
  std::int64_t room_bytes(int room, int rank) const;
  bool holds(int room, const ArrayLife& array) const;
  std::shared_ptr<const DividedArray> divided(std::size_t number, bool follows_input);
  std::vector<ArrayLife> arrays(Shares shares);

  const Lowered& lowered_;
  const ExecutorSetup& setup_;
  const Team& team_;
  bool begins_;
  std::vector<ArrayLife> lives_;
  std::vector<Pieces> cuts_;  ///< of fused tasks; no pieces if one has a single step
  std::map<std::pair<std::size_t, bool>, std::shared_ptr<const DividedArray>> divided_;
};

/// The turn after which arrays between steps may use a room (input or output); none if they never may.
std::optional<int> Rooms::free_behind(int room) const {
  const Program& program = lowered_.program();
  if (room == in_input) {
    const bool is_c2r = program.states.front().is_complex && !program.states.back().is_complex;
    return is_c2r && setup_.options.overwrite_input && !setup_.options.in_place && team_.all_here()
               ? std::optional(last_turn(0))
               : std::nullopt;
  }
  if (!setup_.options.in_place) return -1;
  // Use in the first task lets messages wait until the input is read: only if memory is short, or for one reshape.
  const bool waits = setup_.way.room != Spare::fast || reshapes(program) == 1;
  return waits ? lives_[input_array].dies : last_turn(0);
}

/// The bytes of a user's array while a plan runs.
std::int64_t Rooms::room_bytes(int room, int rank) const {
  const std::vector<State>& states = lowered_.program().states;
  const auto bytes = [&](const State& of) {
    return static_cast<std::int64_t>(state_bytes(of, setup_.precision, rank));
  };
  const std::int64_t in = bytes(states.front()), out = bytes(states.back());
  return setup_.options.in_place ? std::max(in, out) : room == in_input ? in : out;
}

bool Rooms::holds(int room, const ArrayLife& array) const {
  for (const State& state : array.states)
    for (int rank = 0; rank < team_.ranks(); ++rank)
      if (state_bytes(state, setup_.precision, rank) > static_cast<std::size_t>(room_bytes(room, rank))) return false;
  return true;
}

/// Puts one part of an array into the output, and the other one into the workspace. Only by messages that write into
/// both. The option verify reads whole arrays.
std::shared_ptr<const DividedArray> Rooms::divided(std::size_t number, bool follows_input) {
  if (setup_.options.verify || !cuts_in_slices(setup_.way.exchange)) return nullptr;
  const auto [found, is_new] = divided_.try_emplace({number, follows_input});
  if (!is_new) return found->second;
  DividedArray all;
  all.follows_input = follows_input;
  for (int rank = 0; rank < team_.ranks(); ++rank) {
    std::size_t bytes = 0;
    for (const State& state : lives_[number].states)
      bytes = std::max(bytes, state_bytes(state, setup_.precision, rank));
    all.bytes.push_back(static_cast<std::int64_t>(bytes));
    if (!divide_array(all, static_cast<int>(number), lowered_, cuts_, room_bytes(in_output, rank), setup_.precision))
      return nullptr;
    all.tail_bytes = std::max(all.tail_bytes, static_cast<std::size_t>(all.tail_size(rank)));
  }
  return found->second = std::make_shared<const DividedArray>(std::move(all));
}

/// Puts an array between steps into the output before the result, or into an input that may be overwritten, if it fits
/// on all ranks. If other processes write into it, it stays in the workspace unless that saves memory: they may
/// announce buffers of one use earlier. In a plan in place, the first transform may write over its input.
std::vector<ArrayLife> Rooms::arrays(Shares shares) {
  std::vector<ArrayLife> arrays = lives_;
  arrays[input_array].room = in_input;
  arrays[output_array].room = in_output;
  for (std::size_t number = first_between; number < arrays.size(); ++number)
    for (const int room : {in_output, in_input}) {
      ArrayLife& array = arrays[number];
      const bool is_first = room == in_output && static_cast<int>(number) == first().to;
      const bool starts_there = is_first && may_start_there(), follows_input = is_first && shares.by_first;
      const std::optional<int> behind = free_behind(room);
      const bool becomes_result = shares.by_last && room == in_output && last().from == static_cast<int>(number);
      // In the task that writes the result, messages would have to wait.
      const bool waits = task_of(array.dies) >= task_of(arrays[output_array].born) && !becomes_result;
      const bool may =
          is_open() || (starts_there && begins_) || (!waits && shares.between > (is_received(number) ? 1 : 0));
      bool is_free =
          array.room == in_workspace && may && (starts_there || follows_input || (behind && array.born > *behind));
      for (std::size_t other = becomes_result ? first_between : output_array; other < number; ++other)
        is_free = is_free && !(arrays[other].room == room && meet(arrays[other], array));
      if (!is_free) continue;
      const bool is_held = !becomes_result && !follows_input && holds(room, array);
      if (!is_held && room == in_output && !starts_there) array.divided = divided(number, follows_input);
      if (is_held || array.divided) array.room = room;
    }
  return arrays;
}

}  // namespace

std::vector<ArrayLife> place_lives(const Lowered& lowered, const ExecutorSetup& setup, const Team& team, Offers& offers,
                                   bool begins) {
  return Rooms(lowered, setup, team, offers, begins).best();
}

bool waits_in_free_output(const Lowered& lowered, const std::vector<ArrayLife>& arrays, std::size_t task) {
  if (task > 0 || lowered.fused_tasks().empty()) return false;
  const FusedTask& fused = lowered.fused_tasks().front();
  if (fused.size() < 2 || lowered.is_reshape(fused.front()) || fused.front().to == input_array) return false;
  const TimedArray turns{0, first_turn(task), last_turn(task)};
  return arrays[static_cast<std::size_t>(fused.front().to)].room == in_workspace &&
         std::none_of(arrays.begin(), arrays.end(),
                      [&](const ArrayLife& array) { return array.room == in_output && meet(array, turns); });
}

std::vector<TimedArray> timed(const std::vector<ArrayLife>& arrays, Precision precision) {
  std::vector<TimedArray> all;
  for (const ArrayLife& array : arrays) {
    TimedArray& one = all.emplace_back(TimedArray{0, array.born, array.dies});
    for (const State& state : array.states)
      if (array.room == in_workspace) one.bytes = std::max(one.bytes, max_state_bytes(state, precision));
    if (array.divided)  // tasks compare no places with that of its tail
      one = {array.divided->tail_bytes, first_turn(task_of(array.born)), last_turn(task_of(array.dies))};
  }
  return all;
}

}  // namespace shardfft::gpu
