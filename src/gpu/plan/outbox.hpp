#pragma once
// Where what a rank has before a reshape waits until it has left: in the output of the transform behind the reshape, as
// far as nobody writes there before that.
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/pass/line_owners.hpp"
#include "schedule/pass.hpp"

namespace shardfft::gpu {

struct Outbox {
  /// What a piece of the transform writes, or a message sends: at `begin` bytes of the output, or of what has no place
  /// there, begins the array in which it lies.
  struct Place {
    bool in_output = true;
    std::int64_t begin = 0;
    std::optional<Layout> layout{};  ///< of that array, where it is not the one before the reshape
  };
  std::vector<Place> pieces{}, messages{};
  std::vector<LineOwners>
      owners{};                 ///< by piece: where it leaves its points, if a rank alone packs what goes to others
  std::int64_t rest_bytes = 0;  ///< of what has no place in the output
  std::vector<int> waits{};     ///< by piece: the last message that must have left before it is written, or -1
  /// What the last message sends is copied out of the way when all pieces are there, from where the one before it lies.
  std::vector<LocalCopy> aside{};
  std::size_t element_bytes = 0;

  bool packs() const { return !owners.empty(); }
};

/// For a pipeline that ends elsewhere than it lands, of transforms at both ends: in the output, while pieces behind the
/// reshape are written there. Packed, only where the pass before it transforms one axis (others keep more than results
/// in the array that they write). Nothing where none of it has a place there. `input_is_there`: until a piece has read
/// its points of it. Nothing then where not all has a place among these, or something is written before all was read.
std::optional<Outbox> outbox_of(const Joined& steps, const Pieces& pieces, int rank, Precision precision, bool packed,
                                bool input_is_there = false);

/// The same of planes that wait between pieces of lines: those that leave in parts lie apart, so that what the pieces
/// behind the reshape write first is where has left first; and they begin where others have left. The rest is what the
/// last message sends: pieces are split_last(). Nothing where that is not so.
std::optional<Outbox> spread_outbox_of(const Joined& steps, const Pieces& pieces, int rank, Precision precision);

/// The same pieces, but `sixteenths` of what the last piece behind the reshape takes of others than whole ones are a
/// message of its own, the last one: padded rows that wait are longer than those that are written, until then, in their
/// place. Nothing where no two pieces take of the same ones before the reshape.
std::optional<Pieces> split_last(const Pieces& pieces, int sixteenths);

}  // namespace shardfft::gpu
