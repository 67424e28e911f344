// Plans that read shared memory leave in the output what stays on a rank: less shared memory, and the numbers of plans
// that send messages. Arrays are larger than a core's own cache: smaller ones are not divided.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <random>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

struct DividedCase {
  Transform transform{};
  Layout input{};
  std::int64_t batch = 1;
  int threads = 1;
  double shared = 0;  ///< of the larger side, at most
  std::string algorithm = "slab";
};

Plan plan_of(const DividedCase& c, const std::string& exchange, bool in_place = false) {
  Options o = quick(c.algorithm);
  o.exchange = exchange;
  o.batch = c.batch;
  o.threads = c.threads;
  o.in_place = in_place;
  return Plan(MPI_COMM_WORLD, c.transform, c.input, default_output, o);
}

std::vector<std::byte> drawn(std::size_t bytes, Precision precision) {
  std::vector<std::byte> array(bytes);
  std::mt19937 random(static_cast<unsigned>(world().rank()) + 1);
  const auto fill = [&]<class T>(T /*type*/) {
    for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
      const T number = static_cast<T>(random()) / static_cast<T>(random.max()) - T{0.5};
      std::memcpy(array.data() + at, &number, sizeof(T));
    }
  };
  precision == Precision::f64 ? fill(double{}) : fill(float{});
  return array;
}

template <class T>
double largest_difference(const std::byte* a, const std::byte* b, std::size_t bytes) {
  double most = 0;
  for (std::size_t i = 0; i < bytes / sizeof(T); ++i)
    most = std::max(most, std::abs(static_cast<double>(reinterpret_cast<const T*>(a)[i]) -
                                   static_cast<double>(reinterpret_cast<const T*>(b)[i])));
  return most;
}

void expect_same(const DividedCase& c, const std::byte* a, const std::byte* b, std::size_t bytes) {
  const bool is_double = c.transform.precision == Precision::f64;
  const double difference =
      is_double ? largest_difference<double>(a, b, bytes) : largest_difference<float>(a, b, bytes);
  EXPECT_LT(difference, is_double ? 1e-9 : 1e-1);
}

void check(const DividedCase& c) {
  Plan reads = plan_of(c, "shared_window"), sends = plan_of(c, "p2p");
  const std::size_t in_bytes = reads.input().bytes(), out_bytes = reads.output().bytes(), both = reads.in_place_bytes();
  EXPECT_LE(
      static_cast<double>(reads.report().window_bytes),
      c.shared * static_cast<double>(world().max(static_cast<std::int64_t>(std::max(in_bytes, out_bytes)))) + 8192);
  const std::vector<std::byte> in = drawn(in_bytes, c.transform.precision);
  std::vector<std::byte> out(out_bytes), expected(out_bytes), back(in_bytes), expected_back(in_bytes), place(both);
  sends.forward(in.data(), expected.data());
  sends.backward(expected.data(), expected_back.data());
  const bool equal = !any_rank(in_bytes != both || out_bytes != both);
  for (int run = 0; run < 2; ++run) {
    reads.forward(in.data(), out.data());
    expect_same(c, out.data(), expected.data(), out_bytes);
    reads.backward(expected.data(), back.data());
    expect_same(c, back.data(), expected_back.data(), in_bytes);
    if (!equal) continue;  // calls in place need the option in_place
    std::copy(in.begin(), in.end(), place.begin());
    reads.forward(place.data(), place.data());
    expect_same(c, place.data(), expected.data(), out_bytes);
    std::copy(expected.begin(), expected.end(), place.begin());
    reads.backward(place.data(), place.data());
    expect_same(c, place.data(), expected_back.data(), in_bytes);
  }
  const Buffer shared_in = reads.allocate_input(), shared_out = reads.allocate_output();
  std::memcpy(shared_in.data(), in.data(), in_bytes);
  reads.forward(shared_in.data(), shared_out.data());
  expect_same(c, static_cast<const std::byte*>(shared_out.data()), expected.data(), out_bytes);
}

TEST(StayingPart, LeavesTheOtherElementsInSharedMemory) {
  const int ranks = world().size();
  if (ranks == 1) GTEST_SKIP() << "nothing is shared";
  const auto share = [](std::int64_t extent, std::int64_t n) {
    return 1 - static_cast<double>(extent / n) / static_cast<double>(extent) * (1 - 0.01);
  };
  const Shape even{64, 96, 88}, odd{67, 98, 90};
  for (const Shape& shape : {even, odd}) {
    SCOPED_TRACE(std::to_string(shape[0]) + " planes");
    const Layout slab = Layout::slab(shape, ranks);
    const int threads = shape == odd ? 2 : 1;
    check({c2c<double>, slab, 1, threads, share(shape[1], ranks)});
    check({r2c<double>, slab, 1, threads, share(shape[1], ranks) * 45 / 44});
  }
  check({c2c<float>, Layout::slab(odd, ranks), 3, 1, share(98, ranks)});
  if (ranks != 4) return;
  check({c2c<double>, Layout::pencil({32, 36, 40}, {2, 2}), 1, 1, 1.55, "pencil"});  // two arrays between reshapes
}

TEST(StayingPart, NotInArraysThatAreInputAndOutput) {
  const int ranks = world().size();
  if (ranks == 1) GTEST_SKIP() << "nothing is shared";
  const DividedCase c{c2c<double>, Layout::slab({64, 96, 80}, ranks)};
  Plan plan = plan_of(c, "shared_window", true), sends = plan_of(c, "p2p");
  EXPECT_GE(plan.report().window_bytes, plan.output().bytes());
  const std::vector<std::byte> in = drawn(plan.input().bytes(), Precision::f64);
  std::vector<std::byte> place = in, expected(plan.output().bytes());
  place.resize(plan.in_place_bytes());
  sends.forward(in.data(), expected.data());
  plan.forward(place.data(), place.data());
  expect_same(c, place.data(), expected.data(), expected.size());
}

}  // namespace
}  // namespace shardfft::test
