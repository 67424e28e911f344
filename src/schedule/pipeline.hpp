#pragma once
// A reshape in pieces and the transforms at its ends, on one rank: the same on all targets.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pack/short_numbers.hpp"
#include "schedule/order.hpp"

namespace shardfft {

/// The operation of a target that runs the pieces of `End`s, which are transforms, and one `Move` a message, in the
/// order of the schedule. Derived classes run one piece.
template <class Operation, class End, class Move>
class PipelineOf : public Operation {
 public:
  std::string describe() const override { return text_; }
  const Pieces* pieces() const override { return pieces_.moves() > 1 ? &pieces_ : nullptr; }
  std::int64_t bytes_sent() const override {
    std::int64_t bytes = 0;
    for (const auto& move : moves_) bytes += move->bytes_sent();
    return bytes;
  }
  Loss loss() const override {
    Loss sum;
    for (const auto& move : moves_) sum += move->loss();
    return sum;
  }
  /// True if some turn waits until the input, or data made from it, has been read.
  bool runs_in_place() const override { return waits_; }

 protected:
  using AllMoves = std::vector<std::unique_ptr<Move>>;

  /// `one_array`: the turns that must wait if input and output are one array.
  PipelineOf(const Pieces& pieces, End before, AllMoves moves, End after, const Moves& how, Barrier one_array)
      : before_(std::move(before)),
        moves_(std::move(moves)),
        after_(std::move(after)),
        pieces_(pieces),
        turns_(in_phases(pieces, how, Barrier::none)),
        one_array_turns_(in_phases(pieces, how, one_array)),
        waits_(one_array != Barrier::none) {}

  /// The turns of a phase.
  const std::vector<Turn>& turns(int phase, bool one_array) const {
    return (one_array ? one_array_turns_ : turns_)[static_cast<std::size_t>(phase)];
  }
  Move& move(const Turn& turn) const { return *moves_[static_cast<std::size_t>(turn.piece)]; }
  /// Describes the operation: its cut, the transforms and the reshape. Texts are empty if there is no cut or transform.
  void tell(const std::string& cut, const std::string& before, const std::string& reshape, const std::string& after) {
    if (!cut.empty()) text_ = "pipeline of " + cut + ": ";
    if (!before.empty()) text_ += before + ", ";
    text_ += reshape;
    if (!after.empty()) text_ += ", " + after;
  }

  End before_;
  AllMoves moves_;
  End after_;

 private:
  Pieces pieces_;
  std::vector<std::vector<Turn>> turns_, one_array_turns_;  ///< by phase
  bool waits_;                                              ///< if input and output are one array
  std::string text_;
};

}  // namespace shardfft
