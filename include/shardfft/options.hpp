#pragma once
// All options of a plan, as data.
#include <cstdint>
#include <string>
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft {

/// The processor that transforms.
enum class Processor { cpu, gpu };

/// The memory of users' arrays (option `memory`).
enum class MemoryModel { automatic, host, registered, managed, device };

/// Time the local FFT library may spend planning.
enum class Effort { estimate, measure, patient };

/// How messages are described to MPI.
enum class Datatypes { derived, basic };

/// How much memory a plan may take beside the arrays.
enum class Workspace { fast, least };

/// docs/options.md says for each option on which processors it has an effect, and which ranks must be given the same.
/// If an option has no effect, only its default is accepted.
struct Options {
  /// The direction that takes the factor 1/N, in NumPy's words; none scales neither direction.
  Norm norm = Norm::backward;
  /// Axes to transform; empty means all. For real transforms the last entry (with transforms, the last that is fft) is
  /// the halved axis.
  std::vector<int> axes{};
  /// The transform along each entry of axes: fft, or a cosine (dct1 to dct4) or sine transform (dst1 to dst4); empty
  /// means fft along all (docs/transforms.md).
  std::vector<AxisTransform> transforms{};
  /// Modes that are kept along each entry of axes, 0 for all of them; empty keeps all along all axes. The spectrum then
  /// has that extent, in the order of fftfreq, and backward pads it with zeroes (docs/transforms.md).
  std::vector<std::int64_t> modes{};
  /// Points that are transformed along each entry of axes, 0 for the array's own; empty pads none. Zeroes follow the
  /// array's points: they are added just before the axis is transformed, and backward removes them just behind it
  /// (docs/transforms.md).
  std::vector<std::int64_t> padded{};
  /// With modes: the treatment of mode -m/2 of an even number m, which has no partner. split is the sum of modes -m/2
  /// and m/2, and half of it for each on the way back; keep is mode -m/2 alone; zero leaves it out
  /// (docs/transforms.md).
  LoneMode lone_mode = LoneMode::split;
  /// c2r only: extent of the halved axis in the real array; 0 means 2 (n - 1), as NumPy's irfft.
  std::int64_t real_extent = 0;
  /// Fields of the same layout, one behind the other in memory, transformed together.
  std::int64_t batch = 1;

  /// How the array is cut between transforms: a name from algorithm_names(), or auto. auto chooses by a rule, or by the
  /// trial of whole runs if the output layout is fixed and effort is above estimate (docs/concepts.md).
  std::string algorithm = "auto";
  /// How data moves between ranks: a name from exchange_names(), on GPUs from device_exchange_names(), or auto. auto
  /// chooses across hosts by the trial of whole runs (effort above estimate; docs/concepts.md), else by a rule.
  std::string exchange = "auto";
  /// Relative L2 error, below 1, that one transform in one direction may have from messages with numbers of fewer bytes
  /// than the arrays'; 0 sends all numbers as they are. Data that stays on its rank, or moves without messages, is
  /// exact; report() shows the choice and the error (docs/exchanges.md).
  double tolerance = 0;
  /// The library that transforms a rank's own data: a name from local_fft_names(), or auto. auto takes for each step
  /// the fastest in a trial of 2 s at most, or with effort estimate the one expected to be the fastest on this
  /// processor; on GPUs cufft.
  std::string local_fft = "auto";
  /// How much a plan measures while it is made. estimate: nothing. measure: local transforms, and whole runs of the few
  /// ways that are likely to be fast. patient: whole runs of all ways, if all ranks are given it (docs/tuning.md). Also
  /// the effort of FFTW's own planning.
  Effort effort = Effort::measure;
  /// Seconds that making the plan may take, with all that it measures; 0: by effort, up to 10 s of whole runs with
  /// measure, 60 s with patient. A plan is made in any case.
  double budget = 0;
  /// Chunks into which exchanges and the transforms next to them are cut, so that messages travel while other chunks
  /// are transformed. 1 cuts nothing; 0 lets the plan choose: on GPUs by the bytes sent and the trial of whole runs, on
  /// CPUs across hosts by that trial (effort above estimate). report() shows the choice (docs/concepts.md).
  int chunks = 0;
  /// The line that a plan's report shows as its way: algorithm, exchange, chunks, libraries and all its other choices.
  /// The plan takes that way and measures nothing. An option that the line sets too is left out, or has the line's
  /// value; a line of another version of the library, or of a plan that differs from this one, is refused.
  std::string way{};
  /// A file of measured ways (docs/tuning.md). A plan that finds its problem there takes that way and measures nothing;
  /// one that measures writes its way there. Empty: the file of SHARDFFT_WISDOM, else this machine's in the cache
  /// folder, is only read; keep: it is written too; none: no file is used. Rank 0 reads and writes.
  std::string wisdom{};
  /// OpenMP threads of each rank, at most 1024.
  int threads = 1;
  /// Process grid: for pencil and brick that of the intermediate pencils, two factors (one for arrays of two axes); for
  /// brick_groups and cannon* a factor for each axis. Empty lets the algorithm choose. With algorithm auto a grid means
  /// pencil; slab, cyclic and six_step refuse one.
  Shape grid{};
  /// Plan for forward(x, x): best when input and output are the same buffer. It must hold in_place_bytes(), for r2c
  /// those of the spectrum. Both ways are always correct. On GPUs memory is then needed for one of the two.
  bool in_place = false;
  /// A c2r transform may overwrite its input, as in cuFFT and FFTW: over several axes it may then need neither a copy
  /// nor an array beside it. Other transforms leave their input as it was.
  bool overwrite_input = false;
  /// fast: as much memory as the fastest way takes. least: forward(x, x) alone, with at most 5 % of the array and 2 MiB
  /// beside it, at the price of more passes over memory and more messages (docs/concepts.md). Exchanges: on CPUs p2p
  /// and pairwise_xor, on GPUs all.
  Workspace workspace = Workspace::fast;
  /// derived: exchanges may describe strided data to MPI by datatypes. basic: they pack by hand and send runs of plain
  /// numbers, for MPI libraries and simulators without derived types; alltoallw then works as alltoallv, and alltoall
  /// and alltoallv refuse blocks of more than 2^31 - 1 elements.
  Datatypes datatypes = Datatypes::derived;

  /// The processor that transforms: cpu, or gpu (in builds with GPU support). A plan over devices of one process takes
  /// it as gpu.
  Processor processor = Processor::cpu;
  /// The memory of the arrays given to forward and backward: host, registered (host memory that the plan pins once),
  /// managed or device; auto asks the GPU runtime at every call.
  MemoryModel memory = MemoryModel::automatic;
  /// The number of this rank's GPU; -1 takes the rank's number on its host, modulo the number of GPUs there.
  int device = -1;
  /// The caller's stream (a cudaStream_t): calls return as soon as the work is enqueued, if memory and exchange allow.
  /// Null is a stream of the plan's own, and calls return when the result is there. Plans over devices of one process
  /// are given theirs by set_streams().
  void* stream = nullptr;

  /// Agree over all ranks on each call and on bad arguments (one small all-reduce a call), so that none waits for ever.
  /// Without it they agree only if they make something together: at the first run, the first apply, report and, on
  /// CPUs, allocate_input and allocate_output.
  bool check_calls = true;
  /// Seconds that a rank waits for others, at the beginning of a collective call of the plan or in the middle of it; 0
  /// waits for ever. After it Error(timed_out), and all plans of the communicator refuse all calls
  /// (docs/reliability.md).
  double call_timeout = 0;
  /// Check every step of every run by sums over its input and output: a bit that memory, network or processor flips
  /// then ends in Error(corrupted) on all ranks (docs/reliability.md gives the cost). On CPUs chunks do not overlap,
  /// and on GPUs calls return when their work has ended. Not with the cannon algorithms.
  bool verify = false;
  /// Write a Chrome trace (for Perfetto) to this file when the plan is destroyed; empty writes none. Rank 0 writes it.
  std::string trace{};
  /// Simulate hosts of this many ranks, for tests of exchanges that know hosts; 0 asks MPI. GPUs of two such hosts do
  /// not reach each other's memory.
  int fake_ranks_per_host = 0;
};

/// Output layout of a plan: that of the algorithm's last stage, or the input's own cuts.
enum class OutputLayout { as_left, natural };
inline constexpr OutputLayout natural_output = OutputLayout::natural;
inline constexpr OutputLayout default_output = OutputLayout::as_left;

std::vector<std::string> algorithm_names();  ///< Values of the option algorithm, without auto.
std::vector<std::string> exchange_names();   ///< Those of the option exchange on CPUs, without auto.
/// Exchanges between GPUs; none in builds without GPUs.
std::vector<std::string> device_exchange_names();
std::vector<std::string> local_fft_names();

}  // namespace shardfft
