// The slab engine behind operations, all GPUs in one process.
#include "algorithm/algorithm.hpp"
#include "device/plane_pass.hpp"
#include "gpu/slab/slab_program.hpp"
#include "gpu/slab_kit.hpp"

namespace shardfft::test {
namespace {

std::vector<int> devices(int ranks) {
  std::vector<int> list;
  for (int r = 0; r < ranks; ++r) list.push_back(r % device::device_count());
  return list;
}

TEST(GroupSlab, SmallShapes) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    gpu::Team team(devices(ranks));
    for (const SlabCase& c : small_slabs()) check_slab(team, c);
  }
}

TEST(GroupSlab, LineKernels) {
  gpu::Team two(devices(2)), four(devices(4));
  if (!check_fused_slab(two, fused_f32)) GTEST_SKIP() << "no line kernels here";
  EXPECT_TRUE(check_fused_slab(four, fused_f64));
  EXPECT_TRUE(check_fused_slab(two, fused_planes));
  EXPECT_TRUE(check_fused_slab(two, fused_real_planes));
  for (const SlabCase& c : {fused_planes, fused_real_planes}) {
    const std::string text = gpu::make_slab(slab_steps(c, 2), 0, {&two})[0][0]->describe();
    EXPECT_NE(text.find("plane kernels for z and y, line kernels for y x"), std::string::npos) << text;
  }
}

TEST(GroupSlab, PlanesOfOtherSizes) {
  if (!device::lines::planes_supported(240, 110, Precision::f64, false)) GTEST_SKIP() << "no such kernels here";
  gpu::Team two(devices(2)), three(devices(3));
  EXPECT_TRUE(check_fused_slab(three, compiled_planes));
  EXPECT_TRUE(check_fused_slab(two, compiled_real_planes));
  for (const SlabCase& c : {compiled_planes, compiled_real_planes}) {
    const std::string text = gpu::make_slab(slab_steps(c, 2), 0, {&two})[0][0]->describe();
    EXPECT_NE(text.find("plane kernels for z and y, line kernels for y x"), std::string::npos) << text;
  }
}

/// Planes of the first axis and the last one, whose rows lie apart.
TEST(GroupSlab, WovenPlanes) {
  if (!device::lines::planes_supported(128, 128, Precision::f64, true)) GTEST_SKIP() << "no plane kernels here";
  SlabCase odd{{128, 127, 128}, Kind::c2c, Precision::f64, 2, {1, 0.5}};  // no kernel for the middle axis
  odd.woven = true;
  SlabCase uneven{{128, 130, 128}, Kind::c2c, Precision::f64, 3};
  for (const int ranks : {1, 2, 4}) {
    gpu::Team team(devices(ranks));
    for (SlabCase c : {fused_planes, fused_real_planes, fused_planes_f32, uneven}) {
      if (!device::lines::supported(static_cast<int>(c.shape[1]))) continue;  // no compiler
      c.woven = true;
      EXPECT_TRUE(gpu::runs_as_slab(slab_steps(c, ranks), 0, team, {.precision = c.precision, .chunks = c.chunks}));
      EXPECT_TRUE(check_fused_slab(team, c));
      const std::string text = DeviceSlab(team, c).operation(Direction::forward, 0).describe();
      EXPECT_NE(text.find("planes of the first axis and the last one"), std::string::npos) << text;
      if (ranks == 2) {
        EXPECT_TRUE(check_fused_slab(team, left_open(c))) << "which may store into peers";
      }
    }
    EXPECT_FALSE(gpu::runs_as_slab(slab_steps(odd, ranks), 0, team, {.precision = odd.precision, .chunks = odd.chunks}))
        << "x lines by cuFFT";
    if (ranks > 1) {
      EXPECT_THROW(DeviceSlab(team, odd), Error);
    }
  }
}

/// Two of them where the line kernels can, and chunks were not asked for.
TEST(GroupSlab, SmallOnesStoreIntoPeers) {
  gpu::Team two(devices(2)), four(devices(4));
  for (SlabCase c : {fused_f64, fused_f32, fused_odd_rows, fused_planes, fused_real, fused_real_planes}) {
    EXPECT_FALSE(stores_into_peers(two, c)) << "chunks are given";
    c = left_open(c);
    EXPECT_EQ(stores_into_peers(two, c), check_fused_slab(two, c));
    EXPECT_FALSE(stores_into_peers(four, c));
  }
  EXPECT_FALSE(stores_into_peers(two, small_slabs().front()));
}

TEST(GroupSlab, HowSmallTheyMustBe) {
  if (!device::lines::supported(128)) GTEST_SKIP() << "no line kernels here";
  gpu::Team team(devices(2));
  const auto stores = [&](const Shape& shape, Kind kind) {
    return stores_into_peers(team, {shape, kind, Precision::f64});
  };
  EXPECT_TRUE(stores({128, 128, 376}, Kind::c2c)) << "47 MiB, no plane pass: a factor of 47";
  EXPECT_FALSE(stores({128, 128, 408}, Kind::c2c));
  EXPECT_TRUE(stores({256, 256, 256}, Kind::c2c)) << "128 MiB with a plane pass";
  EXPECT_FALSE(stores({256, 256, 288}, Kind::c2c));
  const DeviceSlab slab(team, left_open(fused_f64));
  const std::size_t planes = std::size_t{64} * 128 * 16 * 16;
  EXPECT_EQ(slab.operation(Direction::backward, 0).scratch_bytes(), planes) << "and no rows";
}

TEST(GroupSlab, RealTransformsArePaddedInside) {
  for (const int ranks : {1, 2, 3}) {
    gpu::Team team(devices(ranks));
    if (!check_fused_slab(team, fused_real)) GTEST_SKIP() << "no line kernels here";
    const auto operations = gpu::make_slab(slab_steps(fused_real, ranks), 0, {&team});
    EXPECT_NE(operations[0][0]->describe().find("padded inside"), std::string::npos);
    EXPECT_FALSE(operations[0][0]->writes_peers());
    EXPECT_GT(operations[0][0]->scratch_bytes(), operations[1][0]->scratch_bytes()) << "rows forward";
    const Shape& n = fused_real.shape;
    const std::int64_t sent = n[0] / ranks * (n[1] - n[1] / ranks) * ((n[2] / 2 + 1 + 15) / 16 * 16);
    if (n[0] % ranks == 0 && n[1] % ranks == 0) {
      EXPECT_EQ(operations[0][0]->bytes_sent(), sent * 16);
    }
  }
}

TEST(GroupSlab, PlanesTakeTheRoomThatTheSpectrumHas) {
  for (const int ranks : {2, 4}) {
    gpu::Team team(devices(ranks));
    SlabCase apart = fused_real_planes;
    if (!check_fused_slab(team, apart)) GTEST_SKIP() << "no line kernels here";
    const std::size_t before = DeviceSlab(team, apart).operation(Direction::forward, 0).scratch_bytes();
    apart.apart = true;
    EXPECT_TRUE(check_fused_slab(team, apart));
    const std::size_t after = DeviceSlab(team, apart).operation(Direction::forward, 0).scratch_bytes();
    EXPECT_LE(after * 3, before * 2) << "rows, and the planes that have no room";
  }
}

TEST(GroupSlab, OddRowsOfFloatsArePaddedInside) {
  for (const int ranks : {1, 2, 3}) {
    gpu::Team team(devices(ranks));
    if (!check_fused_slab(team, fused_odd_rows)) GTEST_SKIP() << "no line kernels here";
    const auto operations = gpu::make_slab(slab_steps(fused_odd_rows, ranks), 0,
                                           {.team = &team, .precision = Precision::f32, .padded_from = 0});
    EXPECT_NE(operations[0][0]->describe().find("padded inside"), std::string::npos);
  }
}

/// Points of a line are an odd number of halves of a unit apart: where rows of an x plane are neighbours their number
/// is odd, and where those of a y plane are each row is.
TEST(GroupSlab, OddSharesOfOddRows) {
  if (!device::lines::planes_supported(128, 128, Precision::f32, true)) GTEST_SKIP() << "no plane kernels here";
  for (const int ranks : {1, 3}) {
    gpu::Team team(devices(ranks));
    for (const bool woven : {false, true}) {
      SlabCase c = odd_shares_of_odd_rows;
      c.woven = woven;
      EXPECT_TRUE(check_fused_slab(team, c));
      const std::string text = DeviceSlab(team, c).operation(Direction::forward, 0).describe();
      EXPECT_NE(text.find("line kernels for y x, padded inside"), std::string::npos) << text;
      const auto runs = [&] {
        return gpu::runs_as_slab(slab_steps(c, ranks), 0, team, {.precision = c.precision, .chunks = c.chunks});
      };
      EXPECT_EQ(runs(), !woven) << "small floats are not padded";
      c.shape = {512, 128, 512};
      EXPECT_TRUE(runs());
    }
  }
}

/// Rows of 21 doubles, and of 18 and 17 floats: the last ones begin in the middle of 16 bytes, and on three ranks there
/// are an odd number of them.
TEST(GroupSlab, RowsThatStraddleSectorsOfMemoryArePaddedInside) {
  for (const int ranks : {1, 2, 3}) {
    gpu::Team team(devices(ranks));
    for (const SlabCase& c : straddling_slabs()) {
      if (!check_fused_slab(team, c)) GTEST_SKIP() << "no line kernels here";
      const auto slab = gpu::make_slab(slab_steps(c, ranks), 0,
                                       {.team = &team, .precision = c.precision, .padded_from = c.padded_from});
      EXPECT_NE(slab[0][0]->describe().find("padded inside"), std::string::npos) << c.name(ranks);
      EXPECT_FALSE(slab[0][0]->writes_peers());
    }
    SlabCase whole = straddling_slabs().front();
    whole.shape[2] = 22;
    const auto slab = gpu::make_slab(slab_steps(whole, ranks), 0, {.team = &team, .padded_from = 0});
    EXPECT_EQ(slab[0][0]->describe().find("padded inside"), std::string::npos) << "rows of eleven sectors";
  }
}

TEST(GroupSlab, SmallFloatsThatAreCopiedAreNotPaddedInside) {
  if (!device::lines::supported(128)) GTEST_SKIP() << "no line kernels here";
  const auto padded = [&](const Shape& shape, int ranks, int chunks) {
    gpu::Team team(devices(ranks));
    const Program program = slab_steps({shape, Kind::r2c, Precision::f32}, ranks);
    const auto slab = gpu::make_slab(program, 0, {.team = &team, .precision = Precision::f32, .chunks = chunks});
    return slab[0][0]->describe().find("padded inside") != std::string::npos;
  };
  EXPECT_TRUE(padded({128, 384, 16}, 2, 0)) << "stored";
  EXPECT_FALSE(padded({128, 384, 16}, 2, 2)) << "chunks are given";
  EXPECT_TRUE(padded({256, 256, 512}, 2, 2)) << "large";
  EXPECT_FALSE(padded({128, 384, 16}, 3, 0)) << "uneven shares, three ranks";
  EXPECT_TRUE(padded({128, 384, 768}, 3, 0)) << "large";
}

TEST(GroupSlab, RanksThatShareADevice) {
  gpu::Team team({0, 1 % device::device_count(), 0});
  for (const SlabCase& c : small_slabs()) check_slab(team, c);
}

TEST(GroupSlab, SaysWhatItNeeds) {
  gpu::Team team({0, 0, 0});
  const SlabCase c{{7, 9, 5}, Kind::r2c, Precision::f32, 2};
  const Program program = slab_steps(c, 3);
  const auto operations = gpu::make_slab(program, 0, {&team, c.precision, c.scale, c.chunks});
  EXPECT_EQ(operations[0][0]->scratch_bytes(), 3u * 9 * 3 * 8) << "planes";
  EXPECT_EQ(operations[1][0]->scratch_bytes(), 768u + 7 * 3 * 3 * 8) << "rows behind them";
  EXPECT_EQ(operations[0][0]->bytes_sent(), 3 * 6 * 3 * 8);
  EXPECT_EQ(operations[1][0]->bytes_sent(), 3 * 4 * 3 * 8);
  EXPECT_TRUE(operations[0][0]->writes_peers());
  EXPECT_FALSE(operations[1][0]->writes_peers());
  EXPECT_FALSE(operations[0][0]->writes_scratches());
  EXPECT_TRUE(operations[1][0]->writes_scratches());
}

bool is_slab(const Program& program, int first) {
  return gpu::slab_shape_of_either(program, first, Precision::f64).has_value();
}

TEST(IsSlab, NaturalPlanesAndRows) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (int ranks = 1; ranks <= 4; ++ranks) EXPECT_TRUE(is_slab(slab_steps({{6, 5, 4}, kind}, ranks), 0));
}

TEST(IsSlab, PlanesOfTheFirstAxisAndTheLastOne) {
  SlabCase c{{6, 5, 4}};
  c.woven = true;
  for (int ranks = 2; ranks <= 4; ++ranks) EXPECT_TRUE(is_slab(slab_steps(c, ranks), 0));
}

TEST(IsSlab, OtherProgramsAreNot) {
  const SlabCase c{{6, 5, 4}};
  const Program good = slab_steps(c, 2);
  EXPECT_FALSE(is_slab(good, 1)) << "too few steps";
  Program other = good;
  other.steps[2] = fourier_step({2}, Kind::c2c, good.states[2].layout.shape());
  EXPECT_FALSE(is_slab(other, 0)) << "another axis";
  other = good;
  other.states[2].layout = other.states[3].layout = Layout::slab(c.shape, 2, 1, {1, 0, 2}).with_batch(1);
  EXPECT_FALSE(is_slab(other, 0)) << "another order in memory";
  other = good;
  other.states[0].layout = other.states[1].layout = Layout::slab(c.shape, 2, 1).with_batch(1);
  EXPECT_FALSE(is_slab(other, 0)) << "another cut";
  other = good;
  for (State& state : other.states) state.layout = state.layout.without_batch().with_batch(2);
  EXPECT_FALSE(is_slab(other, 0)) << "two fields";
  EXPECT_FALSE(is_slab(slab_steps({{6, 5}}, 2), 0)) << "two axes";
}

TEST(IsSlab, TheSlabAlgorithmMakesOne) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const bool fixed : {false, true}) {
      const SlabCase c{{6, 5, 4}, kind};
      Problem problem;
      problem.kind = kind;
      problem.input = Layout::slab(c.shape, 2, 0).with_batch(1);
      if (fixed) problem.output = Layout::slab(c.serial().spectrum_shape(), 2, 1).with_batch(1);
      problem.axes = {1, 2, 3};
      const Program program = slab_program(problem);
      EXPECT_EQ(program.steps.size(), 3u);
      EXPECT_TRUE(is_slab(program, 0));
      const Program back = reversed(program);
      EXPECT_TRUE(is_slab(back, 0));
      EXPECT_FALSE(is_slab(back, 1));
    }
}

}  // namespace
}  // namespace shardfft::test
