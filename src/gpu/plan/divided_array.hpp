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

/// Divides an array of a program on the next rank, with at least half of it in the user's array; returns false if that
/// is impossible. `divided` has the array's bytes up to this rank, and gets its places. `cuts`: the pieces of each
/// fused task that has several steps. `room`: bytes of the user's array. In its turns nothing else is there but the
/// result of the task that reads it last, or the input of the first task.
bool divide_array(DividedArray& divided, int array, const Lowered& lowered, const std::vector<Pieces>& cuts,
                  std::int64_t room, Precision precision);

}  // namespace shardfft::gpu
