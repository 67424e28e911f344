#pragma once
// The order of the pieces of a reshape and of the transforms at its ends: a graph of the turns that wait for others,
// sorted once.
#include <vector>

#include "schedule/pieces.hpp"

namespace shardfft {

/// The kind of a turn: a piece of the transform before the reshape, a phase of one of its messages, a piece of the
/// transform behind.
enum class Stage { before, move, after };

struct Turn {
  Stage stage;
  int piece;
  int phase = 0;
  bool operator==(const Turn&) const = default;
};

/// The way in which a target moves messages.
struct Moves {
  int phases = 2;     ///< of every message; after the last one it has arrived
  int in_flight = 2;  ///< messages that may be on their way at the same time
  /// All ranks meet between two phases of all messages. Phase 0 only announces that others may write.
  bool meet = false;

  int start() const { return meet ? 1 : 0; }  ///< the phase that sends
};

/// The point at which all earlier turns must be done, because later ones overwrite the array that those read.
enum class Barrier { none, before_moves, after_moves };

/// All turns, each behind those that it waits for. Turns of messages have the same order for all transforms and
/// barriers, because ranks with different arrays must agree on it.
std::vector<Turn> in_order(const Pieces& pieces, const Moves& moves, Barrier barrier);

/// The turns of each phase; ranks meet between two phases.
std::vector<std::vector<Turn>> in_phases(const Pieces& pieces, const Moves& moves, Barrier barrier);

}  // namespace shardfft
