// Halos are what the whole array has there, and their adjoint is one.
#include <gtest/gtest.h>

#include "mpi_halo/kit.hpp"

namespace shardfft::test {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum_over_ranks(sum);
}

void check_case(const HaloCase& c, const Options& more = {}) {
  SCOPED_TRACE(c.layout.describe());
  Options options = more;
  options.batch = c.fields;
  HaloExchange halo(MPI_COMM_WORLD, c.layout, c.widths, element_type<double>, options, c.corners);
  const std::vector<double> expected = padded(c, halo, false);
  std::vector<double> x = padded(c, halo, true);
  halo.update(x);
  EXPECT_TRUE(x == expected) << "update";
  x = padded(c, halo, true);
  halo.begin(x);
  halo.end();
  EXPECT_TRUE(x == expected) << "begin and end";

  // <U a, b> = <a, U^T b> in whole numbers, which sums keep.
  std::vector<double> a(x.size()), b(x.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<double>((i * 7 + 3) % 11);
    b[i] = static_cast<double>((i * 5 + static_cast<std::size_t>(world().rank())) % 13);
  }
  std::vector<double> filled = a, added = b;
  halo.update(filled);
  halo.add_back(added);
  EXPECT_EQ(dot(filled, b), dot(a, added)) << "adjoint";
}

TEST(Halo, RandomLayoutsAndWidths) {
  Random random(seed());
  for (int i = 0; i < 60; ++i) {
    Options options;
    options.threads = static_cast<int>(random.integer(1, 2));
    check_case(random_case(random, world().size()), options);
  }
}

TEST(Halo, WiderThanTheNeighboursAndTheArray) {
  check_case({Layout::slab({world().size() + 1, 3}, world().size()), {{3, 4, true}, {1, 1, true}}, 2});
  check_case({Layout::slab({3}, world().size()), {{7, 8, true}}});
  check_case({Layout::slab({3, 2}, world().size()), {{7, 8, false}, {0, 5, true}}});
}

TEST(Halo, OtherElements) {
  const int ranks = world().size();
  HaloExchange halo(MPI_COMM_WORLD, Layout::slab({2 * ranks}, ranks), {{1, 1, true}},
                    element_type<std::complex<float>>);
  const auto first = static_cast<float>(2 * world().rank());
  const auto wrapped = [&](float i) { return i < 0 ? i + 2 * ranks : i >= 2 * ranks ? i - 2 * ranks : i; };
  std::vector<std::complex<float>> x{{}, {first, 1}, {first + 1, 1}, {}};
  halo.update(x);
  EXPECT_EQ(x[0], (std::complex<float>{wrapped(first - 1), 1}));
  EXPECT_EQ(x[3], (std::complex<float>{wrapped(first + 2), 1}));
  halo.add_back(x);
  EXPECT_EQ(x[0], std::complex<float>());
  EXPECT_EQ(x[1], (std::complex<float>{2 * first, 2}));
  EXPECT_EQ(halo.bytes_sent(), ranks == 1 ? 0 : 16);
}

TEST(Halo, ErrorsOnAllRanks) {
  const int ranks = world().size();
  const Layout layout = Layout::slab({2 * ranks, 3}, ranks);
  const auto make = [&](const std::vector<HaloWidth>& widths, const Options& options = {}) {
    return HaloExchange(MPI_COMM_WORLD, layout, widths, element_type<double>, options);
  };
  expect_error(Status::invalid_argument, "1 halo widths were given for 2 axes", [&] { make({{1, 1}}); });
  expect_error(Status::invalid_argument, "widths are not negative", [&] { make({{last_rank() ? -1 : 1, 1}, {1, 1}}); });
  if (ranks > 1) expect_error(Status::mismatch, "widths of halos", [&] { make({{last_rank() ? 2 : 1, 1}, {1, 1}}); });
  Options options;
  options.norm = Norm::ortho;
  expect_error(Status::invalid_argument, "option norm has no effect", [&] { make({{1, 1}, {1, 1}}, options); });
  options = {};
  options.exchange = "alltoallw";
  expect_error(Status::invalid_argument, "filled by exchange p2p", [&] { make({{1, 1}, {1, 1}}, options); });
  if (ranks > 1)
    expect_error(Status::invalid_argument, "halos lie around boxes", [&] {
      HaloExchange(MPI_COMM_WORLD, Layout::cyclic({2 * ranks}, ranks), {{1, 1}}, element_type<double>);
    });
  HaloExchange halo = make({{1, 1}, {1, 1}});
  std::vector<double> x(static_cast<std::size_t>(halo.count()));
  expect_error(Status::invalid_argument, "without a begin", [&] { halo.end(); });
  expect_error(Status::invalid_argument, "null pointer",
               [&] { halo.update(last_rank() ? nullptr : static_cast<void*>(x.data())); });
  std::vector<float> wrong(x.size());
  expect_error(Status::invalid_argument, "float", [&] { last_rank() ? halo.update(wrong) : halo.update(x); });
  halo.begin(x);
  expect_error(Status::invalid_argument, "has no end", [&] { halo.add_back(x); });
  halo.end();
  if (ranks > 1) expect_error(Status::mismatch, "add_back", [&] { last_rank() ? halo.add_back(x) : halo.update(x); });
  halo.update(x);
}

}  // namespace
}  // namespace shardfft::test
