#pragma once
// The check of a transform step on CPUs (option verify). It sums lines while they are in cache, or a whole array, and
// the bits that come from and go to each rank.
#include <map>

#include "algorithm/program.hpp"
#include "geometry/schedule.hpp"
#include "verify/move_check.hpp"
#include "verify/transform_check.hpp"

namespace shardfft {

/// The step to check, and the moves of data before and behind it.
struct LinesCheckSetup {
  TransformStep step;
  bool is_complex = true;  ///< the input
  Precision precision = Precision::f64;
  double scale = 1;
  int threads = 1;
  /// The move before the step, whose result this check sums. Null: the step reads an array of its own rank.
  std::shared_ptr<MoveSums> from;
  /// The move behind the step, whose source this check sums. Null: there is none, or the move sums its source itself.
  std::shared_ptr<MoveSums> to;
  bool gathers = false;      ///< the step makes the move before it: it reads lines from their owners' memory
  bool scatters = false;     ///< the step makes the move behind it: it copies each part of the results to its owner
  bool walks_input = false;  ///< with `gathers`: no other check sums the source of the move before, so this one does
  bool last = false;         ///< no other step reads the result
};

class LinesCheck : public HostCheck {
 public:
  explicit LinesCheck(const LinesCheckSetup& setup);

  /// Announces lines that are transformed at once, in an array of their own, and their results. Returns the number by
  /// which they are known from then on. Lines of the same shape between the same ranks have the same number.
  std::size_t add(const Piece& lines, const Piece& results);
  /// Announces that the step transforms one whole array. Then before() and after() sum it.
  void add_whole(const Piece& lines, const Piece& results);
  /// Whether fetch() can make the copies that gather the lines which were added last, one for each owner, and store()
  /// the copies that store their results. If so, these copies are known by their place in the list from then on.
  bool joins_gather(std::size_t number, const std::vector<PeerCopy>& gather);
  bool joins_store(std::size_t number, const std::vector<PeerCopy>& store);
  /// Whether all lines that differ only in their position along this axis come from and go to the same ranks.
  bool alike_along(int axis) const;
  /// Called by one of the threads between before() and after(): sums lines that have come, or results that are there.
  void lines(int thread, std::size_t number, const std::byte* array);
  void results(int thread, std::size_t number, const std::byte* array);

  /// As lines() and results(), for lines whose copies were joined: makes copy number `copy` and sums the copied
  /// numbers, in the order of the list. Lines come from `source` at their owner; results go to `out` there, perhaps
  /// past the cache. Both point to the beginning of the copy's loops.
  void fetch(int thread, std::size_t number, std::size_t copy, const std::byte* source, std::byte* array);
  void store(int thread, std::size_t number, std::size_t copy, const std::byte* array, std::byte* out, bool past_cache);

  void before(const std::byte* in, bool compares_bits) override;
  void after(const std::byte* out) override;
  Finding finding() const override { return finding_; }
  std::span<const std::uint64_t> sent() const override;
  std::span<const std::uint64_t> received() const override;
  std::size_t table_bytes() const override;

 private:
  struct OwnerSums {
    std::size_t rank;  ///< owner of the bits; 0 if no other rank is concerned
    CheckPart sums;
  };
  struct Lines {
    const TransformCheck* check;
    std::vector<OwnerSums> in, out;
  };
  using Key = std::vector<std::int64_t>;
  /// The sums of one thread in this run.
  struct Worker {
    CheckSums in, out;
    std::vector<std::uint64_t> received, sent;  ///< sums of bits by rank, or one sum if no other rank is concerned
    std::int64_t checks = 0;
    double residual = 0;
    std::string what;
  };

  const TransformCheck& check_of(const FftSpec& spec);
  std::vector<OwnerSums> parts(const CheckSide& side, const Piece& piece, const Layout* owners, Key& key) const;
  std::vector<CheckCut> cuts(const Piece& piece, const IndexSet& part, const CheckSide& side) const;
  bool join_each(std::vector<OwnerSums>& parts, const std::vector<PeerCopy>& copies, bool owners, CopySide side);
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
  Finding finding_;
};

}  // namespace shardfft
