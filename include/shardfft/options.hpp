#pragma once
// Everything a plan can be told, as data.
#include <cstdint>
#include <string>
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft {

/// Time the local FFT library may spend planning.
enum class Effort { estimate, measure, patient };

struct Options {
  /// slab, pencil, brick, cyclic, six_step, cannon, cannon_transposed, cannon_hybrid, or auto.
  std::string algorithm = "auto";
  /// A name from `exchange_names()`, or auto.
  std::string exchange = "auto";
  /// A name from `local_fft_names()`, or auto.
  std::string local_fft = "auto";
  Norm norm = Norm::backward;
  Effort effort = Effort::measure;
  /// Axes to transform; empty means all. For real transforms the last entry is the halved axis.
  std::vector<int> axes;
  /// c2r only: extent of the halved axis in the real array; 0 means 2 (n - 1), as NumPy's irfft.
  std::int64_t real_extent = 0;
  /// Fields of the same layout, one behind the other in memory, transformed together.
  std::int64_t batch = 1;
  /// Pieces each step is to be cut into so that communication overlaps computation. Reserved: has no effect yet.
  int chunks = 1;
  /// OpenMP threads of each rank.
  int threads = 1;
  /// Process grid of the intermediate pencils, {p1, p2}; empty lets the algorithm choose.
  Shape grid;
  /// Plan for forward(x, x): best when input and output are the same buffer. Both ways are always correct.
  bool in_place = false;
  /// Agree on bad arguments of forward/backward over all ranks (one small all-reduce a call), so none hangs.
  bool check_calls = true;
  /// Ranks per host to pretend, for tests of host-aware exchanges; 0 asks MPI.
  int fake_ranks_per_host = 0;
  /// Write a Chrome trace (Perfetto) to this file when the plan is destroyed; empty writes none.
  std::string trace;
};

/// Output layout of a plan: what the last stage leaves, or the input's own.
enum class OutputLayout { as_left, natural };
inline constexpr OutputLayout natural_output = OutputLayout::natural;
inline constexpr OutputLayout default_output = OutputLayout::as_left;

std::vector<std::string> algorithm_names();
std::vector<std::string> exchange_names();
std::vector<std::string> local_fft_names();

}  // namespace shardfft
