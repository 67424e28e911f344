// Reshapes between every pair of layout kinds, with every exchange: every byte is checked.
#include <gtest/gtest.h>

#include "base/aligned.hpp"
#include "reshape/reshape.hpp"
#include "support/encoded.hpp"
#include "support/world.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

struct ReshapeCase {
  std::string name;
  Layout from;
  Layout to;
  std::size_t element = 8;
  int threads = 1;
  int fake_ranks_per_host = 0;
  int runs = 1;
};

class Runner {
 public:
  Runner(const ReshapeCase& c, const std::string& exchange) : case_(c) {
    ReshapeSetup setup;
    setup.comm = world();
    setup.exchange = exchange;
    setup.element_bytes = c.element;
    setup.threads = c.threads;
    setup.fake_ranks_per_host = c.fake_ranks_per_host;
    setup.trace = &trace_;
    reshape_ = std::make_unique<Reshape>(c.from, c.to, setup);
    workspace_bytes_ = reshape_->workspace_bytes();
    workspace_ = allocate_aligned(workspace_bytes_ + guard_bytes);
  }

  void start(std::uint32_t salt) {
    source_ = encoded(case_.from, world().rank(), case_.element, salt);
    destination_ = poisoned(case_.to, world().rank(), case_.element);
    std::fill_n(workspace_.get(), workspace_bytes_ + guard_bytes, poison);
    reshape_->start(buffers());
  }

  void finish(std::uint32_t salt) {
    reshape_->finish(buffers());
    const auto compare = [&](const std::vector<std::byte>& array, const Layout& layout) {
      return first_difference(array, encoded(layout, world().rank(), case_.element, salt), case_.element);
    };
    EXPECT_EQ(compare(destination_, case_.to), -1) << "first wrong element of " << case_.to.count(world().rank());
    EXPECT_EQ(compare(source_, case_.from), -1) << "the source was written";
    for (std::size_t i = 0; i < guard_bytes; ++i)
      ASSERT_EQ(workspace_.get()[workspace_bytes_ + i], poison) << "written behind the workspace";
  }

  const Reshape& reshape() const { return *reshape_; }

 private:
  ExchangeBuffers buffers() { return {source_.data(), destination_.data(), workspace_.get()}; }

  ReshapeCase case_;
  Trace trace_;
  std::unique_ptr<Reshape> reshape_;
  std::size_t workspace_bytes_ = 0;
  AlignedMemory workspace_;
  std::vector<std::byte> source_;
  std::vector<std::byte> destination_;
};

void check(const ReshapeCase& c, const std::string& exchange) {
  SCOPED_TRACE(exchange + ", " + c.name + ", elements of " + std::to_string(c.element));
  Runner runner(c, exchange);
  for (int run = 0; run < c.runs; ++run) {
    const auto salt = static_cast<std::uint32_t>(3 * run + 1);
    runner.start(salt);
    runner.finish(salt);
  }
}

class Reshapes : public testing::TestWithParam<std::string> {
 protected:
  const int ranks_ = world().size();
};

/// All pairs; element sizes, batches and repeated runs take turns.
TEST_P(Reshapes, AllPairsOfKinds) {
  const Shape shape{7, 5, 6};
  const std::vector<std::string> kinds{"slab",   "last-slab",     "pencil", "turned-brick", "cyclic",
                                       "uneven", "turned-cyclic", "mosaic", "last-owns"};
  const std::size_t elements[] = {8, 16, 4};
  std::size_t turn = 0;
  for (const std::string& from : kinds)
    for (const std::string& to : kinds) {
      ReshapeCase c{from + " to " + to, zoo_layout(from, shape, ranks_), zoo_layout(to, shape, ranks_)};
      c.element = elements[turn % 3];
      c.runs = turn % 4 == 0 ? 2 : 1;
      if (turn % 5 == 0) {
        c.from = c.from.with_batch(2);
        c.to = c.to.with_batch(2);
      }
      check(c, GetParam());
      ++turn;
    }
}

TEST_P(Reshapes, EveryElementSizeWithAndWithoutBatch) {
  const Shape shape{9, 8, 5};
  for (const std::size_t element : {4, 8, 16})
    for (const std::int64_t batch : {1, 3}) {
      ReshapeCase c{"slab to uneven", Layout::slab(shape, ranks_, 1).with_batch(batch),
                    uneven_boxes(shape, ranks_, {1, 2, 0}).with_batch(batch), element};
      check(c, GetParam());
      std::swap(c.from, c.to);
      c.name = "uneven to slab";
      check(c, GetParam());
    }
}

TEST_P(Reshapes, FewerPlanesThanRanks) {
  const Shape shape{3, 2, 2};
  for (const std::string from : {"slab", "last-slab", "brick", "last-owns"})
    for (const std::string to : {"slab", "last-slab", "cyclic", "first-owns"})
      check({from + " to " + to + " of 3x2x2", zoo_layout(from, shape, ranks_), zoo_layout(to, shape, ranks_), 16},
            GetParam());
}

TEST_P(Reshapes, OneTwoAndFourDimensions) {
  for (const Shape& shape : {Shape{1}, Shape{29}, Shape{11, 13}, Shape{5, 4, 3, 6}})
    for (const std::string to : {"last-slab", "cyclic", "mosaic"})
      check({"brick to " + to + " of " + text(shape), zoo_layout("brick", shape, ranks_), zoo_layout(to, shape, ranks_),
             8},
            GetParam());
}

TEST_P(Reshapes, ThreadsAndPretendedHosts) {
  const Shape shape{40, 36, 44};
  ReshapeCase c{"large slabs", Layout::slab(shape, ranks_, 0), Layout::slab(shape, ranks_, 1, {1, 2, 0}), 16, 2};
  for (const int hosts : {0, 1, 2, 3}) {
    c.fake_ranks_per_host = hosts;
    check(c, GetParam());
  }
}

/// The second begins while the first is under way.
TEST_P(Reshapes, TwoUnderWay) {
  const Shape shape{6, 7, 8};
  Runner one({"", Layout::slab(shape, ranks_, 0), Layout::slab(shape, ranks_, 2), 16}, GetParam());
  Runner two({"", Layout::slab(shape, ranks_, 2, {2, 0, 1}), Layout::slab(shape, ranks_, 1), 4}, GetParam());
  for (std::uint32_t salt = 1; salt < 4; ++salt) {
    one.start(salt);
    two.start(salt + 8);
    one.finish(salt);
    two.finish(salt + 8);
  }
}

TEST_P(Reshapes, NullReshapeSendsNothing) {
  const Shape shape{6, 7, 8};
  Runner runner({"", Layout::slab(shape, ranks_, 0), Layout::slab(shape, ranks_, 0), 8}, GetParam());
  EXPECT_EQ(runner.reshape().bytes_sent(), 0);
  EXPECT_EQ(runner.reshape().group_size(), 1);
  EXPECT_EQ(runner.reshape().workspace_bytes(), 0u);
  runner.start(1);
  runner.finish(1);
}

INSTANTIATE_TEST_SUITE_P(Exchanges, Reshapes, testing::ValuesIn(plain_exchanges()),
                         [](const auto& exchange) { return exchange.param; });

TEST(RandomReshapes, Mosaics) {
  Random random(static_cast<std::uint64_t>(world().size()));
  const std::vector<std::string> exchanges = plain_exchanges();
  for (int i = 0; i < 24; ++i) {
    Shape shape;
    for (std::int64_t axes = random.integer(1, 4); axes > 0; --axes) shape.push_back(random.integer(1, 7));
    const auto stream = static_cast<std::uint64_t>(100 * i);
    const auto pick = [&](std::int64_t n) { return static_cast<std::size_t>(random.integer(0, n - 1)); };
    const std::size_t element = std::size_t{4} << pick(3);
    check({"mosaics of " + text(shape), mosaic(shape, world().size(), stream + 1),
           mosaic(shape, world().size(), stream + 2, reversed_order(shape.size())), element},
          exchanges[pick(static_cast<std::int64_t>(exchanges.size()))]);
  }
}

}  // namespace
}  // namespace shardfft::test
