// The way of a plan, as a value: its text, and plans that are made from it.
#include <gtest/gtest.h>

#include "base/hooks.hpp"
#include "choose/trial.hpp"
#include "choose/way.hpp"
#include "shardfft/version.h"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

const std::string version = std::string("shardfft ") + SHARDFFT_VERSION;

Way any_way() {
  Way way{"pencil", "p2p", 8, {2, 3}, 6, Spare::few, 4096};
  way.libraries = {{"c2c 12 forward", "fftw"}, {"c2c 8 6 backward, side by side", "lanes"}};
  way.passes = {{"c2c 12 forward", "plane_pass 12 8 + line_pass 6 | cufft_pass 12 8 6"}};
  way.exchanges = {{"1x2x2 - 2x1x2", "ring"}};
  return way;
}

TEST(Way, ReadsItselfBack) {
  for (const Way& way : {any_way(), Way{"slab", "shared_window"}, Way{"brick", "alltoallv", 0}}) {
    const std::string text = way.text();
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(Way::parse(text), way) << text;
    EXPECT_EQ(Way::parse(text).text(), text);
    EXPECT_EQ(differences(way, Way::parse(text)), "");
  }
  EXPECT_EQ((Way{"slab", "p2p"}).text(),
            version + "; algorithm=slab; exchange=p2p; chunks=1; grid=; active=0; room=fast; past_cache=0");
}

TEST(Way, RefusesOtherTexts) {
  const auto refused = [](const std::string& text) {
    try {
      Way::parse(text);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Status::invalid_argument);
      return std::string(e.what());
    }
    return std::string("nothing was wrong");
  };
  const auto expect = [&](const std::string& text, const std::string& words) {
    EXPECT_NE(refused(text).find(words), std::string::npos) << text << ": " << refused(text);
  };
  const std::string good = any_way().text();
  const auto changed = [&](const std::string& from, const std::string& to) {
    return std::string(good).replace(good.find(from), from.size(), to);
  };
  expect("", "takes the line of a plan's report");
  expect("slab", "takes the line of a plan's report");
  expect(changed(version, "shardfft 0.0.1"), "is of shardfft 0.0.1, but this library is " + version);
  expect(changed("chunks=8", "chunks=-8"), "chunks=-8; a number of at least 0 is needed");
  expect(changed("chunks=8", "chunks=8x"), "chunks=8x");
  expect(changed("grid=2,3", "grid=2,"), "grid=");
  expect(changed("room=few", "room=small"), "none of fast, few, one_array");
  expect(changed("; exchange=p2p", ""), "does not say exchange");
  expect(good + "; exchange=p2p", "'exchange', which is unknown or stands there twice");
  expect(good + "; speed=1", "'speed', which is unknown or stands there twice");
  expect(good + "; library", "name=value is needed");
}

TEST(Way, HasEachPlanOfATransformOnce) {
  Way way;
  for (const char* plans : {"planes 8 8", "lines 8 + lines 8 | planes 8 8", "planes 8", "lines 8 + lines 8"})
    way.add_passes("c2c 8 8 forward", plans);
  EXPECT_EQ(way.passes["c2c 8 8 forward"], "planes 8 8 | lines 8 + lines 8 | planes 8");
}

TEST(Way, TellsDifferences) {
  Way other = any_way();
  other.chunks = 1;
  other.libraries["c2c 12 forward"] = "lanes";
  other.libraries.erase("c2c 8 6 backward, side by side");
  EXPECT_EQ(differences(any_way(), other),
            "chunks is '1', not '8', library c2c 12 forward is 'lanes', not 'fftw', library c2c 8 6 backward, side by "
            "side is absent, not 'lanes'");
}

TransformCase measured(const std::string& algorithm, const std::string& input, const std::string& output, Kind kind,
                       int ranks_per_host) {
  TransformCase c{{36, 40, 24}, input, output, kind, Precision::f64, quick(algorithm)};
  c.options.effort = Effort::measure;
  c.options.exchange = "auto";
  c.options.local_fft = "auto";
  c.options.chunks = 0;
  c.options.fake_ranks_per_host = ranks_per_host;
  return c;
}

/// How many trials begin while a plan is made.
struct Made {
  TrialCount trials{};
  Installed<TrialCount> installed{trials};
  Plan plan;
  explicit Made(const TransformCase& c) : plan(make_plan(MPI_COMM_WORLD, c)) {}
};

TEST(Way, APlanMadeFromItMeasuresNothing) {
  for (TransformCase c :
       {measured("auto", "brick", "natural", Kind::c2c, 0), measured("auto", "pencil", "natural", Kind::r2c, 2),
        measured("pencil", "brick", "left", Kind::c2r, 1)}) {
    SCOPED_TRACE(c.name());
    Made first(c);
    EXPECT_GT(first.trials.begun, 0) << "the test is to see that there are trials";
    const PlanReport report = first.plan.report();
    EXPECT_NE(report.to_text().find("way " + report.way + "\n"), std::string::npos);
    c.options.algorithm = "auto";
    c.options.way = report.way;
    Made again(c);
    EXPECT_EQ(again.plan.report().way, report.way);
    EXPECT_EQ(again.plan.workspace_bytes(), first.plan.workspace_bytes());
    check_plan(again.plan, c);
    EXPECT_EQ(again.trials.begun, 0);
  }
}

/// The exchanges of a program, as its steps say.
std::vector<std::string> exchanges_of(const PlanReport::Program& program) {
  std::vector<std::string> found;
  for (const PlanReport::Step& step : program.steps)
    for (const char* name : {"pairwise_xor", "ring", "alltoallv"})
      if (step.text.find(name) != std::string::npos) found.emplace_back(name);
  return found;
}

/// The error of all ranks.
std::string refused(const TransformCase& c, Status status = Status::invalid_argument) {
  std::string told;
  try {
    make_plan(MPI_COMM_WORLD, c);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), status) << e.what();
    told = e.what();
  }
  EXPECT_FALSE(told.empty()) << "the way was taken";
  EXPECT_FALSE(world().differ({std::hash<std::string>()(told)})[0]) << told;
  return told;
}

TEST(Way, IsRefusedWhereItDoesNotFit) {
  const auto contains = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  const TransformCase c = measured("slab", "slab", "left", Kind::c2c, 1);
  TransformCase other = c;
  other.options.algorithm = "auto";
  other.options.way = make_plan(MPI_COMM_WORLD, c).report().way;
  other.shape = {24, 36, 20};
  contains(refused(other), "the option way does not fit this plan: library c2c");
  other.shape = c.shape;
  other.options.algorithm = "pencil";
  contains(refused(other), "option algorithm is pencil, but the option way says slab");
  other.options.algorithm = "auto";
  const std::string way = other.options.way;
  const auto told = [&](const std::string& from, const std::string& to) {
    other.options.way = std::string(way).replace(way.find(from), from.size(), to);
    return refused(other);
  };
  contains(told("algorithm=slab", "algorithm=diagonal"), "unknown algorithm 'diagonal'");
  contains(told("grid=", "grid=7,7"), "grid");
  contains(told("active=0", "active=99"), "active=99, but the plan has");
  contains(told(version, "shardfft 9.9.9"), "is of shardfft 9.9.9");
  contains(told("library c2c", "library r2c"), "does not fit this plan");
  if (world().size() == 1) return;
  other.options.way = world().rank() == 0 ? way : "";
  contains(refused(other, Status::mismatch), "different values of option");
}

TEST(Way, NamesALibraryThatIsOnlyTakenByName) {
  TransformCase c = measured("slab", "slab", "left", Kind::c2c, 1);
  c.options.algorithm = "auto";
  c.options.local_fft = "reference";
  c.options.way = make_plan(MPI_COMM_WORLD, c).report().way;
  c.options.local_fft = "lanes";
  EXPECT_NE(refused(c).find("option local_fft is lanes, but the option way says reference"), std::string::npos);
  for (const char* given : {"auto", "reference"}) {
    c.options.local_fft = given;
    EXPECT_EQ(make_plan(MPI_COMM_WORLD, c).report().way, c.options.way) << given;
  }
}

/// Of a pencil, forward and backward alike.
TEST(Way, HasAnExchangeOfEachChangeOfLayout) {
  if (world().size() != 4) GTEST_SKIP() << "made for 4 ranks";
  TransformCase c{{12, 10, 8}, "pencil", "left", Kind::r2c, Precision::f64, quick("pencil")};
  c.options.exchange = "alltoallv";
  const std::string way = make_plan(MPI_COMM_WORLD, c).report().way;
  c.options.algorithm = c.options.exchange = "auto";
  const auto with = [&](const std::string& entry) {
    c.options.way = way;
    c.options.way.insert(way.find("; library"), "; exchange " + entry);
  };
  with("1x2x2 - 2x1x2=ring");
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const PlanReport report = plan.report();
  EXPECT_EQ(report.way, c.options.way);
  const std::vector<std::string> there = exchanges_of(report.forward), back = exchanges_of(report.backward);
  EXPECT_EQ(there, (std::vector<std::string>{"alltoallv", "ring"})) << report.to_text();
  EXPECT_EQ(back, (std::vector<std::string>{"ring", "alltoallv"}));
  check_plan(plan, c);
  with("1x2x2 - 2x1x2=bogus");
  EXPECT_NE(refused(c).find("unknown exchange \"bogus\""), std::string::npos);
  with("1x1x4 - 2x1x2=ring");
  EXPECT_NE(refused(c).find("no change of layout '1x1x4 - 2x1x2' in messages"), std::string::npos);
}

}  // namespace
}  // namespace shardfft::test
