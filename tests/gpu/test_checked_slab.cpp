// Slab transforms whose passes check themselves (option verify): results as without checks, no false alarms, and bits
// that flip between the passes, in whichever chunks and parts.
#include "support/device_flips.hpp"
#include "support/seed.hpp"
#include "support/slab_group.hpp"
#include "support/slab_kit.hpp"
#include "verify/verifier.hpp"

namespace shardfft::test {
namespace {

/// All ranks of a slab, with a check of each direction.
template <class T>
class CheckedSlab {
 public:
  CheckedSlab(const SlabShape& shape, SlabOptions options) : shape_(shape) {
    options.checks = true;
    std::vector<int> devices;
    for (int r = 0; r < shape.ranks; ++r) devices.push_back(r % device::device_count());
    group_ = std::make_unique<SlabGroup>(shape, options, devices);
    for (int r = 0; r < shape.ranks; ++r) {
      const device::DeviceScope scope(devices[to_size(r)]);
      ranks_.emplace_back(shape, r);
      streams_.push_back(ranks_.back().stream());
      for (const Direction direction : {Direction::forward, Direction::backward}) add_checks(direction);
    }
  }

  std::size_t parts() { return to_size(group_->rank(0).parts()); }

  /// Both directions.
  void check(const SlabReference& reference) {
    each([&](std::size_t r) { ranks_[r].upload_field(reference); });
    EXPECT_FALSE(run(Direction::forward));
    Norms norms;
    each([&](std::size_t r) { ranks_[r].compare_spectrum(reference, 1, norms); });
    EXPECT_LE(norms.relative(), slab_tolerance(shape_)) << "forward";
    each([&](std::size_t r) { ranks_[r].upload_spectrum(reference); });
    EXPECT_FALSE(run(Direction::backward));
    norms = {};
    each([&](std::size_t r) {
      ranks_[r].compare_field(reference, static_cast<double>(shape_.nx * shape_.ny * shape_.nz), norms);
    });
    EXPECT_LE(norms.relative(), slab_tolerance(shape_)) << "backward";
  }
  /// Every bit counts; `turn`: which of the runs of numbers that the passes are about to read.
  void check_flip(const SlabReference& reference, Direction direction, Moment moment, std::size_t turn) {
    SCOPED_TRACE("flip " + std::to_string(turn) + (direction == Direction::forward ? ", forward" : ", backward"));
    each([&](std::size_t r) {
      direction == Direction::forward ? ranks_[r].upload_field(reference) : ranks_[r].upload_spectrum(reference);
    });
    DeviceFlip flip({0, moment, turn, 0.7, sizeof(T), 1});
    const Installed<DeviceStepHook> installed(flip);
    EXPECT_TRUE(run(direction));
    EXPECT_TRUE(flip.happened());
  }

 private:
  struct OfRank {
    gpu::SlabChecks checks;
    std::vector<gpu::DeviceCheck*> all;
    device::Memory sums;
    std::vector<std::uint64_t> results;
    std::size_t bytes() const { return results.size() * sizeof(std::uint64_t); }
  };

  void add_checks(Direction direction) {
    const int rank = static_cast<int>(ranks_.size()) - 1;
    OfRank& made = checks_[at(direction)].emplace_back();
    gpu::DeviceChecks checks = gpu::make_slab_checks(shape_, rank, direction, group_->rank(rank).copied(), made.checks);
    for (const auto& check : checks) {
      made.all.push_back(check.get());
      made.results.resize(made.results.size() + check->results());
    }
    made.sums = device::make_memory(made.bytes());
    auto* sums = static_cast<std::uint64_t*>(made.sums.get());
    const std::uint64_t* results = made.results.data();
    for (gpu::DeviceCheck* const check : made.all) {
      check->place(0, sums, results, nullptr);
      sums += check->results();
      results += check->results();
    }
    for (std::size_t i = 0; i < checks.size(); ++i)
      checks[i]->stand_between(i > 0 ? made.all[i - 1] : nullptr, i + 1 < checks.size() ? made.all[i + 1] : nullptr);
    std::vector<std::vector<std::shared_ptr<StepCheck>>> tasks(1);
    for (auto& check : checks) tasks.front().push_back(std::move(check));
    verifiers_[at(direction)].emplace_back(rank, shape_.ranks, std::move(tasks), std::vector<std::string>{"slab"});
  }

  /// Whether the checks find that something is wrong.
  bool run(Direction direction) {
    auto& checks = checks_[at(direction)];
    auto& verifiers = verifiers_[at(direction)];
    std::vector<SlabArrays> arrays;
    each([&](std::size_t r) {
      arrays.push_back(ranks_[r].arrays());
      arrays.back().checks = &checks[r].checks;
      device::fill_zero(checks[r].sums.get(), checks[r].bytes(), streams_[r]);
    });
    group_->bind(arrays);
    direction == Direction::forward ? group_->forward(streams_) : group_->backward(streams_);
    each([&](std::size_t r) {
      device::copy_bytes(checks[r].results.data(), checks[r].sums.get(), checks[r].bytes(), streams_[r]);
      device::synchronize(streams_[r]);
      const std::int64_t before = verifiers[r].checks();
      verifiers[r].begin(std::nullopt);
      verifiers[r].judge(0);
      EXPECT_GT(verifiers[r].checks() - before, 4);
    });
    return Verifier::conclude(verifiers).failed();
  }
  static std::size_t at(Direction direction) { return to_size(static_cast<int>(direction)); }
  template <class Body>
  void each(const Body& body) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const device::DeviceScope scope(group_->rank(static_cast<int>(r)).device());
      body(r);
    }
  }

  SlabShape shape_;
  std::unique_ptr<SlabGroup> group_;
  std::vector<SlabRankArrays<T>> ranks_;
  std::vector<device::StreamHandle> streams_;
  std::array<std::vector<OfRank>, 2> checks_;  ///< by direction and rank
  std::array<std::vector<Verifier>, 2> verifiers_;
};

/// False where the passes cannot check themselves here. Forward runs of numbers are told of rank by rank where they are
/// read, one a part; backward one a chunk and part.
template <class T>
bool check_slab(const Shape& extents, Kind kind, int ranks, const SlabOptions& options, bool dense = false) {
  SCOPED_TRACE(text(extents) + (kind == Kind::r2c ? " r2c" : " c2c") + (sizeof(T) == 8 ? " f64, " : " f32, ") +
               std::to_string(ranks) + " ranks, " + std::to_string(options.parts.size()) + " parts");
  SlabShape shape = slab_shape(extents, {kind, sizeof(T) == 8 ? Precision::f64 : Precision::f32}, ranks);
  shape.dense_spectrum = dense;
  SlabOptions checks = options;
  checks.checks = true;
  if (!gpu::fusion_of(shape, checks).checked) return false;
  const SlabReference reference(extents, kind, seed());
  CheckedSlab<T> slab(shape, options);
  slab.check(reference);
  const std::size_t parts = slab.parts(), rank = to_size(ranks) - 1;
  for (std::size_t part = 0; part < parts; ++part) {
    slab.check_flip(reference, Direction::forward, Moment::between, rank * parts + part);
    slab.check_flip(reference, Direction::backward, Moment::between, part);
  }
  if (parts > 1) slab.check_flip(reference, Direction::forward, Moment::in_middle, 0);
  return true;
}

const Shape cube{128, 128, 128};

bool planes_check_themselves() { return device::lines::planes_checkable(128, 128); }

TEST(CheckedSlab, ChunksAndParts) {
  int checked = 0;
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const int ranks : {1, 2, 4}) {
      checked += check_slab<double>(cube, kind, ranks, cut(2, {1})) ? 1 : 0;
      checked += check_slab<float>(cube, kind, ranks, cut(3, {0.5, 0.25, 0.25})) ? 1 : 0;
    }
  EXPECT_EQ(checked, planes_check_themselves() ? 12 : 0);
}

/// Half spectra of 65 numbers, dense on the outside; shares that plane passes cannot write straight into place, and
/// such of odd numbers of rows.
TEST(CheckedSlab, DenseSpectra) {
  int checked = 0;
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const int ranks : {2, 3, 5}) {
      checked += check_slab<double>(cube, kind, ranks, cut(2, {0.6, 0.4}), true) ? 1 : 0;
      checked += check_slab<float>(cube, kind, ranks, cut(2, {0.6, 0.4}), true) ? 1 : 0;
    }
  EXPECT_EQ(checked, planes_check_themselves() ? 12 : 0);
}

/// z lines that begin within units of 16 bytes, padded inside.
TEST(CheckedSlab, OddLines) {
  if (!planes_check_themselves()) GTEST_SKIP() << "no compiler of kernels here";
  for (const Shape& extents : {Shape{128, 128, 315}, Shape{128, 175, 225}})
    for (const int ranks : {1, 2}) {
      EXPECT_TRUE(check_slab<double>(extents, Kind::r2c, ranks, cut(2, {0.6, 0.4}), true));
      EXPECT_TRUE(check_slab<float>(extents, Kind::r2c, ranks, cut(1, {1}), true));
      EXPECT_TRUE(check_slab<float>(extents, Kind::c2c, ranks, cut(2, {0.6, 0.4}), true));
    }
}

/// Planes of more than the cache holds: rows check themselves, and y lines behind them.
TEST(CheckedSlab, LargePlanes) {
  if (!planes_check_themselves()) GTEST_SKIP() << "no compiler of kernels here";
  const Shape extents{4, 1400, 1200};
  EXPECT_FALSE(device::lines::planes_supported(1400, 1200, Precision::f64, false));
  EXPECT_TRUE(check_slab<double>(extents, Kind::c2c, 2, cut(2, {0.6, 0.4})));
  EXPECT_TRUE(check_slab<double>({4, 1600, 2100}, Kind::r2c, 2, cut(2, {0.6, 0.4}), true));
}

bool is_copied(const Shape& extents) {
  SlabShape shape = slab_shape(extents, r2c<float>, 2);
  shape.dense_spectrum = true;
  return gpu::fusion_of(shape, {}).copied;
}

/// Equal shares of 65 rows of 65 numbers.
TEST(CheckedSlab, OddShares) {
  if (!planes_check_themselves()) GTEST_SKIP() << "no compiler of kernels here";
  const Shape extents{256, 130, 128};
  EXPECT_FALSE(is_copied(extents));
  EXPECT_TRUE(check_slab<float>(extents, Kind::r2c, 2, cut(2, {0.6, 0.4}), true));
}

/// x lines so long that shared memory has no room for bundles of odd rows: they stay in padded rows, and copies of each
/// part lead to the spectrum.
TEST(CheckedSlab, CopiedSpectra) {
  if (!planes_check_themselves()) GTEST_SKIP() << "no compiler of kernels here";
  const Shape extents{3200, 32, 64};
  EXPECT_TRUE(is_copied(extents));
  EXPECT_TRUE(check_slab<float>(extents, Kind::r2c, 2, cut(2, {0.6, 0.4}), true));
}

/// x lines of a length that has narrower bundles of odd rows than of even ones.
TEST(CheckedSlab, NarrowBundles) {
  if (!planes_check_themselves()) GTEST_SKIP() << "no compiler of kernels here";
  EXPECT_TRUE(check_slab<float>({576, 128, 128}, Kind::r2c, 2, cut(2, {0.6, 0.4}), true));
}

/// As many chunks as the first ranks have planes: the last rank has none in one of its chunks, which the way back
/// begins with, so its first run of numbers is of the chunk behind that.
TEST(CheckedSlab, ChunksWithoutPlanes) {
  if (!planes_check_themselves()) GTEST_SKIP() << "no compiler of kernels here";
  constexpr int ranks = 3, chunks = 43;
  const SlabReference reference(cube, Kind::c2c, seed());
  CheckedSlab<double> slab(slab_shape(cube, c2c<double>, ranks), cut(chunks, {1}));
  slab.check(reference);
  slab.check_flip(reference, Direction::backward, Moment::between, 2 * chunks);
}

TEST(CheckedSlab, StoresIntoPeers) {
  SlabOptions options;
  options.stores = true;
  int checked = 0;
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    checked += check_slab<double>(cube, kind, 2, options) ? 1 : 0;
    checked += check_slab<float>(cube, kind, 2, options, kind == Kind::r2c) ? 1 : 0;
  }
  EXPECT_EQ(checked, planes_check_themselves() ? 4 : 0);
}

TEST(CheckedSlab, OnlyPassesCheckThemselves) {
  SlabOptions options = cut(1, {1});
  options.checks = true;
  const SlabShape shape = slab_shape({61, 128, 128}, c2c<double>, 2);
  EXPECT_FALSE(gpu::fusion_of(shape, options).checked) << "x lines by cuFFT";
  EXPECT_THROW(gpu::SlabRank(shape, options, 0, 0), Error);
}

}  // namespace
}  // namespace shardfft::test
