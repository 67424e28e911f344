#pragma once
// Divides arrays between steps that are too large for a user's array, or that are read while its first bytes are
// written.
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/plan/staging_bytes.hpp"
#include "schedule/compile.hpp"
#include "schedule/places.hpp"

namespace shardfft::gpu {

/// The bytes of the array before a reshape, or behind it, that a piece or a message of a rank reads or writes there. If
/// the piece is at the other end of the reshape, those are the data that stays on its rank.
struct UsedBytes {
  std::vector<std::vector<Bytes>> before{}, messages{}, after{};
};
/// By piece or message: whether those bytes are in the workspace.
std::vector<bool> in_tail(const DividedArray& divided, int rank, const std::vector<std::vector<Bytes>>& used);
UsedBytes used_bytes(const Joined& steps, const Pieces& cut, int rank, Precision precision, bool behind);

/// Divides an array of a program if that is possible on all ranks, with at least half of it in the user's array.
/// `cuts`: the pieces of each fused task that has several steps. `array_bytes`, `room`: by rank, bytes of the array and
/// of the user's array. In its turns nothing else is in the user's array but the result of the task that reads it last.
std::optional<DividedArray> divide_array(int array, const Lowered& lowered, const std::vector<Pieces>& cuts,
                                         const std::vector<std::int64_t>& array_bytes,
                                         const std::vector<std::int64_t>& room, Precision precision);

}  // namespace shardfft::gpu
