#pragma once
// The check of a transform step on CPUs (option verify): sums of lines while they are in cache, or of a whole array,
// and of the bits that come from and go to each rank.
#include <map>

#include "algorithm/program.hpp"
#include "geometry/schedule.hpp"
#include "verify/move_check.hpp"
#include "verify/transform_check.hpp"

namespace shardfft {

/// What is checked, and between which moves.
struct LinesCheckSetup {
  TransformStep step;
  bool is_complex = true;  ///< the input
  Precision precision = Precision::f64;
  double scale = 1;
  int threads = 1;
  std::shared_ptr<MoveSums> from;  ///< the move before, whose result it adds up; null: it reads an array of this rank's
  std::shared_ptr<MoveSums> to;    ///< the move behind, whose source it adds up; null: none, or who moves does
  bool gathers = false;            ///< the move before is its own
  bool scatters = false;           ///< the move behind is its own: each part of the results is copied by itself
  bool walks_input = false;        ///< then: nobody else adds up the source of that move
  bool last = false;               ///< nobody reads its result
};

class LinesCheck : public StepCheck {
 public:
  explicit LinesCheck(const LinesCheckSetup& setup);

  /// Lines that are transformed at once, in arrays of their own, and their results: known by the number that is
  /// returned. Those of one shape between the same ranks are one.
  std::size_t add(const Piece& lines, const Piece& results);
  /// The step's only lines are these two arrays; before() and after() add them up.
  void add_whole(const Piece& lines, const Piece& results);
  /// Of lines that were added last: whether fetch() can make these copies, one an owner, and store() those.
  bool joins_gather(std::size_t number, const std::vector<PeerCopy>& gather);
  bool joins_store(std::size_t number, const std::vector<PeerCopy>& store);
  /// Whether lines that differ in their place along this axis alone come from, and go to, the same ranks.
  bool alike_along(int axis) const;
  /// In between before() and after(), by one of the threads: lines have come, their results are there.
  void lines(int thread, std::size_t number, const std::byte* array);
  void results(int thread, std::size_t number, const std::byte* array);

  /// The same while they are copied, the `copy`th of those that were joined, in their order: lines from where its loops
  /// begin at their owner, results to where they begin there, perhaps past the cache.
  void fetch(int thread, std::size_t number, std::size_t copy, const std::byte* source, std::byte* array);
  void store(int thread, std::size_t number, std::size_t copy, const std::byte* array, std::byte* out, bool past_cache);

  void before(const std::byte* in, bool compares_bits) override;
  StepBits after(const std::byte* out) override;
  Finding finding() const override { return finding_; }
  std::span<const std::uint64_t> sent() const override;
  std::span<const std::uint64_t> received() const override;
  std::size_t table_bytes() const override;

 private:
  struct Part {
    std::size_t rank;  ///< 0 where no other is concerned
    CheckPart sums;
  };
  struct Lines {
    const TransformCheck* check;
    std::vector<Part> in, out;
  };
  using Key = std::vector<std::int64_t>;
  /// What one thread has added up in this run.
  struct Worker {
    CheckSums in, out;
    std::vector<std::uint64_t> received, sent;  ///< by rank, or one
    std::int64_t checks = 0;
    double residual = 0;
    std::string what;
  };

  const TransformCheck& check_of(const FftSpec& spec);
  std::vector<Part> parts(const CheckSide& side, const Piece& piece, const Layout* owners, Key& key) const;
  std::vector<CheckCut> cuts(const Piece& piece, const IndexSet& part, const CheckSide& side) const;
  bool join_each(std::vector<Part>& parts, const std::vector<PeerCopy>& copies, bool owners, CopySide side);
  std::size_t element_bytes(bool of_input) const;
  static void compare(Worker& worker, const Lines& all, const std::byte* array);
  std::vector<std::uint64_t> total(std::vector<std::uint64_t> Worker::*sums) const;

  LinesCheckSetup setup_;
  std::map<Key, std::unique_ptr<TransformCheck>> checks_;
  std::map<Key, std::size_t> numbers_;
  std::vector<Lines> lines_;
  bool whole_ = false;
  bool adds_input_bits_ = true;  ///< in this run
  std::vector<Worker> workers_;
  std::optional<std::uint64_t> read_;  ///< of the source of its own move
  Finding finding_;
};

}  // namespace shardfft
