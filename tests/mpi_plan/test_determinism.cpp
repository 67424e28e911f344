// The same options and choices give the same bits: from run to run of a plan, and from plan to plan of a process.
#include <gtest/gtest.h>

#include <optional>

#include "base/aligned.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// Both results of a plan, as bytes; arrays are aligned alike, because local FFT libraries choose by alignment.
struct Bits {
  std::vector<std::byte> forward, backward;
  bool operator==(const Bits&) const = default;
};

AlignedMemory random_array(const Side& side) {
  AlignedMemory memory = allocate_aligned(side.bytes());
  LocalArray values(side);
  for (std::int64_t i = 0; i < side.count(); ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    values.set(i, {noise(7, number, 0), noise(8, number, static_cast<std::uint64_t>(side.rank))});
  }
  if (side.bytes() > 0) std::memcpy(memory.get(), values.data(), side.bytes());
  return memory;
}

std::vector<std::byte> bytes_of(const AlignedMemory& memory, std::size_t bytes) {
  return {memory.get(), memory.get() + bytes};
}

Bits run(Plan& plan) {
  const AlignedMemory field = random_array(plan.input());
  const AlignedMemory spectrum = allocate_aligned(plan.output().bytes());
  const AlignedMemory result = allocate_aligned(plan.input().bytes());
  plan.forward(field.get(), spectrum.get());
  plan.backward(spectrum.get(), result.get());
  return {bytes_of(spectrum, plan.output().bytes()), bytes_of(result, plan.input().bytes())};
}

void check_repeats(const TransformCase& c) {
  SCOPED_TRACE(c.name() + ", " + std::to_string(c.options.threads) + " threads");
  Plan first = make_plan(MPI_COMM_WORLD, c);
  const Bits bits = run(first);
  for (int again = 0; again < 3; ++again) EXPECT_TRUE(run(first) == bits) << "run " << again + 2;
  Plan second = make_plan(MPI_COMM_WORLD, c);
  EXPECT_TRUE(run(second) == bits) << "of another plan";
  // Another kind has other steps: with it in between nothing may be left over from the last run.
  EXPECT_TRUE(run(first) == bits) << "after another plan";
}

struct Variety {
  std::string algorithm;
  Shape shape;
};

const std::vector<Variety> varieties{{"slab", {16, 12, 20}},         {"pencil", {16, 12, 20}}, {"brick", {16, 12, 20}},
                                     {"cyclic", {64, 64}},           {"six_step", {4096}},     {"cannon", {16, 12, 20}},
                                     {"cannon_hybrid", {16, 12, 20}}};

TEST(Determinism, EveryExchangeAndAlgorithm) {
  std::size_t turn = 0;
  for (const std::string& exchange : exchange_names())
    for (const Variety& v : varieties) {
      const bool complex = v.algorithm == "cyclic" || turn % 2 == 0;
      TransformCase c{v.shape,
                      "slab",
                      turn % 3 == 0 ? "natural" : "left",
                      complex ? Kind::c2c : Kind::r2c,
                      turn % 4 == 3 ? Precision::f32 : Precision::f64,
                      quick(v.algorithm)};
      c.options.exchange = exchange;
      c.options.threads = 2;
      c.options.chunks = static_cast<int>(1 + turn % 3);
      c.options.batch = static_cast<std::int64_t>(1 + turn % 2);
      ++turn;
      check_repeats(c);
    }
}

TEST(Determinism, EveryLocalFft) {
  for (const std::string& local : local_fft_names()) {
    if (local == "auto") continue;
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      TransformCase c{{24, 20, 18}, "slab", "left", kind, Precision::f64, quick()};
      c.options.local_fft = local;
      c.options.threads = 2;
      check_repeats(c);
    }
  }
}

/// They compute a line in one way, however many lines each thread and each chunk has.
TEST(Determinism, LanesWithAnyThreadsAndChunks) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    std::optional<Bits> wanted;
    for (const int threads : {1, 2, 3})
      for (const int chunks : {1, 3}) {
        TransformCase c{{48, 40, 36}, "slab", "left", kind, Precision::f64, quick()};
        c.options.local_fft = "lanes";
        c.options.exchange = "p2p";
        c.options.threads = threads;
        c.options.chunks = chunks;
        Plan plan = make_plan(MPI_COMM_WORLD, c);
        const Bits bits = run(plan);
        if (!wanted) wanted = bits;
        EXPECT_TRUE(bits == *wanted) << to_text(kind) << ", " << threads << " threads, " << chunks << " chunks";
      }
  }
}

/// What FFTW measured once in a process it takes again.
TEST(Determinism, MeasuredPlans) {
  for (const std::string& local : local_fft_names()) {
    if (local == "auto" || local == "reference") continue;
    TransformCase c{{24, 20, 36}, "slab", "left", Kind::c2c, Precision::f64, quick()};
    c.options.effort = Effort::measure;
    c.options.local_fft = local;
    c.options.exchange = "p2p";
    c.options.chunks = 2;
    check_repeats(c);
  }
}

}  // namespace
}  // namespace shardfft::test
