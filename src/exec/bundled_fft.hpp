#pragma once
// Transforms in bundles: lines are copied into a core's own cache, transformed there, and written once. Each pass reads
// and writes memory once, for any strides; the FFT library works only in cache.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "exchange/operation_context.hpp"
#include "exec/bundle_shape.hpp"
#include "exec/local_ffts.hpp"
#include "exec/operation.hpp"
#include "geometry/schedule.hpp"
#include "schedule/local_transform.hpp"
#include "tune/defaults.hpp"
#include "verify/box_rows.hpp"
#include "verify/lines_check.hpp"

namespace shardfft {

/// One rank's transform between two states, to be cut in bundles.
struct BundledFftSetup : LocalTransform, OperationContext {
  int rank = 0;
  Precision precision = Precision::f64;
  Effort effort = Effort::measure;
  StepFfts ffts{};  ///< of the plan: made before the first run
  Layout from{};    ///< layout of the owners from whose arrays the elements of `before` are read
  Layout to{};      ///< layout of the owners to whose arrays the elements of `after` are written
  /// Of divided arrays (geometry/staying_part.hpp): the places of their elements, in place of those that `from` and
  /// `to` name.
  std::optional<Layout> sources{}, targets{};
  int divided = -1;   ///< the axis along which `targets` has several pieces of a rank
  bool pads = false;  ///< `from` has only the first points of the lines: zeroes follow
  /// Results of at least this number of bytes are written past the cache.
  std::size_t bytes_past_cache = host_defaults().bytes_to_write_past_cache;
  std::shared_ptr<LinesCheck> check{};  ///< with the option verify: adds up lines and results
  std::int64_t bundle_bytes = 0;        ///< at most, unless a line is longer; 0: chosen by the cache. Tests lower it
  /// In chunks, messages are tested about once for this number of bytes; a task has at least a 64th. Tests lower it.
  std::int64_t block_bytes = host_defaults().chunk_block_bytes;
};

/// The arrays of the ranks of `from`.
class LineSource {
 public:
  virtual ~LineSource() = default;
  /// The array of rank `peer`, if this process can address it; else null.
  virtual const std::byte* here(int peer) const = 0;
  /// If here() is null: copies elements of an owner into a bundle's lines. `scratch` has the bytes of give_fetch().
  virtual void fetch(const PeerCopy& copy, std::byte* lines, std::byte* scratch) const = 0;
};

/// The arrays of the ranks of `to`, in memory that this process can address.
class LineTarget {
 public:
  virtual ~LineTarget() = default;
  virtual std::byte* array(int peer) const = 0;
};

/// This rank's own array; for a divided one also `kept`, as the array of a rank behind the last one.
class OwnTarget : public LineTarget {
 public:
  explicit OwnTarget(std::byte* array, std::byte* kept = nullptr, int ranks = -1)
      : array_(array), kept_(kept), ranks_(ranks) {}
  std::byte* array(int peer) const override { return peer == ranks_ ? kept_ : array_; }

 private:
  std::byte *array_, *kept_;
  int ranks_;
};

/// As an operation it transforms this rank's own array, also in place if it keeps its numbers; else any owners' arrays.
class BundledFft : public Operation {
 public:
  explicit BundledFft(const BundledFftSetup& setup);
  /// Sets the bytes of scratch for each LineSource::fetch().
  void give_fetch(std::size_t bytes) { fetch_bytes_ = bytes; }
  /// Of all threads together; known after the plan's transforms are made.
  std::size_t scratch_bytes() const override;
  std::size_t table_bytes() const override;
  bool runs_in_place() const override { return setup_.step.keeps_numbers(); }
  void run(const std::byte* in, std::byte* out, std::byte* scratch) override;
  void keep(std::byte* array) override { kept_ = array; }
  /// `scratch` has scratch_bytes(). During the transform of a bundle, lines of the next one are prefetched if this
  /// process can address them.
  void run(const LineSource& source, const LineTarget& target, std::byte* scratch);
  /// Calls visit(copy, times) for all copies that run() fetches: `times` copies of this shape.
  template <class Visit>
  void for_each_gather(const Visit& visit) const {
    for (const Bundle& bundle : bundles_)
      for (const OwnersBox& g : bundle.gather) visit(g.copy, bundle.times);
  }
  std::string describe() const override;

  /// Whether one line (all transformed axes) is small enough for bundles, and the whole large enough.
  static bool worth_it(const BundledFftSetup& setup);
  static bool worth_it(const BundledFftSetup& setup, std::int64_t longest_line, std::int64_t cache);

 protected:
  OwnTarget own_target(std::byte* out) const { return OwnTarget(out, kept_, setup_.before.layout.ranks()); }

 private:
  /// A copy between a bundle and an owner's array.
  struct OwnersBox {
    PeerCopy copy;
    std::int64_t step = 0;  ///< elements in the owner's array from one bundle of a row to the next
  };
  /// A row of `times` bundles that differ by steps in memory. Plans keep rows instead of single bundles: their size
  /// does not grow with the batch.
  struct Bundle {
    std::vector<OwnersBox> gather, store;
    std::int64_t times = 1;
    const LocalFft* fft = nullptr;
    std::size_t lines = 0;                             ///< their number in the check
    bool check_fetches = false, check_stores = false;  ///< which also makes the copies
  };

  std::string describe_check() const;
  void cut(const Piece& piece, const Piece& result);
  void choose_row_axis(const Piece& piece, const Piece& result);
  bool is_worth_turning(const Piece& piece) const;
  Piece results_of(const IndexSet& set, const Piece& lines, const Piece& result) const;
  IndexSet set_of(const Piece& piece, const BundleBlocks& at) const;
  std::shared_ptr<PlannedFft>& fft_of(const Piece& lines, const Piece& results);
  void add(const Piece& piece, const Piece& result, const BundleBlocks& at, std::int64_t times);
  /// Scratch of one thread: the lines of a bundle, their results, and scratch of the transform.
  std::size_t thread_bytes() const;
  /// One thread of a run.
  struct Worker {
    int thread;
    std::byte* scratch;
    Trace* trace;
  };
  /// One bundle of a row.
  struct BundleInRow {
    const Bundle* bundle;
    std::int64_t index;
  };
  BundleInRow bundle_numbered(std::int64_t number) const;
  void take_rows(const BundleInRow& at, const LineSource& source, BoxRows& rows) const;
  void gather(const BundleInRow& at, const LineSource& source, const Worker& worker) const;
  void store(const BundleInRow& at, const std::byte* result, const LineTarget& target, const Worker& worker) const;

  BundledFftSetup setup_;
  std::size_t in_bytes_;
  std::size_t out_bytes_;
  std::vector<BoxRows> ahead_;    ///< by thread: rows of its next bundle
  std::size_t line_bytes_ = 0;    ///< scratch of a bundle before the transform
  std::size_t result_bytes_ = 0;  ///< and after it, if that is another place
  std::size_t fetch_bytes_ = 0;   ///< scratch of a fetch; later the place of results and of the transform's scratch
  bool stream_ = false;
  bool scatters_ = false;  ///< results are also written to other ranks' arrays
  bool turns_ = false;     ///< each line of the results is contiguous in scratch
  std::map<std::vector<std::int64_t>, std::shared_ptr<PlannedFft>> ffts_;
  BundleBlocks block_{};           ///< indices of a bundle along each axis
  BundleBlocks count_{};           ///< bundles along each axis
  std::size_t row_axis_ = 0;       ///< the axis along which rows run
  std::int64_t row_length_ = 1;    ///< of rows of whole bundles; a shorter last one is a row of its own
  std::int64_t bundle_count_ = 0;  ///< product of count_
  std::vector<Bundle> bundles_;    ///< by row, in row-major order of the axes
  std::string text_;
  std::byte* kept_ = nullptr;
};

}  // namespace shardfft
