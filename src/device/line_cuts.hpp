#pragma once
// All ways to cut a line into stages and threads, and what each costs.
#include <vector>

#include "device/line_cut.hpp"

namespace shardfft::device::lines {

inline constexpr int most_threads = 1024;  ///< of a thread block
inline constexpr int most_points = 32;     ///< of a thread
inline constexpr int warp = 32;

/// Lines of n points in as few stages as they can have, for every order of the radices, and for teams of one thread;
/// none where n has other prime factors than 2 to 13.
std::vector<LineCut> cuts_in_stages(int n);
/// Registers that a thread needs: four a number, addresses, and what a butterfly of an odd prime keeps beside them.
int registers_for(const LineCut& line);
/// Time of a line, in arbitrary units a point, where so many warps share a multiprocessor: work of all butterflies, and
/// of each stage the time that its longest thread takes alone, which too few warps cannot hide.
double cost(const LineCut& line, double warps);

}  // namespace shardfft::device::lines
