// Arrays of any elements from any layout to any other, every element at its place.
#include <gtest/gtest.h>

#include "support/moved.hpp"
#include "support/random_plans.hpp"

namespace shardfft::test {
namespace {

void check_moved(const Layout& from, const Layout& to, std::size_t bytes, const Options& options) {
  SCOPED_TRACE(from.describe() + " to " + to.describe() + ", " + std::to_string(bytes) + " bytes, " + options.exchange);
  const int rank = world().rank();
  const auto before = encoded_array(from, rank, options.batch, bytes),
             after = encoded_array(to, rank, options.batch, bytes);
  Redistribution planned(MPI_COMM_WORLD, from, to, bytes, options);
  EXPECT_EQ(planned.input_count() * static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(before.size()));
  EXPECT_EQ(planned.output_count() * static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(after.size()));
  for (int run = 0; run < 2; ++run) {
    std::vector<std::byte> out(after.size()), back(before.size());
    planned.forward(before.data(), out.data());
    EXPECT_TRUE(out == after) << "forward";
    planned.backward(after.data(), back.data());
    EXPECT_TRUE(back == before) << "backward";
    std::vector<std::byte> both(std::max(before.size(), after.size()));
    std::copy(before.begin(), before.end(), both.begin());
    planned.forward(both.data(), both.data());
    EXPECT_TRUE(std::equal(after.begin(), after.end(), both.begin())) << "in place";
  }
  const Buffer in = planned.allocate_input(), out = planned.allocate_output();
  ASSERT_EQ(in.bytes(), before.size());
  ASSERT_EQ(out.bytes(), after.size());
  std::copy(before.begin(), before.end(), in.as<std::byte>());
  planned.forward(in.data(), out.data());
  EXPECT_TRUE(std::equal(after.begin(), after.end(), out.as<std::byte>())) << "in arrays of its own";
}

TEST(Redistribution, RandomLayoutsAndElements) {
  Random random(seed());
  const std::size_t sizes[] = {1, 2, 4, 8, 16, 3, 6, 12, 24, 40};
  for (int i = 0; i < 24; ++i) {
    Shape shape;
    for (std::int64_t axes = random.integer(1, 4); axes > 0; --axes) shape.push_back(random.integer(1, 9));
    const Layout from = random_layout(random, shape, world().size()), to = random_layout(random, shape, world().size());
    Options options;
    const std::vector<std::string> names = exchange_names();
    if (random.coin()) options.exchange = one_of(random, names);
    options.batch = random.integer(1, 3);
    options.threads = static_cast<int>(random.integer(1, 2));
    check_moved(from, to, sizes[random.integer(0, 9)], options);
  }
}

TEST(Redistribution, TypedArraysAndTheShortForm) {
  const int ranks = world().size();
  const Layout planes = Layout::slab({7, 6, 5}, ranks), bricks = Layout::brick({7, 6, 5}, ranks);
  const Side from{planes, {}, 1, world().rank()}, to{bricks, {}, 1, world().rank()};
  std::vector<float> in(from.size());
  for_own_elements(from, 0, [&](std::int64_t at, std::int64_t i) { in[to_size(at)] = static_cast<float>(i); });
  const std::vector<float> out = redistribute(MPI_COMM_WORLD, planes, bricks, in);
  ASSERT_EQ(out.size(), to.size());
  for_own_elements(to, 0, [&](std::int64_t at, std::int64_t i) { EXPECT_EQ(out[to_size(at)], static_cast<float>(i)); });
  Redistribution planned(MPI_COMM_WORLD, planes, bricks, 4);
  Redistribution moved = std::move(planned);
  std::vector<float> back(from.size());
  moved.backward(out, back);
  EXPECT_TRUE(back == in);
  expect_error(Status::invalid_argument, "moved from", [&] { planned.forward(in, back); });
  std::vector<double> doubles(200);
  expect_error(Status::invalid_argument, "elements of 8 bytes; 4 are expected",
               [&] { moved.forward(doubles, doubles); });
}

TEST(Redistribution, BothWaysToMoveData) {
  const int ranks = world().size();
  const Layout from = Layout::slab({8, 6, 5}, ranks), to = Layout::slab({8, 6, 5}, ranks, 1, {2, 0, 1});
  for (const std::string& exchange : exchange_names()) {
    Options options;
    options.exchange = exchange;
    for (const std::size_t bytes : {std::size_t{2}, std::size_t{8}, std::size_t{12}})
      check_moved(from, to, bytes, options);
    EXPECT_EQ(Redistribution(MPI_COMM_WORLD, from, to, 8, options).exchange(), exchange);
  }
}

TEST(Redistribution, Refusals) {
  const int ranks = world().size();
  const Layout a = Layout::slab({8, 6}, ranks), b = Layout::slab({8, 7}, ranks);
  const auto bad = [](const std::string& words, const std::function<void()>& work) {
    expect_error(Status::invalid_argument, words, work);
  };
  bad("different shapes, 8x6 and 8x7", [&] { Redistribution(MPI_COMM_WORLD, a, b, 8); });
  bad("is empty", [&] { Redistribution(MPI_COMM_WORLD, a, Layout(), 8); });
  bad("0 bytes", [&] { Redistribution(MPI_COMM_WORLD, a, a, 0); });
  bad("made for", [&] { Redistribution(MPI_COMM_WORLD, a, Layout::slab({8, 6}, ranks + 1), 8); });
  Options options;
  options.algorithm = "slab";
  bad("option algorithm has no effect", [&] { Redistribution(MPI_COMM_WORLD, a, a, 8, options); });
  if (ranks > 1)
    expect_error(Status::mismatch, "sizes of elements",
                 [&] { Redistribution(MPI_COMM_WORLD, a, a, world().rank() == 0 ? 4 : 8); });
  Redistribution good(MPI_COMM_WORLD, a, Layout::slab({8, 6}, ranks, 1), 8);
  std::vector<double> x(48);
  bad("null pointer", [&] { good.forward(static_cast<const void*>(nullptr), x.data()); });
  bad("overlap in part", [&] { good.forward(static_cast<const void*>(x.data()), static_cast<void*>(x.data() + 1)); });
}

}  // namespace
}  // namespace shardfft::test
