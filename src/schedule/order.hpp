#pragma once
// In which order the pieces of a reshape and of the transforms at its ends run: a graph of what must wait for what,
// sorted once.
#include <vector>

#include "schedule/pieces.hpp"

namespace shardfft {

/// What runs: a piece of the transform before the reshape, a phase of one of its messages, a piece of the transform
/// behind.
enum class Stage { before, move, after };

struct Turn {
  Stage stage;
  int piece;
  int phase = 0;
  bool operator==(const Turn&) const = default;
};

/// How a target moves messages.
struct Moves {
  int phases = 2;     ///< of every message: the last one ends when it has come
  int in_flight = 2;  ///< messages that may be under way at the same time
  /// All ranks meet between two phases of all messages, of which phase 0 only announces that others may write.
  bool meet = false;

  int start() const { return meet ? 1 : 0; }  ///< the phase that sends
};

/// Where all turns wait, because a later stage writes what an earlier one reads.
enum class Barrier { none, before_moves, after_moves };

/// All turns, each behind those it waits for. Those of the messages come in the same order whatever transforms and
/// barriers there are, so that ranks with different arrays agree on it.
std::vector<Turn> in_order(const Pieces& pieces, const Moves& moves, Barrier barrier);

/// The turns of each phase, where ranks meet in between.
std::vector<std::vector<Turn>> in_phases(const Pieces& pieces, const Moves& moves, Barrier barrier);

}  // namespace shardfft
