#pragma once
// Every number that was measured on some machine and stands for the machines of its class: one struct a class, one
// place. No number here decides alone whether a result is right; it decides about speed. Code asks for a number by its
// meaning, never by a size or by the machine of the measurement.
#include <array>
#include <cstddef>
#include <cstdint>

namespace shardfft {

inline constexpr std::size_t kibibyte = std::size_t{1} << 10;
inline constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Numbers of hosts. They were measured on Xeons with 2 and with 32 cores and 1 to 2 MiB of cache for each core.
struct HostDefaults {
  /// A core's own cache if the system does not tell its size.
  std::int64_t own_cache_bytes = mebibyte;
  /// A bundle of lines takes one part in this many of a core's own cache. Larger bundles have longer runs in memory;
  /// smaller ones leave more room for the lines of source and result, which pass through the cache too.
  std::int64_t bundles_in_own_cache = 8;
  /// If the array of a transform of several axes has more elements than this, it runs axis by axis: this costs passes
  /// over memory, and saves the long strides of the slowest axis.
  std::int64_t elements_beyond_own_cache = std::int64_t{1} << 18;
  /// Results of this many bytes a rank are written past the cache without a trial: no line is read before it is
  /// written, but the next reader of the result finds none of it in cache.
  std::size_t bytes_to_write_past_cache = 24 * mebibyte;
  /// Runs shorter than this are still written through the cache: a line written in part is written twice.
  std::int64_t run_bytes_to_write_past_cache = 256;
  /// Addresses this far apart share a set of a core's own cache: its bytes divided by its ways (AMD: 1 MiB by 8, Intel:
  /// 2 MiB by 16).
  std::int64_t cache_way_bytes = 128 * kibibyte;
  /// Runs of owners' arrays that a bundle reads or writes if its own runs are along another axis: runs of this many
  /// bytes can still be written past the cache.
  std::int64_t run_bytes_worth_a_bundle = 256;
  /// memcpy copies runs longer than this; shorter ones are copied in line, without a call.
  std::int64_t run_bytes_worth_a_call = 128;
  /// A copy that forms sums on its way prefetches this many bytes: as many as memory delivers during the sums. More
  /// would evict data from the first cache before they are added up.
  std::int64_t copied_bytes_ahead = 8 * kibibyte;
  /// A copy uses one thread more for each this many bytes: smaller copies end before threads have started.
  std::int64_t copy_bytes_worth_a_thread = 64 * kibibyte;
  /// Bytes that a backend transforms at once if a pass of our own follows: more means fewer calls, and less that is
  /// still in cache for the pass.
  std::int64_t bytes_cached_between_passes = 256 * kibibyte;
  /// Bytes that FFTW transforms in one call: its plans for more are no better, and take longer to make.
  std::int64_t fftw_bytes_a_call = 32 * mebibyte;
  /// A chunk's transform is cut in blocks of this many bytes: messages progress between blocks, but small blocks make
  /// slow transforms.
  std::int64_t chunk_block_bytes = 4 * mebibyte;
  /// A chunk's transform is never cut in more blocks than this.
  std::int64_t most_chunk_blocks = 8;
  /// Arrays of other processes that must be reordered are read through a buffer of this size: larger buffers need fewer
  /// calls of the system, smaller ones stay in cache.
  std::int64_t cross_read_buffer_bytes = 256 * kibibyte;
  /// The cost of reading another process's array, in nanoseconds: the kernel looks each run up in the page table, and
  /// copies each byte more slowly than memcpy. For runs of 64 bytes to 64 KiB (bench/results/measurements.md).
  double cross_read_run_ns = 250;
  double cross_read_byte_ns = 0.15;
  /// The cost of the alternative: a copy of the array into shared memory, and reading it there.
  double staged_byte_ns = 0.15;
  double shared_byte_ns = 0.10;
  /// If others read rows of at least this many bytes, those alone are copied there, and not the whole array.
  std::int64_t staged_row_bytes = 256;
  /// Blocks that two ranks swap in place go through a buffer of this size.
  std::int64_t swap_buffer_bytes = mebibyte;
  /// The libraries for local transforms are tried for at most this long, in `trial_rounds` rounds: with more rounds
  /// other work disturbs less, but plans take longer to make.
  double trial_seconds = 2;
  /// They are tried for at least this long, even if the transforms are short: shorter trials measure noise, and nobody
  /// notices this time while a plan is made.
  double trial_least_seconds = 0.06;
  int trial_rounds = 8;
  /// In one round, one transform runs repeatedly for this long, but at most `trial_slice_runs` times: longer than a
  /// clock's tick and an interrupt, and short beside the whole trial.
  double trial_slice_seconds = 0.5e-3;
  std::int64_t trial_slice_runs = 1000;
  /// The most bytes of an array in a trial: of larger batches a part is run, and its time multiplied. More is nearer to
  /// the whole transform, and takes longer.
  std::int64_t trial_sample_bytes = 32 * mebibyte;
  /// Nothing is tried if one line alone is larger than this.
  std::size_t trial_most_bytes = 1024 * mebibyte;
  /// Another library must take less than this share of the expected one's time: smaller differences are noise, and a
  /// plan made again should get the same library.
  double trial_clearly_less = 0.97;
  /// Numbers of chunks that are tried. The first was the fastest or near it on two hosts with 1 and 10 Gbit/s between
  /// them; there may be no time for the others.
  std::array<int, 3> chunks_to_try = {32, 8, 4};
  /// Whole runs are tried for at most this long: over a network they take longer than local transforms ...
  double run_trial_seconds = 10;
  /// ... and for at most as long as this many runs take.
  double run_trial_runs = 30;
  /// The same limit for effort patient: time for every candidate in a search over some ten of them.
  double patient_trial_seconds = 60;
  /// Shares of a plan's budget within which libraries for local transforms must have planned, and been tried.
  double budget_of_libraries = 0.5, budget_of_library_trial = 0.25;
  /// If ranks take every core of a host, or with effort patient, runs are tried in which only these shares of them
  /// transform: memory and caches may serve fewer ranks better. On 64 virtual cores, of whose time the hypervisor took
  /// 4 to 13 % away, none of 8 plans took fewer (docs/performance.md).
  std::array<double, 2> shares_of_ranks_to_try = {0.75, 0.5};
  /// Without effort patient, fewer ranks than this never rest: each does more work than it may delay the others.
  int ranks_that_may_rest = 8;
  /// A candidate with another algorithm may need at most this many times the memory of the expected one.
  double trial_most_memory = 1.1;
  /// A candidate that took this many times as long as the fastest one is not run again: noise is smaller, and the time
  /// is better spent on the others.
  double trial_hopeless = 1.3;
  /// Rounds of polling for a turn before a rank yields its core: more reacts faster, and takes time from others.
  int spins_before_yield = 2000;
  /// A rank's matrix product is cut in this many slices, for threads and for calls of MPI between them ...
  std::int64_t product_slices = 64;
  /// ... but in none narrower than this: narrow products are slow.
  std::int64_t least_product_width = 64;
  /// Calls of MPI between the slices of one product: each lets messages progress, and costs a little.
  std::int64_t progress_calls_a_product = 16;
};

/// Numbers of hosts whose GPUs reach each other's memory over NVLink and a switch. They were measured on two and four
/// H200.
struct PeerGpuDefaults {
  /// A reshape and its transforms are cut in chunks of at least this many bytes: from 75 MB on, smaller chunks were
  /// never slower unless their rows were short, and less time passes before the first copy and after the last one.
  std::size_t pipeline_chunk_bytes = 64 * mebibyte;
  /// At most this many chunks.
  int most_pipeline_chunks = 16;
  /// If one end is cut, or each end along an axis of its own, each peer gets as many messages as the square root of its
  /// bytes divided by these.
  std::size_t bytes_worth_a_copy = 8 * mebibyte;
  /// A pass along one axis takes this share of the time in which the links send as many bytes, so that this share can
  /// be sent meanwhile. The pass is bound by memory ...
  double line_pass_in_link_time = 0.22;
  /// ... and a pass over several axes, as planes, by the L2 cache.
  double plane_pass_in_link_time = 0.35;
  /// Bytes that the links send in the fixed time of a copy to a peer ...
  std::size_t bytes_in_a_copy = 4 * mebibyte;
  /// ... and in that of a piece of a transform.
  std::size_t bytes_in_a_launch = 6 * mebibyte;
  /// Three GPUs and more send in turn if an array has at least this many bytes a GPU: a GPU then receives from one
  /// other at a time, at the price of a wait before each copy.
  std::size_t bytes_worth_turns = 256 * mebibyte;
  /// The pass before a reshape stores into the other GPUs' memory up to this many bytes a GPU; beyond, copies beside
  /// the passes are faster. Measured with slabs in equal shares on two GPUs, and used for all layouts and teams.
  std::size_t most_bytes_to_store = 48 * mebibyte;
  /// The same limit for planes in one pass, which computes more while its stores are under way, in rows of whole runs
  /// of memory. With other rows, from 80 MiB on, four H100s took 1.2 times as long as with copies forward, and about as
  /// long backward. With 128 MiB H100s took 0.84 to 0.97 of the time with copies, and H200s the same time; with 216 MiB
  /// they took longer.
  std::size_t most_bytes_to_store_planes = 128 * mebibyte;
  /// Complex rows that begin within 16 bytes are padded between passes from this many bytes a GPU on: this gives planes
  /// in one pass, for more bytes to send and another array.
  std::size_t bytes_worth_padding = 48 * mebibyte;
  /// Copy engines reach the links' full speed from rows of this many bytes on; kernels copy shorter ones faster.
  std::size_t engine_row_bytes = kibibyte;
  /// Messages of more copies than this go by engines only if ...
  std::int64_t few_engine_calls = 4;
  /// ... each copies at least this many bytes: a call costs as much as kernels take for many small rows.
  std::size_t engine_call_bytes = 32 * mebibyte;
  /// Engines never send messages of more calls than this.
  std::int64_t most_engine_calls = 4096;
  /// Messages of this many bytes are sent one after the other, in an order in which no receiver gets two at once.
  std::size_t bytes_worth_an_order = 4 * mebibyte;
  /// Rows longer than an engine's piece that end with a short piece are sent as two copies ...
  std::size_t engine_piece_bytes = 8 * kibibyte;
  /// ... from this many bytes in all on: for less a second call costs more than it saves.
  std::size_t bytes_worth_two_copies = 4 * mebibyte;
};

/// Numbers of one GPU with a large shared L2 cache. They were measured on an H200.
struct GpuDefaults {
  /// Arrays of this many elements use line and plane passes in place of the vendor's transforms of several axes: fewer
  /// passes over memory, more launches.
  std::int64_t elements_worth_passes = std::int64_t{1} << 21;
  /// Calls of the vendor's library alone are tried from this many elements on: of fewer, a plan is not worth a trial.
  std::int64_t elements_worth_trying = std::int64_t{1} << 17;
  /// A function of ours is linked into the vendor's kernels from this many elements on, which takes time and saves a
  /// kernel that scales: with effort patient always.
  std::int64_t elements_worth_linking = 1;
  /// Strided lines are made contiguous in pieces of this many bytes: larger ones need more memory, smaller ones more
  /// launches; with 32 MiB it took a tenth to a sixth longer.
  std::int64_t transposed_piece_bytes = 256 * mebibyte;
  /// Up to this length the vendor's strided transforms in double precision run in one pass; of longer lines only powers
  /// of two are fast.
  std::int64_t longest_strided_line = 512;
  /// If the vendor's transforms need more calls than this, two copies through dense memory are cheaper.
  std::int64_t most_vendor_calls = 64;
  /// Device memory that NCCL's buffers take, about: with less left, NCCL's own failure would be harder to explain.
  std::size_t nccl_bytes = 64 * mebibyte;
  /// Seconds for which processes of a host wait for another one that compiles a kernel: several times a compilation.
  /// After that each compiles its own.
  int longest_kernel_wait = 30;
  /// Ways to make a transform are compared by the fastest of this many runs after a first one: with more runs other
  /// work disturbs less, but plans take longer to make.
  int trial_runs = 3;
  /// ... or, if they take less than this time together, of up to ten times as many.
  double trial_least_seconds = 0.5e-3;
  /// Ways whose times differ by less than this share are equal: of these, the one with the least memory is taken.
  double trial_equal = 0.015;
  /// A way that took this many times as long as the fastest one so far is not run again: runs of one way differ by a
  /// tenth at the most ...
  double trial_hopeless = 1.3;
  /// ... except its first run, in which kernels may be loaded for this many milliseconds.
  double trial_load_ms = 5;
  /// Large memory is allocated in whole pages of this many bytes: GPUs of other processes write slowly into allocations
  /// that are no whole number of them.
  std::size_t large_page_bytes = 2 * mebibyte;
  /// Blocks of 256 threads a multiprocessor that walk over an array element by element ...
  int pointwise_blocks = 32;
  /// ... and row by row: more blocks balance better, fewer begin less often.
  int copy_blocks = 64;
};

inline const HostDefaults& host_defaults() {
  static constexpr HostDefaults defaults;
  return defaults;
}
/// The defaults in force. Tests set those of smaller GPUs, which run small arrays as larger ones run large arrays.
inline PeerGpuDefaults given_peer_gpu_defaults;
inline GpuDefaults given_gpu_defaults;
inline const PeerGpuDefaults& peer_gpu_defaults() { return given_peer_gpu_defaults; }
inline const GpuDefaults& gpu_defaults() { return given_gpu_defaults; }

}  // namespace shardfft
