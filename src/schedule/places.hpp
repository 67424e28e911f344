#pragma once
// Places for the arrays of a rank: two arrays may share bytes if their turns do not meet. Pure geometry.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace shardfft {

/// Bytes that are in use from turn `born` to turn `dies`, both included.
struct TimedArray {
  std::size_t bytes = 0;
  int born = 0, dies = 0;
  bool shared = false;  ///< other ranks read or write it
};

/// Whether there is a turn in which both arrays are in use.
bool meet(const auto& a, const auto& b) { return a.born <= b.dies && b.born <= a.dies; }

/// Memory for arrays, which begin at multiples of `alignment`.
struct ArrayRoom {
  static constexpr std::size_t grows = std::numeric_limits<std::size_t>::max();

  std::size_t bytes = grows;
  std::size_t alignment = 1;
  bool shared = false;                               ///< other ranks can access it
  int free_from = std::numeric_limits<int>::min();   ///< the first turn in which it may be used
  int free_until = std::numeric_limits<int>::max();  ///< and the last one
};

/// Bytes in the room with this number. If room is -1, the array has no bytes or fits in no room.
struct ArrayPlace {
  int room = -1;
  std::size_t begin = 0, bytes = 0;

  std::size_t end() const { return begin + bytes; }
  bool overlaps(const ArrayPlace& other) const {
    return room >= 0 && room == other.room && begin < other.end() && other.begin < end();
  }
};

/// An array of which one part is in a room of the user's, and the other one, its tail, in the workspace: its end, or,
/// if it `follows_input`, its beginning. Every piece and every message of the tasks that use it has all of its bytes in
/// one of the two parts.
struct DividedArray {
  static constexpr std::int64_t alignment = 256;

  /// The array's pieces are written over input that earlier pieces have read: each one behind that of its input.
  bool follows_input = false;
  // By rank:
  std::vector<std::int64_t> bytes{};  ///< of the array
  std::vector<std::int64_t>
      begin{};  ///< the byte of the room at which it begins; negative if its beginning is not there
  std::vector<std::int64_t> split{};  ///< the first byte of the array's second part
  std::size_t tail_bytes = 0;         ///< of the rank that has most there

  bool in_tail(int rank, std::int64_t byte) const {
    return (byte < split[static_cast<std::size_t>(rank)]) == follows_input;
  }
  /// One past its last byte in the room.
  std::size_t end(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return static_cast<std::size_t>(begin[r] + (follows_input ? bytes[r] : split[r]));
  }
  /// The byte of the array at which the workspace begins. Addresses there are as well aligned as in one array.
  std::int64_t tail_begin(int rank) const {
    return follows_input ? 0 : split[static_cast<std::size_t>(rank)] / alignment * alignment;
  }
  std::int64_t tail_size(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return follows_input ? split[r] : bytes[r] > split[r] ? bytes[r] - tail_begin(rank) : 0;
  }
};

/// Places each array in the first room that fits, as near to its beginning as possible: the largest first, or those
/// that end last first, whichever takes less. A shared array gets a shared room, any other one a room that is not.
std::vector<ArrayPlace> place_arrays(const std::vector<TimedArray>& arrays, const std::vector<ArrayRoom>& rooms);

/// One past the last byte of the arrays in a room.
std::size_t end_in(int room, const std::vector<ArrayPlace>& places);

}  // namespace shardfft
