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
  /// Where transforms run: cpu, or gpu (builds with SHARDFFT_GPU; docs/gpu.md).
  std::string processor = "cpu";
  /// gpu only: where the arrays given to forward and backward live: host, registered (host memory that the plan pins
  /// once), managed, device; auto asks the GPU runtime at every call.
  std::string memory = "auto";
  /// gpu only: this rank's GPU; -1 is its number on its host modulo the GPUs there. Ranks may differ.
  int device = -1;
  /// gpu only: the caller's stream (a cudaStream_t). Calls then return as soon as the work is enqueued, where memory
  /// and exchange allow. Null: a stream of the plan's own, and calls return when the result is there.
  void* stream = nullptr;
  /// slab, pencil, brick, cyclic, six_step, cannon, cannon_transposed, cannon_hybrid, or auto.
  std::string algorithm = "auto";
  /// A name from `exchange_names()`, or from `device_exchange_names()` on GPUs, or auto.
  std::string exchange = "auto";
  /// A name from `local_fft_names()`, or auto: the fastest in a trial of 2 s at most, or with effort estimate the one
  /// expected to be the fastest on this processor.
  std::string local_fft = "auto";
  Norm norm = Norm::backward;
  Effort effort = Effort::measure;
  /// Axes to transform; empty means all. For real transforms the last entry is the halved axis.
  std::vector<int> axes{};
  /// c2r only: extent of the halved axis in the real array; 0 means 2 (n - 1), as NumPy's irfft.
  std::int64_t real_extent = 0;
  /// Fields of the same layout, one behind the other in memory, transformed together.
  std::int64_t batch = 1;
  /// Chunks that exchanges and the transforms next to them are cut into, so that the messages of one chunk travel while
  /// others are transformed; 1 cuts nothing. `shared_window` sends nothing to overlap and is not cut. report() tells.
  int chunks = 1;
  /// OpenMP threads of each rank.
  int threads = 1;
  /// Process grid: of the intermediate pencils, {p1, p2}, for pencil and brick ({p1} for arrays of two axes); one entry
  /// an axis for cannon*. Empty lets the algorithm choose. auto with a grid is pencil; slab, cyclic and six_step refuse
  /// one.
  Shape grid{};
  /// Plan for forward(x, x): best when input and output are the same buffer. Both ways are always correct.
  bool in_place = false;
  /// Agree over all ranks on what they call and on bad arguments (one small all-reduce a call), so that none hangs.
  bool check_calls = true;
  /// Seconds that a rank waits, at the beginning of a collective call of the plan, for the others to make the same
  /// call; 0 waits for ever. After it Error(timed_out), and all plans of the communicator refuse all calls
  /// (docs/reliability.md). Needs check_calls.
  double call_timeout = 0;
  /// Ranks per host to pretend, for tests of host-aware exchanges; 0 asks MPI.
  int fake_ranks_per_host = 0;
  /// Write a Chrome trace (Perfetto) to this file when the plan is destroyed; empty writes none.
  std::string trace{};
};

/// Output layout of a plan: what the last stage leaves, or the input's own.
enum class OutputLayout { as_left, natural };
inline constexpr OutputLayout natural_output = OutputLayout::natural;
inline constexpr OutputLayout default_output = OutputLayout::as_left;

std::vector<std::string> algorithm_names();
std::vector<std::string> exchange_names();
/// Exchanges between GPUs; none in builds without GPUs.
std::vector<std::string> device_exchange_names();
std::vector<std::string> local_fft_names();

}  // namespace shardfft
