#pragma once
// Transforms in bundles: lines are brought into a core's own cache, transformed there, and written once. Each pass
// reads and writes memory once, whatever the strides; the FFT library only ever sees cache.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "base/aligned.hpp"
#include "base/trace.hpp"
#include "exec/local_ffts.hpp"
#include "exec/operation.hpp"
#include "geometry/schedule.hpp"

namespace shardfft {

/// One rank's transform between two states, to be cut in bundles.
struct BundledFftSetup {
  FftStep step;
  State before;
  State after;
  int rank = 0;
  Precision precision = Precision::f64;
  double scale = 1;
  Effort effort = Effort::measure;
  LocalFfts* ffts = nullptr;  ///< of the plan: made before the first run
  int threads = 1;
  Layout from;  ///< where the elements of `before` are read: the layout of their owners
  Trace* trace = nullptr;
};

class BundledFft {
 public:
  explicit BundledFft(const BundledFftSetup& setup);
  /// Copies elements of an owner in `from` into the lines of a bundle.
  using Fetch = std::function<void(const PeerCopy& copy, std::byte* lines)>;
  /// `out` is this rank's array of `after`.
  void run(const Fetch& fetch, std::byte* out);
  /// The plain way to fetch: from an array of this process.
  void copy_lines(const std::byte* source, const PeerCopy& copy, std::byte* lines) const;
  /// Calls visit(copy) for all that run() fetches.
  template <class Visit>
  void for_each_gather(const Visit& visit) const {
    for (const Bundle& bundle : bundles_)
      for (const PeerCopy& copy : bundle.gather) visit(copy);
  }
  std::string describe() const;

  /// Whether one line (all transformed axes) is small enough to be worth bundling, and the whole large enough.
  static bool worth_it(const BundledFftSetup& setup);

 private:
  struct Bundle {
    std::vector<PeerCopy> gather;
    LocalCopy store;
    const LocalFft* fft = nullptr;
  };

  void cut(const Piece& piece, const Piece& result);
  void add(const IndexSet& set, const Piece& piece, const Piece& result);
  void run_bundle(const Bundle& bundle, const Fetch& fetch, std::byte* out, std::byte* scratch, Trace* trace) const;

  BundledFftSetup setup_;
  std::size_t in_bytes_;
  std::size_t out_bytes_;
  std::size_t line_bytes_ = 0;    ///< scratch of a bundle before the transform
  std::size_t result_bytes_ = 0;  ///< and after it, when that is another array
  bool stream_ = false;
  std::map<std::vector<std::int64_t>, std::shared_ptr<PlannedFft>> ffts_;
  std::vector<Bundle> bundles_;
  AlignedMemory scratch_;
  std::string text_;
};

/// A transform of this rank's own array in bundles. In place too, for c2c.
std::unique_ptr<Operation> make_bundled_fft(const BundledFftSetup& setup);

}  // namespace shardfft
