#include "schedule/order.hpp"

#include <map>
#include <set>
#include <tuple>

namespace shardfft {

namespace {

class TurnGraph {
 public:
  explicit TurnGraph(const Moves& moves) : start_(moves.start()) {}
  void add(const Turn& turn) { waits_[key(turn)].turn = turn; }
  /// `turn` waits for `other`, if both turns exist.
  void wait(const Turn& turn, const Turn& other) {
    const auto waiting = waits_.find(key(turn)), first = waits_.find(key(other));
    if (waiting == waits_.end() || first == waits_.end()) return;
    if (waiting->second.others.insert(first->first).second) first->second.followers.push_back(waiting->first);
  }

  std::vector<Turn> sorted() {
    std::set<Key> ready;
    for (const auto& [key, node] : waits_)
      if (node.others.empty()) ready.insert(key);
    std::vector<Turn> turns;
    while (!ready.empty()) {
      const Key next = *ready.begin();
      ready.erase(ready.begin());
      turns.push_back(waits_[next].turn);
      for (const Key& follower : waits_[next].followers) {
        waits_[follower].others.erase(next);
        if (waits_[follower].others.empty()) ready.insert(follower);
      }
    }
    return turns;
  }

 private:
  using Key = std::tuple<int, int, int>;  ///< by preference
  struct Node {
    Turn turn{};
    std::set<Key> others;  ///< turns that must still run before
    std::vector<Key> followers;
  };

  /// Among ready turns, messages are sent first and waited for last.
  Key key(const Turn& turn) const {
    const int preference = turn.stage == Stage::after    ? 1
                           : turn.stage == Stage::before ? 2
                           : turn.phase <= start_        ? 0
                                                         : 3;
    return {preference, turn.phase, turn.piece};
  }

  int start_;
  std::map<Key, Node> waits_;
};

}  // namespace

std::vector<Turn> in_order(const Pieces& pieces, const Moves& moves, Barrier barrier) {
  const int start = moves.start(), end = moves.phases - 1;
  const auto message = [](int k, int phase) { return Turn{Stage::move, k, phase}; };
  TurnGraph graph(moves);
  for (int k = 0; k < pieces.befores(); ++k) graph.add({Stage::before, k});
  for (int k = 0; k < pieces.afters(); ++k) graph.add({Stage::after, k});
  for (int phase = 0; phase < moves.phases; ++phase)
    for (int k = 0; k < pieces.moves(); ++k) graph.add(message(k, phase));

  for (int phase = 0; phase < moves.phases; ++phase)
    for (int k = 0; k < pieces.moves(); ++k) {
      graph.wait(message(k, phase), message(k - 1, phase));
      graph.wait(message(k, phase), message(moves.meet ? pieces.moves() - 1 : k, phase - 1));
    }
  for (int k = 0; k < pieces.moves(); ++k) {
    graph.wait(message(k, start), {Stage::before, pieces.last_piece_of(k)});
    if (!moves.meet) graph.wait(message(k, start), message(k - moves.in_flight, end));
  }
  for (int k = 0; k < pieces.befores(); ++k) {
    graph.wait({Stage::before, k}, {Stage::before, k - 1});
    if (barrier == Barrier::before_moves) {
      graph.wait(message(0, 0), {Stage::before, k});
      continue;
    }
    // Transforms do not run ahead of the messages: else all waits would come behind them.
    graph.wait({Stage::before, k}, message(k * pieces.whole / pieces.befores() - 1, start));
    if (moves.meet) graph.wait({Stage::before, k}, message(pieces.moves() - 1, 0));
  }
  for (int k = 0; k < pieces.afters(); ++k)
    graph.wait({Stage::after, k},
               message(barrier == Barrier::after_moves ? pieces.moves() - 1 : pieces.last_message_of(k), end));
  return graph.sorted();
}

std::vector<std::vector<Turn>> in_phases(const Pieces& pieces, const Moves& moves, Barrier barrier) {
  std::vector<std::vector<Turn>> phases(1);
  for (const Turn& turn : in_order(pieces, moves, barrier)) {
    phases.back().push_back(turn);
    if (turn.stage == Stage::move && turn.piece == pieces.moves() - 1 && turn.phase + 1 < moves.phases)
      phases.emplace_back();
  }
  return phases;
}

}  // namespace shardfft
