#pragma once
// The place in which outgoing data waits before a reshape: in the output of the transform behind the reshape, if nobody
// writes there before the data is sent.
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/pass/line_owners.hpp"
#include "schedule/local_transform.hpp"

namespace shardfft::gpu {

struct StagingBuffer {
  /// The place of data that a piece of the transform writes, or that a message sends. The data's array begins at byte
  /// `begin` of the output, or of the overflow: a buffer for data that has no place in the output.
  struct Place {
    bool in_output = true;
    std::int64_t begin = 0;
    std::optional<Layout> layout{};  ///< of that array, if it is not the layout before the reshape
  };
  std::vector<Place> pieces{}, messages{};
  std::vector<LineOwners>
      owners{};                     ///< by piece: the places of its points, if the data for other ranks is packed alone
  std::int64_t overflow_bytes = 0;  ///< of the data without a place in the output
  std::vector<int> waits{};         ///< by piece: the last message that must be sent before the piece is written, or -1
  /// When all pieces are there: copies the last message's data out of the way, from the place of the one before it.
  std::vector<LocalCopy> last_copies{};
  std::size_t element_bytes = 0;

  bool packs() const { return !owners.empty(); }
};

/// Tries to keep outgoing data in the output while pieces behind the reshape are written there. For a pipeline with
/// transforms at both ends, whose messages are received in another array than its output. `packed`: only if the pass
/// before the reshape transforms one axis (others keep more than results in the array that they write). Returns none if
/// no piece fits. `input_is_there`: the output holds the input until pieces have read their points. Then returns none
/// if a piece does not fit among its points, or if anything is written before all is read. `free_room`: the bytes of
/// the output if nothing is written there meanwhile.
std::optional<StagingBuffer> staging_buffer_of(const Joined& steps, const Pieces& pieces, int rank, Precision precision,
                                               bool packed, bool input_is_there = false,
                                               std::optional<std::int64_t> free_room = {});

/// The same for planes that wait between pieces of lines. Planes that are sent in parts lie apart, so that the first
/// pieces behind the reshape write over data that was sent first. They may also overwrite pieces that were sent before
/// them. The last message is the overflow: `pieces` must come from split_last(). Returns none if there is no such
/// place.
std::optional<StagingBuffer> spread_staging_buffer_of(const Joined& steps, const Pieces& pieces, int rank,
                                                      Precision precision);

/// The same pieces with the last message split: `sixteenths` of its data become a message of their own. Rows that wait
/// are padded, and longer than the rows that are written in their place, so the last part needs another place. Returns
/// none if no two pieces behind the reshape need data of the same pieces before it.
std::optional<Pieces> split_last(const Pieces& pieces, int sixteenths);

}  // namespace shardfft::gpu
