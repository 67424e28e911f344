// Plans for given facts about devices: passes are chosen by what planning is told, and nothing runs.
#include <gtest/gtest.h>

#include <algorithm>

#include "device/facts.hpp"
#include "device/line_recipe.hpp"
#include "device/plane_pass.hpp"
#include "device/plane_recipe.hpp"
#include "device/standin/memory.hpp"
#include "shardfft/plan.hpp"
#include "support/changed_facts.hpp"

namespace shardfft::test {
namespace {

namespace lines = device::lines;

const auto as_it_is = [](device::DeviceFacts&) {};
const auto without_bulk_copies = [](device::DeviceFacts& facts) { facts.bulk_copies = false; };
const auto with_small_cache = [](device::DeviceFacts& facts) { facts.l2_bytes = std::size_t{6} << 20; };

/// Of a transform that is large enough for passes of our own. Nothing is tried: the stand-in's times mean nothing.
std::string report_of_a_plan() {
  const std::vector<int> devices{0};
  Options options;
  options.effort = Effort::estimate;
  const Layout whole = Layout::slab({128, 128, 128}, 1);
  return Plan(Devices(devices), c2c<double>, whole, default_output, options).report().to_text();
}
bool says(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

TEST(GivenFacts, OfAnH200) {
  const ChangedFacts given(as_it_is);
  EXPECT_TRUE(lines::supported(1024));
  EXPECT_TRUE(lines::planes_supported(1024, 1024, Precision::f64, false));
  EXPECT_TRUE(lines::planes_supported(1536, 1536, Precision::f32, false));
  EXPECT_TRUE(lines::planes_supported(1536, 1536, Precision::f64, true));
  EXPECT_FALSE(lines::planes_supported(1536, 1536, Precision::f64, false));
  const std::string report = report_of_a_plan();
  EXPECT_TRUE(says(report, "plane pass")) << report;
}

TEST(GivenFacts, WithoutBulkCopiesThereAreLinePassesOnly) {
  const ChangedFacts given(without_bulk_copies);
  EXPECT_TRUE(lines::supported(1024));
  EXPECT_TRUE(lines::takes_odd_rows(1024));
  EXPECT_FALSE(lines::planes_supported(128, 128, Precision::f64, false));
  const std::string report = report_of_a_plan();
  EXPECT_FALSE(says(report, "plane pass")) << report;
  EXPECT_TRUE(says(report, "line pass")) << report;
}
TEST(GivenFacts, WithoutSharedMemoryThereAreNoPassesOfOurOwn) {
  const ChangedFacts given([](device::DeviceFacts& facts) { facts.shared_bytes_a_block = 1 << 12; });
  EXPECT_FALSE(lines::supported(1024));
  const std::string report = report_of_a_plan();
  EXPECT_FALSE(says(report, "plane pass") || says(report, "line pass")) << report;
  EXPECT_TRUE(says(report, "cufft")) << report;
}

TEST(LineRecipes, WithoutBulkCopiesTwoBundlesOfWholeRunsTakeTurns) {
  device::DeviceFacts facts = device::h200_facts();
  facts.bulk_copies = false;
  for (const int n : {96, 128, 250, 512, 1000, 1024, 1536, 2000}) {
    const auto recipe = lines::recipe_for(n, lines::hardware_of(facts), true);
    ASSERT_TRUE(recipe) << n;
    EXPECT_FALSE(recipe->bulk);
    EXPECT_EQ(recipe->cluster, 1);
    EXPECT_EQ(recipe->tile().tile_bytes(), 0);
    EXPECT_LE(recipe->resident * recipe->shared_bytes(Precision::f64), static_cast<int>(facts.shared_bytes));
    if (n > 1024) continue;  // longer lines leave room for fewer
    EXPECT_GE(recipe->width * device::unit_bytes, device::run_bytes) << n;
    EXPECT_GE(recipe->resident, n < 1000 ? 2 : 1) << n;
  }
  EXPECT_FALSE(lines::recipe_for(1024, lines::hardware_of(facts), false));
}

int odd_bytes(const lines::Recipe& recipe) {
  return recipe.shared_bytes(Precision::f32, true) + lines::reserved_shared_bytes;
}

TEST(LineRecipes, OddRowsHaveTheWidestBundleThatFits) {
  int narrower = 0;
  for (int n = 256; n <= 2048; ++n) {
    const auto even = lines::recipe_for(n, lines::hopper, true);
    if (!even) continue;
    const auto odd = lines::recipe_for(n, lines::hopper, true, true);
    ASSERT_TRUE(odd) << n;
    EXPECT_LE(odd_bytes(*odd), lines::hopper.shared_bytes) << n;
    EXPECT_EQ(lines::same(*even, *odd), odd_bytes(*even) <= lines::hopper.shared_bytes) << n;
    narrower += odd->width < even->width ? 1 : 0;
  }
  EXPECT_GT(narrower, 0);
  EXPECT_FALSE(lines::recipe_for(2048, lines::hopper, false, true)) << "the library's own bundles have no room";
  EXPECT_TRUE(lines::recipe_for(1536, lines::hopper, false, true));
}

/// Between what the narrowest bundle of even rows takes and what that of odd rows does.
TEST(GivenFacts, RowsAreOddWhereSharedMemoryHasRoomForThem) {
  const ChangedFacts given([](device::DeviceFacts& facts) { facts.shared_bytes_a_block = 70000; });
  EXPECT_TRUE(lines::takes_odd_rows(576));
  EXPECT_TRUE(lines::supported(1000));
  EXPECT_FALSE(lines::takes_odd_rows(1000));
  EXPECT_THROW(lines::prepare(1000, Precision::f32, true), Error);
}

TEST(PlaneRecipes, FitAMultiprocessor) {
  const lines::Hardware hardware = lines::hardware_of(device::h200_facts());
  for (const int n : {12, 96, 343, 1000, 1536})
    for (const int m : {10, 60, 392, 1001, 2000}) {
      const std::vector<lines::PlaneCut> cuts = lines::plane_cuts(n, m, hardware);
      EXPECT_FALSE(cuts.empty()) << n << " x " << m;
      for (const lines::PlaneCut& cut : cuts) {
        EXPECT_EQ(cut.columns.n, n);
        EXPECT_EQ(cut.rows.n, m);
        EXPECT_EQ(cut.row_workers() % 32 + cut.column_workers() % 32, 0) << "whole warps";
        EXPECT_LE(cut.threads(), 1024);
        EXPECT_LE(lines::shared_bytes(cut, Precision::f64) + lines::reserved_shared_bytes, hardware.shared_bytes);
      }
    }
  EXPECT_TRUE(lines::plane_cuts(68, 64, hardware).empty()) << "a factor of 17";
  EXPECT_TRUE(lines::plane_cuts(8192, 64, hardware).empty()) << "no two columns fit";
}

TEST(PlaneRecipes, AreChosenByTheirStack) {
  const std::vector<lines::PlaneCut> cuts = lines::plane_cuts(96, 60, lines::hardware_of(device::h200_facts()));
  ASSERT_GE(cuts.size(), 8U);
  for (std::size_t i = 1; i < cuts.size(); ++i)
    EXPECT_LE(lines::expected_time_of(cuts[i - 1]), lines::expected_time_of(cuts[i]));
  std::size_t compiled = 0, begun = 0;
  const auto chosen = [&](std::vector<int> stacks) {
    compiled = begun = 0;
    stacks.resize(cuts.size(), stacks.back());
    const auto stack_of = [&](const lines::PlaneCut& one) {
      ++compiled;
      return stacks.at(static_cast<std::size_t>(&one - cuts.data()));
    };
    const lines::PlaneCut& cut = lines::fastest(cuts, stack_of, [&](const lines::PlaneCut&) {
      EXPECT_EQ(compiled, 1U) << "all others begin together";
      ++begun;
    });
    return &cut - cuts.data();
  };
  EXPECT_EQ(chosen({0}), 0);
  EXPECT_EQ(compiled, 1U) << "none is faster";
  EXPECT_EQ(begun, 0U);
  EXPECT_EQ(chosen({4000}), 0);
  EXPECT_LT(compiled, 8U) << "each takes a second or more";
  EXPECT_EQ(begun, compiled - 1);
  // The first one that has other lines, or fewer threads: the same again would have as much stack.
  std::size_t other = 1;
  while (same(cuts[0].rows, cuts[other].rows) && same(cuts[0].columns, cuts[other].columns) &&
         cuts[0].threads() <= cuts[other].threads())
    ++other;
  std::vector<int> stacks(other, 4000);
  stacks.push_back(0);
  EXPECT_EQ(chosen(stacks), static_cast<std::ptrdiff_t>(other));
  EXPECT_EQ(compiled, 2U);
}

TEST(PlaneRecipes, ComeLaterWithMuchCode) {
  const std::vector<lines::PlaneCut> cuts = lines::plane_cuts(440, 1000, lines::hardware_of(device::h200_facts()));
  const auto by_time = [](const lines::PlaneCut& a, const lines::PlaneCut& b) { return time_of(a) < time_of(b); };
  const lines::PlaneCut& quickest = *std::min_element(cuts.begin(), cuts.end(), by_time);
  EXPECT_FALSE(same(cuts.front(), quickest));
  EXPECT_FALSE(quickest.alike());
  EXPECT_GT(quickest.rows.points() + quickest.columns.points(), 50);
  EXPECT_GT(lines::expected_time_of(quickest), lines::time_of(quickest)) << "some stack";
}

TEST(GivenFacts, ASmallCacheHoldsSmallPlanesOnly) {
  const ChangedFacts given(with_small_cache);
  EXPECT_TRUE(lines::supported(1024));
  EXPECT_TRUE(lines::planes_supported(256, 256, Precision::f64, false));
  EXPECT_FALSE(lines::planes_supported(384, 384, Precision::f64, false));
  EXPECT_TRUE(says(report_of_a_plan(), "plane pass"));
}

const auto with_the_memory_of_an_h200 = [](device::DeviceFacts& facts) {
  facts.memory_bytes = device::h200_facts().memory_bytes;
};

/// What a plan over `devices` GPUs says it needs; nothing of that size is there.
PlanReport report_of(Transform transform, const Layout& input, int devices, Options options = {}) {
  std::vector<int> numbers;
  for (int device = 0; device < devices; ++device) numbers.push_back(device);
  options.effort = Effort::estimate;
  const auto used = [] { return device::standin::MemoryTable::instance().used(0); };
  const std::size_t before = used();
  Plan plan(Devices(numbers), transform, input, default_output, options);
  EXPECT_LT(used() - before, std::size_t{64} << 20);
  PlanReport report = plan.report();
  EXPECT_EQ(used() - before, report.table_bytes);
  return report;
}

TEST(GivenFacts, PlansOfAnySizeAreMadeWithoutTheirMemory) {
  const ChangedFacts given(with_the_memory_of_an_h200);
  for (const int devices : {1, 2, 4}) {
    const std::int64_t n = devices == 1 ? 1024 : 1536;
    const std::size_t array = static_cast<std::size_t>(16 * n * n * n / devices);
    const PlanReport slab = report_of(c2c<double>, Layout::slab({n, n, n}, devices), devices);
    EXPECT_LE(slab.workspace_bytes, 2 * array + (std::size_t{1} << 30)) << slab;
    EXPECT_EQ(slab.exchange, "cuda_peer") << slab;
  }
  const PlanReport pencil = report_of(r2c<float>, Layout::pencil({1536, 1536, 1536}, {2, 2}), 4);
  EXPECT_GT(pencil.workspace_bytes, 0U);
  EXPECT_THROW(report_of(c2c<double>, Layout::slab({2048, 2048, 2048}, 1), 1), Error);
}

struct LargeCase {
  Transform transform;
  std::int64_t fits, does_not;  ///< cubes over two GPUs
};

/// Arrays that nearly fill two GPUs, at most 5 % beside them; larger ones are refused before anything is allocated.
TEST(GivenFacts, TheLeastWorkspaceLeavesRoomForArraysThatFillTwoGpus) {
  const ChangedFacts given(with_the_memory_of_an_h200);
  const auto slabs = [](std::int64_t n) { return Layout::slab({n, n, n}, 2); };
  Options least;
  least.workspace = Workspace::least;
  for (const LargeCase& c : {LargeCase{c2c<double>, 2560, 2640}, {c2c<float>, 3200, 3360}, {r2c<double>, 3200, 3360}}) {
    const PlanReport report = report_of(c.transform, slabs(c.fits), 2, least);
    const std::size_t bytes = c.transform.precision == Precision::f64 ? 16 : 8;
    const auto points = static_cast<std::size_t>(c.transform.kind == Kind::r2c ? c.fits / 2 + 1 : c.fits);
    const std::size_t array = static_cast<std::size_t>(c.fits * c.fits / 2) * points * bytes;
    EXPECT_LE(report.workspace_bytes + report.table_bytes + report.library_bytes, array / 20) << report;
    const auto used = [] { return device::standin::MemoryTable::instance().used(0); };
    const std::size_t before = used();
    device::standin::MemoryTable::instance().forget_peaks();
    try {
      report_of(c.transform, slabs(c.does_not), 2, least);
      ADD_FAILURE() << "a cube of " << c.does_not << " is not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Status::out_of_memory) << error.what();
      EXPECT_NE(std::string(error.what()).find("for input and output"), std::string::npos) << error.what();
    }
    EXPECT_LT(device::standin::MemoryTable::instance().peak(0) - before, std::size_t{1} << 20);
  }
}

}  // namespace
}  // namespace shardfft::test
