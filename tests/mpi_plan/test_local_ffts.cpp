// Which library makes the local transforms of a plan: backends whose time is told by a clock of the test.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <list>
#include <utility>
#include <vector>

#include "base/hooks.hpp"
#include "exec/local_ffts.hpp"
#include "support/fake_time.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// FFTW, but each call and each planning takes as long as it is told to.
struct Fake {
  std::string name;
  double call_seconds = 0;
  double plan_seconds = 0;
  bool refuses = false;
  int calls = 0;
  std::vector<FftSpec> planned = {};
};

class FakeFft : public LocalFft {
 public:
  FakeFft(Fake& fake, FakeTime& time, const FftSpec& spec)
      : fake_(fake), time_(time), fft_(make_local_fft("fftw", spec)) {}
  std::size_t scratch_bytes() const override { return fft_->scratch_bytes(); }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    time_.now += fake_.call_seconds;
    ++fake_.calls;
    fft_->execute(in, out, scratch, ahead);
  }

 private:
  Fake& fake_;
  FakeTime& time_;
  std::unique_ptr<LocalFft> fft_;
};

Backend backend_of(Fake& fake, FakeTime& time) {
  Backend backend;
  backend.name = fake.name;
  backend.version = [name = fake.name] { return name + " 1.0"; };
  backend.make = [&fake, &time](const FftSpec& spec) -> std::unique_ptr<LocalFft> {
    if (fake.refuses) fail(Status::unsupported, fake.name, " has no such transform");
    fake.planned.push_back(spec);
    time.now += fake.plan_seconds;
    FftSpec quick = spec;
    quick.effort = Effort::estimate;
    return std::make_unique<FakeFft>(fake, time, quick);
  };
  return backend;
}

FftSpec spec_of(std::int64_t n, std::int64_t batch) {
  FftSpec spec;
  spec.transform = {{n, 1, 1}};
  spec.batch = {{batch, n, n}};
  return spec;
}

/// One transform that a pair of runs calls `calls` times.
LocalFftChoice choose(std::vector<Backend> candidates, FakeTime& time, Effort effort = Effort::measure, int calls = 1,
                      bool real = false) {
  LocalFfts ffts({std::move(candidates)}, effort);
  ffts.step("one", real).add(spec_of(8, 3))->add_calls(calls);
  const Installed<Clock> clock(time);
  return ffts.make(world());
}

/// What the libraries took for the only step; nothing where none was tried.
std::vector<double> seconds_of(const LocalFftChoice& choice) {
  EXPECT_EQ(choice.steps.size(), 1u);
  std::vector<double> seconds;
  for (const auto& time : choice.steps.at(0).times) seconds.push_back(time.seconds);
  return seconds;
}

/// All ranks have this name.
void expect_choice(const LocalFftChoice& choice, const std::string& name) {
  EXPECT_EQ(choice.name(), name);
  EXPECT_EQ(choice.version, name + " 1.0");
}

TEST(LocalFfts, AnInputThatMayBeOverwrittenNeedsNoMemoryBesideIt) {
  TransformCase c{{12, 10, 8}, "slab", "left", Kind::c2r, Precision::f64, quick()};
  c.options.axes = {1, 2};
  c.options.local_fft = "fftw";
  const std::size_t keeps = make_plan(MPI_COMM_WORLD, c).workspace_bytes();
  c.options.overwrite_input = true;
  for (const bool verify : {false, true}) {
    c.options.verify = verify;
    check_case(c);
  }
  c.options.verify = false;
  EXPECT_LT(make_plan(MPI_COMM_WORLD, c).workspace_bytes(), keeps);
}

TEST(LocalFfts, TheOneThatTakesLessTimeMakesThem) {
  for (const bool slow_first : {true, false}) {
    FakeTime time;
    Fake slow{"slow", 0.02};
    Fake swift{"swift", 0.01};
    std::vector<Backend> candidates{backend_of(slow, time), backend_of(swift, time)};
    if (!slow_first) std::swap(candidates[0], candidates[1]);
    const LocalFftChoice choice = choose(candidates, time);
    expect_choice(choice, "swift");
    ASSERT_EQ(seconds_of(choice).size(), 2u);
    EXPECT_NEAR(seconds_of(choice)[slow_first ? 0 : 1], 0.02, 1e-12);
    EXPECT_EQ(choice.why(), slow_first ? "measured: slow 20 ms, swift 10 ms" : "measured: swift 10 ms, slow 20 ms");
  }
}

TEST(LocalFfts, RealStepsExpectTheLibraryThatIsFastForThem) {
  FakeTime time;
  Fake any{"any", 0.01}, for_real{"for_real", 0.01};
  std::vector<Backend> candidates{backend_of(any, time), backend_of(for_real, time)};
  candidates[1].real_first = true;
  for (const Effort effort : {Effort::estimate, Effort::measure})
    for (const bool real : {false, true}) {
      const LocalFftChoice choice = choose(candidates, time, effort, 1, real);
      expect_choice(choice, real ? "for_real" : "any");
      EXPECT_EQ(seconds_of(choice).size(), effort == Effort::estimate ? 0u : 2u) << "the other one is tried as well";
    }
  // Hosts of other processors expect otherwise: then none comes first.
  candidates[1].real_first = world().rank() == 0;
  const bool alone = world().size() == 1;
  expect_choice(choose(candidates, time, Effort::estimate, 1, true), alone ? "for_real" : "any");
}

TEST(LocalFfts, CallsOfARunCountNotCallsOfTheTrial) {
  FakeTime time;
  Fake slow{"slow", 0.02};
  Fake swift{"swift", 0.01};
  const LocalFftChoice choice = choose({backend_of(slow, time), backend_of(swift, time)}, time, Effort::measure, 1000);
  ASSERT_EQ(seconds_of(choice).size(), 2u);
  EXPECT_NEAR(seconds_of(choice)[0], 20, 1e-9);
  EXPECT_LT(slow.calls, 10);
}

/// Every rank would choose otherwise; the slowest one counts.
TEST(LocalFfts, RanksAgreeThoughTheirTimesDiffer) {
  const bool odd = world().rank() % 2 == 1;
  FakeTime time;
  Fake a{"a", odd ? 0.010 : 0.030};
  Fake b{"b", odd ? 0.050 : 0.020};
  const LocalFftChoice choice = choose({backend_of(a, time), backend_of(b, time)}, time);
  expect_choice(choice, world().size() == 1 ? "b" : "a");
  ASSERT_EQ(seconds_of(choice).size(), 2u);
  EXPECT_NEAR(seconds_of(choice)[0], 0.030, 1e-12);
  EXPECT_NEAR(seconds_of(choice)[1], world().size() == 1 ? 0.020 : 0.050, 1e-12);
}

/// Hosts with processors of different makers expect different libraries.
TEST(LocalFfts, RanksAgreeThoughTheyExpectDifferentOnes) {
  for (const Effort effort : {Effort::estimate, Effort::measure}) {
    FakeTime time;
    Fake a{"a", 0.01};
    Fake b{"b", 0.01};
    std::vector<Backend> candidates{backend_of(a, time), backend_of(b, time)};
    if (world().rank() % 2 == 1) std::swap(candidates[0], candidates[1]);
    expect_choice(choose(candidates, time, effort), "a");
  }
}

TEST(LocalFfts, ASmallDifferenceKeepsTheExpectedOne) {
  FakeTime time;
  Fake first{"first", 0.100};
  Fake second{"second", 0.098};
  expect_choice(choose({backend_of(first, time), backend_of(second, time)}, time), "first");
}

TEST(LocalFfts, NothingIsMeasuredWithoutAChoice) {
  FakeTime time;
  Fake only{"only", 0.01};
  const LocalFftChoice pinned = choose({backend_of(only, time)}, time);
  expect_choice(pinned, "only");
  EXPECT_EQ(pinned.why(), "there is nothing else to choose from");
  Fake other{"other", 0.001};
  const LocalFftChoice estimated = choose({backend_of(only, time), backend_of(other, time)}, time, Effort::estimate);
  expect_choice(estimated, "only");
  EXPECT_EQ(estimated.why(), "by the processor's maker");
  EXPECT_EQ(only.calls + other.calls, 0);
  EXPECT_TRUE(other.planned.empty());
}

/// Some ranks were told a name: each keeps its own, and none waits for another.
TEST(LocalFfts, NothingIsMeasuredWhereSomeRanksHaveNoChoice) {
  FakeTime time;
  Fake a{"a", 0.02};
  Fake b{"b", 0.01};
  std::vector<Backend> candidates{backend_of(a, time), backend_of(b, time)};
  if (world().rank() == 0) candidates = {backend_of(b, time)};
  expect_choice(choose(candidates, time), world().rank() == 0 ? "b" : "a");
  EXPECT_EQ(a.calls + b.calls, 0);
}

TEST(LocalFfts, TheTrialTakesNoLongerThanTenRuns) {
  FakeTime time;
  Fake first{"first", 0.02};
  Fake second{"second", 0.001};
  second.plan_seconds = 0.11;
  // A run is half of a pair: ten take 0.1 s, and the second is not even planned in that time.
  const LocalFftChoice choice = choose({backend_of(first, time), backend_of(second, time)}, time);
  expect_choice(choice, "first");
  EXPECT_EQ(seconds_of(choice).size(), 1u);
  EXPECT_NE(choice.why().find("longer than 10 runs"), std::string::npos) << choice.why();
  ASSERT_EQ(second.planned.size(), 1u);
  EXPECT_TRUE(second.planned[0].deadline.has_value());
  EXPECT_FALSE(first.planned[0].deadline.has_value());
  EXPECT_EQ(second.calls, 0);
}

TEST(LocalFfts, TheTrialTakesNoLongerThanTwoSeconds) {
  FakeTime time;
  Fake first{"first", 0.3};
  Fake second{"second", 0.2};
  const LocalFftChoice choice = choose({backend_of(first, time), backend_of(second, time)}, time, Effort::measure, 100);
  expect_choice(choice, "second");
  EXPECT_LE(time.now, 2.0);
  EXPECT_GE(first.calls, 2);
  Fake endless{"endless", 1.5};
  FakeTime again;
  expect_choice(choose({backend_of(endless, again), backend_of(second, again)}, again), "endless");
  EXPECT_LE(again.now, 2.0);
}

TEST(LocalFfts, OneThatCannotMakeThemIsNoCandidate) {
  for (const Effort effort : {Effort::estimate, Effort::measure}) {
    FakeTime time;
    Fake first{"first", 0.01};
    Fake second{"second", 0.02};
    first.refuses = world().rank() == world().size() - 1;
    expect_choice(choose({backend_of(first, time), backend_of(second, time)}, time, effort), "second");
    second.refuses = world().rank() == 0;
    expect_error(Status::unsupported, "has no such transform", [&] {
      choose({backend_of(first, time), backend_of(second, time)}, time, effort);
    });
  }
}

/// Of a large batch a part is timed, and the whole is what runs.
TEST(LocalFfts, LargeBatchesAreTimedInPart) {
  constexpr std::int64_t n = 64, batch = 40000;  // 41 MB
  FakeTime time;
  Fake first{"first", 0.01};
  Fake second{"second", 0.02};
  LocalFfts ffts({{backend_of(first, time), backend_of(second, time)}}, Effort::measure);
  const auto fft = ffts.step("one").add(spec_of(n, batch));
  fft->add_calls(1);
  const Installed<Clock> clock(time);
  const LocalFftChoice choice = ffts.make(world());
  ASSERT_EQ(seconds_of(choice).size(), 2u);
  ASSERT_EQ(first.planned.size(), 2u);
  const std::int64_t part = first.planned[0].batch.at(0).count;
  EXPECT_LE(part * n * 16, std::int64_t{32} << 20);
  EXPECT_GE(part * n * 16, std::int64_t{31} << 20);
  EXPECT_EQ(first.planned[1].batch.at(0).count, batch);
  EXPECT_NEAR(seconds_of(choice)[0], 0.01 * static_cast<double>(batch) / static_cast<double>(part), 1e-9);
  std::vector<std::complex<double>> in(static_cast<std::size_t>(n * batch), 1.0), out(in.size());
  fft->execute(in.data(), out.data());
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i % n == 0 ? 64.0 : 0.0) << i;
}

TEST(LocalFfts, EqualTransformsAreMadeOnce) {
  LocalFfts ffts({candidates("fftw")}, Effort::estimate);
  const auto one = ffts.step("one").add(spec_of(8, 3));
  EXPECT_EQ(ffts.step("one").add(spec_of(8, 3)), one);
  EXPECT_NE(ffts.step("one").add(spec_of(8, 4)), one);
  EXPECT_NE(ffts.step("one").add(spec_of(8, 3), 2), one);
  EXPECT_NE(ffts.step("two").add(spec_of(8, 3)), one);
}

/// A library that is fast at lines of 8 points, and one that is at those of 16.
struct Rivals {
  FakeTime time;
  Fake eight{"eight", 0.01};
  Fake sixteen{"sixteen", 0.01};

  Backend backend(Fake& fake, std::int64_t slow_length) {
    Backend made = backend_of(fake, time);
    const auto make = made.make;
    Fake& slow = slow_fakes.emplace_back(Fake{fake.name, 0.03});
    const auto make_slow = backend_of(slow, time).make;
    made.make = [=](const FftSpec& spec) {
      return spec.transform.at(0).count == slow_length ? make_slow(spec) : make(spec);
    };
    return made;
  }
  std::vector<Backend> both() { return {backend(eight, 16), backend(sixteen, 8)}; }

  std::list<Fake> slow_fakes{};
};

/// A step of lines of 8 points and one of 16, which some ranks do not have.
std::pair<StepFfts, StepFfts> two_steps(LocalFfts& ffts) {
  const StepFfts short_lines = ffts.step("short"), long_lines = ffts.step("long");
  short_lines.add(spec_of(8, 3))->add_calls(1);
  if (world().rank() % 2 == 0) long_lines.add(spec_of(16, 3))->add_calls(1);
  if (world().rank() == 0) long_lines.add(spec_of(16, 5))->add_calls(1);
  return {short_lines, long_lines};
}

TEST(LocalFfts, EachStepHasItsFastest) {
  Rivals rivals;
  LocalFfts ffts({rivals.both()}, Effort::measure);
  two_steps(ffts);
  const Installed<Clock> clock(rivals.time);
  const LocalFftChoice choice = ffts.make(world());
  EXPECT_EQ(choice.name(), "eight, sixteen");
  EXPECT_EQ(choice.version, "eight 1.0 and sixteen 1.0");
  ASSERT_EQ(choice.steps.size(), 2u);
  EXPECT_EQ(choice.steps[0].step + " " + choice.steps[0].name, "short eight");
  EXPECT_EQ(choice.steps[1].step + " " + choice.steps[1].name, "long sixteen");
  EXPECT_EQ(choice.why(),
            "measured: eight 70 ms, sixteen 50 ms; together 30 ms; eight makes short; sixteen makes long");
}

/// It may still make others.
TEST(LocalFfts, OneThatCannotMakeAStepIsNoCandidateForIt) {
  for (const Effort effort : {Effort::estimate, Effort::measure}) {
    Rivals rivals;
    std::vector<Backend> both = rivals.both();
    both[0].make = [make = both[0].make](const FftSpec& spec) {
      if (spec.transform.at(0).count == 8 && world().rank() == world().size() - 1)
        fail(Status::unsupported, "no lines of 8 points here");
      return make(spec);
    };
    LocalFfts ffts({both}, effort);
    two_steps(ffts);
    const Installed<Clock> clock(rivals.time);
    const LocalFftChoice choice = ffts.make(world());
    ASSERT_EQ(choice.steps.size(), 2u);
    EXPECT_EQ(choice.steps[0].name, "sixteen");
    EXPECT_EQ(choice.steps[1].name, effort == Effort::measure ? "sixteen" : "eight");
  }
}

/// Programs that a plan makes later have steps of the same names, and others.
TEST(LocalFfts, WhatWasChosenForAStepStays) {
  Rivals rivals;
  const FftMakers makers{rivals.both(), {{"short", "sixteen"}}};
  LocalFfts ffts(makers, Effort::measure);
  two_steps(ffts);
  const Installed<Clock> clock(rivals.time);
  LocalFftChoice choice = ffts.make(world());
  ASSERT_EQ(choice.steps.size(), 2u);
  EXPECT_EQ(choice.steps[0].name, "sixteen");
  EXPECT_EQ(choice.steps[0].times.size(), 1u);
  EXPECT_EQ(choice.steps[1].name, "sixteen");
  EXPECT_EQ(choice.steps[1].times.size(), 2u);
  const double before = rivals.time.now;
  LocalFfts again({rivals.both(), {{"short", "sixteen"}, {"long", "eight"}}}, Effort::measure);
  two_steps(again);
  choice = again.make(world());
  EXPECT_EQ(choice.name(), "sixteen, eight");
  EXPECT_EQ(choice.why(), "as chosen before: sixteen makes short; eight makes long");
  EXPECT_EQ(rivals.time.now, before) << "nothing was timed";
}

/// A library that measures while it plans begins with what takes longest, and has a share of the time for each step.
TEST(LocalFfts, PlanningTimeIsSharedByTheSteps) {
  FakeTime time;
  Fake first{"first", 0.01};
  Fake second{"second", 0.001};
  LocalFfts ffts({{backend_of(first, time), backend_of(second, time)}}, Effort::measure);
  ffts.step("light").add(spec_of(8, 3))->add_calls(1);
  ffts.step("heavy").add(spec_of(16, 3))->add_calls(3);
  const Installed<Clock> clock(time);
  ffts.make(world());
  ASSERT_EQ(second.planned.size(), 2u);
  EXPECT_EQ(second.planned[0].transform[0].count, 16);
  EXPECT_LT(second.planned[0].deadline.value(), second.planned[1].deadline.value());
}

}  // namespace
}  // namespace shardfft::test
