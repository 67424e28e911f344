// Reshapes of axes nobody can allocate here: planned, not run.
#include <gtest/gtest.h>

#include "reshape/in_place_reshape.hpp"
#include "support/world.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

constexpr std::int64_t tera = std::int64_t{1} << 40;
constexpr std::int64_t prime = tera + 15;

ReshapeSetup setup_for(const std::string& exchange) {
  ReshapeSetup setup;
  setup.comm = world();
  setup.exchange = exchange;
  return setup;
}

std::vector<std::pair<Layout, Layout>> pairs_of(const Shape& shape) {
  const int ranks = world().size();
  const Layout slab = Layout::slab(shape, ranks, 0), dealt = Layout::cyclic(shape, process_grid(ranks, shape.size()));
  return {{slab, dealt}, {Layout::single(shape, ranks, 0), Layout::single(shape, ranks, ranks - 1)}, {dealt, slab}};
}

/// A rank sends what its parts of both layouts do not share.
std::int64_t elements_sent(const Layout& from, const Layout& to) {
  return make_schedule(from, to, world().rank()).send_count;
}

TEST(LargeAxes, InPlaceReshapesArePlanned) {
  for (const Shape& shape : {Shape{prime}, Shape{tera}, Shape{3, prime}, Shape{tera, 6}, Shape{prime, 2}})
    for (const auto& [from, to] : pairs_of(shape))
      for (const char* exchange : {"p2p", "pairwise_xor"}) {
        const InPlaceReshape reshape(from, to, setup_for(exchange));
        EXPECT_EQ(reshape.sent(), elements_sent(from, to));
      }
}

/// Every exchange, whose workspace holds what is sent.
TEST(LargeAxes, ReshapesArePlanned) {
  for (const Shape& shape : {Shape{prime}, Shape{3, tera}, Shape{tera, 6}})
    for (const auto& [from, to] : pairs_of(shape))
      for (const std::string& exchange : plain_exchanges()) {
        const Reshape reshape(from, to, setup_for(exchange));
        const std::int64_t sent = elements_sent(from, to);
        EXPECT_EQ(reshape.bytes_sent(), sent * 16) << exchange;
        if (exchange == "alltoall") {
          EXPECT_GE(reshape.workspace_bytes() / 16, static_cast<std::size_t>(sent));
        }
      }
}

}  // namespace
}  // namespace shardfft::test
