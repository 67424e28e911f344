// Slab transforms of one process on several devices.
#include "base/check.hpp"
#include "support/seed.hpp"
#include "support/slab_group.hpp"
#include "support/slab_kit.hpp"

namespace shardfft::test {
namespace {

template <class T>
class Bench {
 public:
  Bench(const SlabShape& shape, const SlabOptions& options, SlabPlaces places = SlabPlaces::apart) : shape_(shape) {
    std::vector<int> devices;
    for (int r = 0; r < shape.ranks; ++r) devices.push_back(r % device::device_count());
    group_ = std::make_unique<SlabGroup>(shape, options, devices);
    for (int r = 0; r < shape.ranks; ++r) {
      const device::DeviceScope scope(devices[to_size(r)]);
      ranks_.emplace_back(shape, r, places);
      streams_.push_back(ranks_.back().stream());
    }
  }
  SlabGroup& group() { return *group_; }
  const std::vector<device::StreamHandle>& streams() const { return streams_; }
  void forward() {
    bind(Direction::forward);
    group_->forward(streams_);
  }
  void backward() {
    bind(Direction::backward);
    group_->backward(streams_);
  }
  device::Graph capture_pair() {
    return group_->capture(streams_, [&] {
      forward();
      backward();
    });
  }
  void launch(const device::Graph& graph) {
    const device::DeviceScope scope(group_->rank(0).device());
    device::launch(graph.get(), streams_[0]);
    device::synchronize(streams_[0]);
  }
  template <class Body>
  void each(Body body) {
    for (int r = 0; r < shape_.ranks; ++r) {
      const device::DeviceScope scope(group_->rank(r).device());
      body(ranks_[to_size(r)]);
    }
  }
  void upload_field(const SlabReference& reference) {
    each([&](auto& rank) { rank.upload_field(reference); });
  }
  double spectrum_error(const SlabReference& reference, double scale) {
    Norms norms;
    each([&](auto& rank) { rank.compare_spectrum(reference, scale, norms); });
    return norms.relative();
  }
  double field_error(const SlabReference& reference, double scale) {
    Norms norms;
    each([&](auto& rank) { rank.compare_field(reference, scale, norms); });
    return norms.relative();
  }

 private:
  void bind(Direction direction) {
    std::vector<SlabArrays> arrays;
    for (const auto& rank : ranks_) arrays.push_back(rank.arrays(direction));
    group_->bind(arrays);
  }

  SlabShape shape_;
  std::unique_ptr<SlabGroup> group_;
  std::vector<SlabRankArrays<T>> ranks_;
  std::vector<device::StreamHandle> streams_;
};

double points(const SlabShape& shape) { return static_cast<double>(shape.nx * shape.ny * shape.nz); }

/// Forward, backward from a spectrum that no forward left, and both again and again without waiting in between.
template <class T>
void check(Bench<T>& bench, const SlabShape& shape, const SlabReference& reference) {
  const double tolerance = slab_tolerance(shape), n = points(shape);
  bench.upload_field(reference);
  bench.forward();
  EXPECT_LE(bench.spectrum_error(reference, 1), tolerance) << "forward";
  bench.each([&](auto& rank) { rank.upload_spectrum(reference); });
  bench.backward();
  EXPECT_LE(bench.field_error(reference, n), tolerance) << "backward";
  bench.upload_field(reference);
  bench.forward();
  bench.backward();
  bench.forward();
  EXPECT_LE(bench.spectrum_error(reference, n), 2 * tolerance) << "forward, backward, forward";
}

template <class T>
void check_shape(const SlabTestShape& test, Kind kind, int ranks, const SlabOptions& options,
                 SlabPlaces places = SlabPlaces::apart) {
  const Transform transform{kind, sizeof(T) == 8 ? Precision::f64 : Precision::f32};
  const SlabShape shape = slab_shape(test.extents, transform, ranks);
  const SlabReference reference(test.extents, kind, seed());
  SCOPED_TRACE(text(test.extents) + (kind == Kind::r2c ? " r2c" : " c2c") + (sizeof(T) == 8 ? " f64, " : " f32, ") +
               std::to_string(ranks) + " ranks, " + std::to_string(options.chunks) + " chunks, " +
               std::to_string(options.parts.size()) + " parts: " + test.why);
  Bench<T> bench(shape, options, places);
  check(bench, shape, reference);
}

void check_all(int ranks, const SlabOptions& options) {
  for (const SlabTestShape& test : slab_test_shapes())
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      check_shape<double>(test, kind, ranks, options);
      check_shape<float>(test, kind, ranks, options);
    }
}

TEST(SlabGroup, OneRank) { check_all(1, cut(1, {1})); }
TEST(SlabGroup, TwoRanks) { check_all(2, cut(1, {1})); }
TEST(SlabGroup, ThreeRanks) { check_all(3, cut(2, {1})); }
TEST(SlabGroup, FourRanks) { check_all(4, cut(3, {0.7, 0.3})); }
TEST(SlabGroup, FourRanksThatSendAsTheyPlease) {
  SlabOptions options = cut(3, {0.7, 0.3});
  options.paired = false;
  check_all(4, options);
}
TEST(SlabGroup, WithoutLinePasses) {
  SlabOptions options = cut(2, {1});
  options.fused = false;
  check_shape<double>({{128, 128, 16}, "no line passes wanted"}, Kind::c2c, 2, options);
  check_shape<double>({{128, 128, 16}, "no line passes wanted"}, Kind::r2c, 3, options);
}

/// Equal shares, unequal ones, planes that one pass takes; without line passes the rows are not packed, and planes
/// wait.
TEST(SlabGroup, RowsInTheField) {
  for (const int ranks : {2, 3, 4}) {
    check_shape<double>({{128, 128, 48}, "rows"}, Kind::c2c, ranks, cut(4, {0.6, 0.4}), SlabPlaces::rows_in_field);
    check_shape<float>({{128, 128, 48}, "real rows"}, Kind::r2c, ranks, cut(3, {1}), SlabPlaces::rows_in_field);
  }
  check_shape<double>({{128, 128, 128}, "planes"}, Kind::c2c, 4, cut(3, {0.5, 0.3, 0.2}), SlabPlaces::rows_in_field);
  check_shape<double>({{20, 12, 30}, "no line passes"}, Kind::c2c, 2, cut(3, {1}), SlabPlaces::rows_in_field);
}

TEST(SlabGroup, InOneArray) {
  SlabOptions options = cut(4, {0.5, 0.3, 0.2});
  options.in_place = true;
  for (const int ranks : {1, 2, 3, 4}) {
    check_shape<double>({{128, 128, 48}, "lines"}, Kind::c2c, ranks, options, SlabPlaces::one_array);
    check_shape<double>({{20, 31, 12}, "no line passes"}, Kind::c2c, ranks, options, SlabPlaces::one_array);
  }
  check_shape<float>({{128, 128, 128}, "planes"}, Kind::c2c, 4, options, SlabPlaces::one_array);
  EXPECT_THROW(gpu::SlabRank(slab_shape({128, 128, 48}, r2c<double>, 2), options, 0, 0), Error) << "real fields";
}

TEST(SlabGroup, DenseSpectraOfRealTransforms) {
  // Rows of 23; of 47, nearly a whole number of bundles; of 48 numbers; of 65, by plane passes.
  for (const std::int64_t nz : {44, 92, 94, 128})
    for (const int ranks : {1, 2, 4}) {
      const Shape extents{128, 128, nz};
      SCOPED_TRACE(text(extents) + " on " + std::to_string(ranks) + " ranks");
      const SlabReference reference(extents, Kind::r2c, seed());
      SlabShape shape = slab_shape(extents, r2c<double>, ranks);
      shape.dense_spectrum = true;
      Bench<double> bench(shape, cut(2, {0.5, 0.5}));
      check(bench, shape, reference);
      SlabShape narrow = slab_shape(extents, r2c<float>, ranks);
      narrow.dense_spectrum = true;
      Bench<float> narrow_bench(narrow, cut(2, {0.5, 0.5}));
      check(narrow_bench, narrow, reference);
    }
  // 128 rows in runs of 26 and 25: on some ranks an odd number of rows, each of an odd number of floats.
  const Shape cube{128, 128, 128};
  SlabShape uneven = slab_shape(cube, r2c<float>, 5);
  uneven.dense_spectrum = true;
  EXPECT_FALSE(gpu::fusion_of(uneven, {}).copied);
  Bench<float> bench(uneven, cut(2, {0.5, 0.5}));
  check(bench, uneven, SlabReference(cube, Kind::r2c, seed()));
}

/// Padded planes have less room there than they need: the last ones lie apart.
TEST(SlabGroup, PlanesInDenseSpectra) {
  const Shape cube{128, 128, 128};
  const SlabReference real(cube, Kind::r2c, seed());
  for (const int ranks : {2, 3, 4}) {
    SlabShape shape = slab_shape(cube, r2c<double>, ranks), narrow = slab_shape(cube, r2c<float>, ranks);
    shape.dense_spectrum = narrow.dense_spectrum = true;
    if (!gpu::fusion_of(shape, {}).planes) GTEST_SKIP() << "no plane kernels here";
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    Bench<double> bench(shape, cut(3, {0.6, 0.4}), SlabPlaces::planes_in_spectrum);
    check(bench, shape, real);
    Bench<float> narrow_bench(narrow, cut(2, {0.5, 0.3, 0.2}), SlabPlaces::planes_in_spectrum);
    check(narrow_bench, narrow, real);
  }
}

TEST(SlabGroup, LinesOfThreeOwners) {
  check_shape<double>({{384, 384, 16}, "blocks of 128 points"}, Kind::c2c, 3, cut(2, {1}));
}

TEST(SlabGroup, StoresIntoPeers) {
  if (!gpu::fusion_of(slab_shape({128, 128, 48}, c2c<double>, 2), {}).direct) GTEST_SKIP() << "no line kernels here";
  SlabOptions options;
  options.stores = true;
  for (const int ranks : {1, 2, 4})
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      check_shape<double>({{128, 128, 48}, "stores"}, kind, ranks, options);
      check_shape<float>({{128, 256, 64}, "stores"}, kind, ranks, options);
    }
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    check_shape<double>({{128, 128, 128}, "stores of plane passes"}, kind, 4, options);
  const SlabShape uneven = slab_shape({128, 128, 48}, c2c<double>, 3);
  EXPECT_THROW(gpu::SlabRank(uneven, options, 0, 0), Error) << "shares that differ";
}

TEST(SlabGroup, PlanesInOnePass) {
  const auto fusion = [](const SlabShape& shape) { return gpu::fusion_of(shape, {}); };
  if (!fusion(slab_shape({128, 128, 128}, c2c<double>, 4)).planes) GTEST_SKIP() << "no plane kernels here";
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    EXPECT_TRUE(fusion(slab_shape({128, 128, 128}, {kind, Precision::f64}, 4)).planes);
    check_shape<double>({{128, 128, 128}, "planes in one pass"}, kind, 4, cut(3, {0.6, 0.3, 0.1}));
    check_shape<float>({{128, 128, 128}, "planes in one pass"}, kind, 4, cut(3, {0.6, 0.3, 0.1}));
  }
  EXPECT_FALSE(fusion(slab_shape({128, 128, 64}, c2c<double>, 4)).planes) << "not square";
  SlabShape dense = slab_shape({128, 128, 128}, r2c<double>, 4);
  dense.padded = false;
  EXPECT_FALSE(fusion(dense).planes) << "half spectra of 65 numbers are no whole bundles";
}

/// Shares of one row more and one fewer, which passes store straight into place.
TEST(SlabGroup, LinesOfUnequalShares) {
  const SlabShape small = slab_shape({128, 128, 48}, c2c<double>, 3);
  if (!gpu::fusion_of(small, {}).y) GTEST_SKIP() << "no line kernels here";
  EXPECT_TRUE(gpu::fusion_of(small, {}).direct);
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    check_shape<double>({{128, 128, 48}, "unequal shares"}, kind, 3, cut(2, {0.6, 0.4}));
    check_shape<float>({{128, 256, 48}, "unequal shares"}, kind, 5, cut(2, {0.6, 0.4}));
  }
}

/// Kernels that are compiled when the plan is made are for large arrays only.
TEST(SlabGroup, LinesOfOtherLengths) {
  const SlabShape shape = slab_shape({140, 150, 100}, c2c<double>, 4);
  if (!device::lines::supported(140)) GTEST_SKIP() << "no compiler here";
  EXPECT_FALSE(gpu::fusion_of(slab_shape({140, 150, 99}, c2c<double>, 4), {}).y) << "small";
  const auto fusion = gpu::fusion_of(shape, cut(2, {1}));
  EXPECT_TRUE(fusion.planes && !fusion.direct) << "planes come before stores into place where shares are unequal";
  check_shape<double>({{140, 150, 100}, "other lengths"}, Kind::c2c, 4, cut(2, {0.6, 0.4}));
  check_shape<float>({{140, 150, 102}, "other lengths"}, Kind::c2c, 3, cut(2, {0.6, 0.4}));
  check_shape<double>({{210, 150, 160}, "other lengths"}, Kind::r2c, 3, cut(2, {1}));
}

/// Kernels count in 32 bits; cuFFT does not.
TEST(SlabGroup, MoreLinesThanKernelsCountAreLeftToCufft) {
  constexpr std::int64_t giga = std::int64_t{1} << 30;
  const auto fusion = [](std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    return gpu::fusion_of(slab_shape({nx, ny, nz}, c2c<double>, 2), {});
  };
  EXPECT_EQ(fusion(128, 128, giga / 64 - 16).x, device::lines::supported(128));
  EXPECT_FALSE(fusion(128, 128, giga / 64).x) << "rows of x lines";
  EXPECT_FALSE(fusion(128, 128, giga + 16).y);
  EXPECT_FALSE(fusion(giga, 128, 128).y) << "planes";
}

TEST(SlabGroup, FusesWhatItCan) {
  const auto fused = [](const Shape& extents, int ranks) {
    const SlabShape shape = slab_shape(extents, c2c<double>, ranks);
    Bench<double> bench(shape, cut(1, {0.5, 0.5}));
    return std::array<int, 3>{bench.group().rank(0).fused_y(), bench.group().rank(0).fused_x(),
                              bench.group().rank(0).parts()};
  };
  EXPECT_EQ(fused({128, 128, 32}, 2), (std::array<int, 3>{1, 1, 2}));
  EXPECT_EQ(fused({61, 128, 32}, 2), (std::array<int, 3>{1, 0, 1}));
  EXPECT_EQ(fused({128, 61, 32}, 2), (std::array<int, 3>{0, 1, 1}));
  EXPECT_EQ(fused({61, 61, 32}, 2), (std::array<int, 3>{0, 0, 1}));
}

/// Lengths that an int would take for 128.
TEST(SlabGroup, NoLinePassesForHugeLengths) {
  const std::int64_t huge = (std::int64_t{1} << 32) + 128;
  EXPECT_TRUE(gpu::fusion_of(slab_shape({128, 128, 16}, c2c<double>, 2), {}).direct);
  const gpu::SlabFusion y = gpu::fusion_of(slab_shape({128, huge, 16}, c2c<double>, 2), {});
  EXPECT_FALSE(y.y || y.direct);
  const gpu::SlabFusion x = gpu::fusion_of(slab_shape({huge, 128, 16}, c2c<double>, 2), {});
  EXPECT_FALSE(x.x || x.direct);
}

TEST(SlabGroup, CapturesAfterFailures) {
  const SlabShape shape = slab_shape({12, 10, 6}, c2c<double>, 2);
  Bench<double> bench(shape, cut(1, {1}));
  const auto interrupted = [&] {
    bench.forward();
    fail(Status::backend_failure, "in the middle");
  };
  EXPECT_THROW(bench.group().capture(bench.streams(), interrupted), Error);
  const device::Graph graph = bench.capture_pair();
  const SlabReference reference({12, 10, 6}, Kind::c2c, seed());
  bench.upload_field(reference);
  bench.launch(graph);
  EXPECT_LE(bench.field_error(reference, points(shape)), 2 * slab_tolerance(shape));
}

TEST(SlabGroup, ReplaysPairsAsGraphs) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Shape& extents : {Shape{128, 128, 32}, Shape{12, 10, 6}}) {
      const SlabShape shape = slab_shape(extents, {kind, Precision::f64}, 3);
      Bench<double> bench(shape, cut(2, {0.5, 0.5}));
      const device::Graph graph = bench.capture_pair();
      for (std::uint64_t round = 0; round < 4; ++round) {
        const SlabReference reference(extents, kind, seed() + round);
        bench.upload_field(reference);
        bench.launch(graph);
        EXPECT_LE(bench.field_error(reference, points(shape)), 2 * slab_tolerance(shape)) << text(extents);
      }
      const SlabReference reference(extents, kind, seed());
      check(bench, shape, reference);
    }
}

TEST(SlabGroup, ScalesInLinePasses) {
  const Shape extents{128, 128, 16};
  const SlabShape shape = slab_shape(extents, c2c<double>, 2);
  SlabOptions options = cut(1, {1});
  options.forward_scale = 0.5;
  options.backward_scale = 0.25;
  Bench<double> bench(shape, options);
  const SlabReference reference(extents, Kind::c2c, seed());
  bench.upload_field(reference);
  bench.forward();
  EXPECT_LE(bench.spectrum_error(reference, 0.5), slab_tolerance(shape));
  bench.backward();
  EXPECT_LE(bench.field_error(reference, points(shape) / 8), 2 * slab_tolerance(shape));
}

}  // namespace
}  // namespace shardfft::test
