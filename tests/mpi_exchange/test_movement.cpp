// Both ways to move data, messages by every exchange and reading of others' memory, under the cases of exchanges: whole
// reshapes, as runners run them.
#include "exec/movement.hpp"
#include "layouts.hpp"
#include "shardfft/redistribution.hpp"

namespace shardfft {
namespace {

using namespace kit;

std::vector<std::byte> encoded(const Layout& layout, std::size_t bytes, std::uint64_t salt) {
  const int rank = world().rank();
  std::vector<std::byte> array(static_cast<std::size_t>(layout.count(rank)) * bytes);
  for (const Piece& piece : layout.pieces(rank))
    for_elements(piece, layout.shape(), [&](std::int64_t offset, std::int64_t number) {
      encode(array.data() + static_cast<std::size_t>(offset) * bytes, bytes, static_cast<std::uint64_t>(number), salt);
    });
  return array;
}

void conform_whole(const std::string& exchange, const Case& c) {
  SCOPED_TRACE(exchange + " on " + c.name);
  Options options;
  options.exchange = exchange;
  options.threads = c.threads;
  options.fake_ranks_per_host = c.fake_ranks_per_host;
  Redistribution moved(world().get(), c.from, c.to, c.element_bytes, options);
  EXPECT_EQ(moved.exchange(), exchange);
  for (std::uint64_t salt = 1; salt <= 3; ++salt) {
    const auto before = encoded(c.from, c.element_bytes, salt), after = encoded(c.to, c.element_bytes, salt);
    std::vector<std::byte> out(after.size()), back(before.size());
    moved.forward(before.data(), out.data());
    EXPECT_TRUE(out == after) << "forward";
    moved.backward(out.data(), back.data());
    EXPECT_TRUE(back == before) << "backward";
  }
}

class BothWays : public testing::TestWithParam<std::string> {};

TEST_P(BothWays, AllLayouts) {
  for (const Case& c : cases()) conform_whole(GetParam(), c);
}

TEST_P(BothWays, ElementSizesThreadsAndFakeHosts) {
  int turn = 0;
  for (Case c : some_cases()) {
    c.element_bytes = turn % 2 == 0 ? 4 : 16;
    c.threads = 1 + turn % 2;
    c.fake_ranks_per_host = turn++ % 3 + 1;
    conform_whole(GetParam(), c);
  }
}

INSTANTIATE_TEST_SUITE_P(Exchanges, BothWays, testing::ValuesIn(exchange_names()),
                         [](const auto& exchange) { return exchange.param; });

/// Pencils on a grid of ranks by two change inside pairs of neighbours, or across them.
Program reshape(bool in_pairs) {
  const std::int64_t columns = world().size() % 2 == 0 ? 2 : 1;
  const Shape shape{8, 8, 8}, grid{world().size() / columns, columns};
  const Layout middle = Layout::pencil(shape, grid, 1), other = Layout::pencil(shape, grid, in_pairs ? 2 : 0);
  return {"test", {State{.layout = middle}, State{.layout = other}}, {ReshapeStep{}}};
}

Movement choose(const Options& options, const Program& program, std::size_t bytes) {
  const auto host = std::make_shared<HostMemory>(world(), options.fake_ranks_per_host);
  return choose_movement(world(), options, program, bytes, host);
}

TEST(Movement, SaysWhyItDoesNotRead) {
  const HostMemory host(world(), 0);
  EXPECT_NE(refusal(world(), host, std::size_t{1} << 60).find("there is no room: "), std::string::npos);
  Options options;
  const Movement large = choose(options, reshape(true), std::size_t{1} << 60);
  EXPECT_EQ(large.exchange, "alltoallv");
  EXPECT_EQ(large.host, nullptr);
  ASSERT_TRUE(large.choice.has_value());
  EXPECT_NE(large.choice->why.find("three arrays of"), std::string::npos);
  const Movement small = choose(options, reshape(true), 8);
  EXPECT_EQ(small.host != nullptr, refusal(world(), HostMemory(world(), 0), 8).empty());
  EXPECT_TRUE(small.others.empty());
  options.exchange = "ring";
  EXPECT_FALSE(choose(options, reshape(true), 8).choice.has_value());
}

TEST(Movement, ReadsAcrossHostsWhatStaysInside) {
  if (world().size() != 4) GTEST_SKIP() << "two hosts of two ranks";
  if (!refusal(world(), HostMemory(world(), 0), 8).empty()) GTEST_SKIP() << refusal(world(), HostMemory(world(), 0), 8);
  Options options;
  options.fake_ranks_per_host = 2;
  const Movement inside = choose(options, reshape(true), 8);
  EXPECT_EQ(inside.exchange, reading);
  ASSERT_NE(inside.host, nullptr);
  EXPECT_EQ(inside.host->host().size(), 2);
  EXPECT_EQ(inside.others, (std::vector<std::string>{"alltoallv", "hierarchical"}));
  const Movement across = choose(options, reshape(false), 8);
  EXPECT_EQ(across.exchange, "alltoallv");
  EXPECT_EQ(across.host, nullptr);
  EXPECT_EQ(across.others, (std::vector<std::string>{reading, "hierarchical"}));
  const Movement no_room = choose(options, reshape(true), std::size_t{1} << 60);
  EXPECT_EQ(no_room.exchange, "alltoallv");
  EXPECT_EQ(no_room.others, std::vector<std::string>{"hierarchical"});
  options.chunks = 4;
  EXPECT_EQ(choose(options, reshape(true), 8).exchange, "alltoallv");
  options.chunks = 0;
  options.fake_ranks_per_host = 1;
  const Movement alone = choose(options, reshape(true), 8);
  EXPECT_EQ(alone.exchange, "alltoallv");
  EXPECT_TRUE(alone.others.empty());
}

}  // namespace
}  // namespace shardfft
