#pragma once
// The recipe of a plane kernel, and its choice by the properties of the hardware.
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
/// Planes of n rows of m points; null if there is none.
inline const PlaneCut* own_plane_cut(std::int64_t n, std::int64_t m) {
  for (const PlaneCut& cut : own_planes)
    if (cut.columns.n == n && cut.rows.n == m) return &cut;
  return nullptr;
}

/// Bytes of shared memory that a block with such tiles asks for. Only the twiddles depend on the precision.
inline int shared_bytes(const PlaneCut& cut, Precision precision, bool checks = false) {
  const int factor_bytes = precision == Precision::f64 ? 16 : 8;
  return checks ? cut.checked_bytes(factor_bytes) : cut.bytes(factor_bytes);
}

/// Recipes for planes of n rows of m points, the best one first. None if one of the lengths has no line kernel, or if a
/// tile of two lines or columns does not fit into shared memory. Needs bulk copies.
std::vector<PlaneCut> plane_cuts(int n, int m, const Hardware& hardware);

/// The stack of a thread of a recipe's compiled kernels: numbers that found no register.
using StackBytes = std::function<int(const PlaneCut&)>;
using Begin = std::function<void(const PlaneCut&)>;

/// An estimate of the time of a plane, if a thread's numbers all fit into registers.
double time_of(const PlaneCut& cut);
/// The same with this stack a thread.
double time_of(const PlaneCut& cut, int stack_bytes);
/// The same with the stack that is likely, for a recipe that is not compiled yet.
double expected_time_of(const PlaneCut& cut);
/// The first few recipes, which fastest() compares. A recipe is left out if an earlier one cuts the same lines with no
/// more threads, and so with no fewer registers.
std::vector<const PlaneCut*> worth_compiling(const std::vector<PlaneCut>& cuts);
/// The recipe of the least estimated time, stack included. 176 bytes of stack cost a third of a pass's time, 50 bytes
/// at most a tenth (H200); 40 to 80 bytes cost as much as the next recipes without stack (H100). `cuts` is not empty
/// and in the order of expected time; only the first few are compiled. `begin` is called with the recipes whose stack
/// may be asked for next.
const PlaneCut& fastest(const std::vector<PlaneCut>& cuts, const StackBytes& stack_bytes, const Begin& begin = {});

/// The recipes for planes on such hardware: only that of the kernel compiled with the library, else, with a compiler,
/// all.
std::vector<PlaneCut> plane_cuts_for(int n, int m, const Hardware& hardware, bool compiles);

}  // namespace shardfft::device::lines
