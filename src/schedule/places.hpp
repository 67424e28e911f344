#pragma once
// Places for the arrays of a rank: two arrays may share bytes if their turns do not meet. Pure geometry.
#include <cstddef>
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

/// Places each array in the first room that fits, as near to its beginning as possible: the largest first, or those
/// that end last first, whichever takes less. A shared array gets a shared room, any other one a room that is not.
std::vector<ArrayPlace> place_arrays(const std::vector<TimedArray>& arrays, const std::vector<ArrayRoom>& rooms);

/// One past the last byte of the arrays in a room.
std::size_t end_in(int room, const std::vector<ArrayPlace>& places);

}  // namespace shardfft
