#pragma once
// All ways to cut a line into stages and threads, and the cost of each.
#include <vector>

#include "device/line_cut.hpp"

namespace shardfft::device::lines {

inline constexpr int most_threads = 1024;  ///< of a thread block
inline constexpr int most_points = 32;     ///< of a thread
inline constexpr int warp = 32;

/// Lines of n points in the fewest possible stages, in every order of the radices, for teams of one thread. None if n
/// has a prime factor above 13.
std::vector<LineCut> cuts_in_stages(int n);
/// Registers that a thread needs: four a number, the addresses, and the temporaries of a butterfly of an odd prime.
int registers_for(const LineCut& line);
/// Time of a line, in arbitrary units a point, if `warps` warps share a multiprocessor: the work of all butterflies,
/// and of each stage the time of its longest thread, which too few warps cannot hide.
double cost(const LineCut& line, double warps);

}  // namespace shardfft::device::lines
