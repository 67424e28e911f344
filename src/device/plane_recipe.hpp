#pragma once
// How a plane kernel of some size is made, and the choice of it by what the hardware has.
#include <functional>
#include <vector>

#include "device/line_recipe.hpp"
#include "device/plane_cut.hpp"

namespace shardfft::device::lines {

constexpr PlaneCut square(const LineCut& line, int width, int groups) { return {line, line, width, width, groups}; }

/// The cuts of the plane kernels that are compiled with the library.
inline constexpr PlaneCut own_planes[] = {
    square({128, 8, 2, {8, 16}}, 16, 4),     square({256, 16, 2, {16, 16}}, 8, 4),
    square({384, 16, 3, {8, 8, 6}}, 4, 4),   square({512, 32, 3, {16, 8, 4}}, 8, 2),
    square({768, 32, 3, {8, 8, 12}}, 4, 2),  square({1024, 64, 3, {16, 16, 4}}, 8, 1),
    square({1536, 64, 3, {8, 8, 24}}, 4, 1),
};
/// Planes of n rows of m points; null where there is none.
inline const PlaneCut* own_plane_cut(std::int64_t n, std::int64_t m) {
  for (const PlaneCut& cut : own_planes)
    if (cut.columns.n == n && cut.rows.n == m) return &cut;
  return nullptr;
}

/// Bytes of shared memory that a block with such tiles asks for. They depend on the precision by the twiddles alone.
inline int shared_bytes(const PlaneCut& cut, Precision precision, bool checks = false) {
  const int factor_bytes = precision == Precision::f64 ? 16 : 8;
  return checks ? cut.checked_bytes(factor_bytes) : cut.bytes(factor_bytes);
}

/// Recipes for planes of n rows of m points, the best one first; none where line kernels have none for one of the
/// lengths, or where a tile of two lines or columns does not fit into shared memory. Needs bulk copies.
std::vector<PlaneCut> plane_cuts(int n, int m, const Hardware& hardware);

/// What a thread of a recipe's compiled kernels keeps in memory because it has no registers left.
using StackBytes = std::function<int(const PlaneCut&)>;
using Begin = std::function<void(const PlaneCut&)>;

/// An estimate of the time of a plane, as if registers held all that a thread has.
double time_of(const PlaneCut& cut);
/// With what its threads keep in memory.
double time_of(const PlaneCut& cut, int stack_bytes);
/// With what they are likely to keep there, as long as the recipe has not been compiled.
double expected_time_of(const PlaneCut& cut);
/// Those that fastest() looks at: the first few, without those that have no more registers for the same lines than one
/// before.
std::vector<const PlaneCut*> worth_compiling(const std::vector<PlaneCut>& cuts);
/// The recipe of the least estimated time, in which stack counts: 176 bytes were a third of a pass's time, 50 bytes a
/// tenth at most (H200), and 40 to 80 bytes as much as the next recipes without (H100). `cuts`, of which there are
/// some, are in the order of the expected time; only the first few are compiled. `begin` is told of those whose stack
/// may be asked for next.
const PlaneCut& fastest(const std::vector<PlaneCut>& cuts, const StackBytes& stack_bytes, const Begin& begin = {});

/// The recipes for planes there: that of the kernel compiled with the library alone, else all, where there is a
/// compiler.
std::vector<PlaneCut> plane_cuts_for(int n, int m, const Hardware& hardware, bool compiles);

}  // namespace shardfft::device::lines
