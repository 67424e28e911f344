// Halos, particles, solvers and sums used as they cannot be: an Error on every rank, and no rank waits.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "mpi_halo/kit.hpp"
#include "shardfft/particles.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/poisson.hpp"
#include "shardfft/redistribution.hpp"
#include "shardfft/spectra.hpp"

namespace shardfft::test {
namespace {

constexpr Status bad = Status::invalid_argument;
constexpr ElementType real{Precision::f64, false}, garbage{static_cast<Precision>(7), false};

Layout planes() { return Layout::slab({8, 6, 5}, world().size()); }

TEST(Misused, ValuesThatStandForNothing) {
  const std::vector<HaloWidth> widths(3, {1, 1, true});
  expect_error(bad, "the precision of the elements has the value 7, which stands for none of: f32, f64",
               [&] { HaloExchange(MPI_COMM_WORLD, planes(), widths, garbage); });
  expect_error(bad, "the corners has the value 5",
               [&] { HaloExchange(MPI_COMM_WORLD, planes(), widths, real, {}, static_cast<Corners>(5)); });
  expect_error(bad, "the precision has the value 7",
               [&] { ParticleMesh(MPI_COMM_WORLD, planes(), Assignment::cic, garbage.precision); });
}

/// Calls with other facts and more of them: the ranks meet all the same.
TEST(Misused, DifferentCallsOnRanks) {
  const int ranks = world().size();
  if (ranks < 2) GTEST_SKIP() << "one rank";
  const std::vector<HaloWidth> widths(3, {1, 1, true});
  const Layout to = Layout::slab({8, 6, 5}, ranks, 1);
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"a plan", [&] { Plan(MPI_COMM_WORLD, c2c<double>, planes(), to); }},
      {"a redistribution", [&] { Redistribution(MPI_COMM_WORLD, planes(), to, 16); }},
      {"a halo exchange", [&] { HaloExchange(MPI_COMM_WORLD, planes(), widths, real); }}};
  for (int one = 0; one < 3; ++one) {
    const auto& [first, make_first] = calls[one];
    const auto& [other, make_other] = calls[(one + 1) % 3];
    expect_error(Status::mismatch,
                 std::string("the ranks were given different calls (rank 0: ") + first + "; rank 1: " + other + ")",
                 world().rank() == 0 ? make_first : make_other);
  }
}

TEST(Misused, MembersThatAreNotHere) {
  const HaloExchange halo(MPI_COMM_WORLD, planes(), std::vector<HaloWidth>(3), real);
  for (const int member : {-1, 1}) {
    expect_error(bad, "does not exist", [&] { halo.device(member); });
    expect_error(bad, "does not exist", [&] { halo.stream(member); });
  }
}

TEST(Misused, Migrations) {
  Migration moved(MPI_COMM_WORLD, {0});
  const Migration there = std::move(moved);
  double record = 1;
  std::vector<double> all(static_cast<std::size_t>(there.received()) + 1);
  const std::string words = "this migration was moved from";
  expect_error(bad, words, [&] { moved.sent(); });
  expect_error(bad, words, [&] { moved.received(); });
  expect_error(bad, words, [&] { moved.move(&record, 8, all.data()); });
  expect_error(bad, words, [&] { moved.back(all.data(), 8, &record); });
  expect_error(bad, "more memory than there are addresses", [&] { there.move(&record, SIZE_MAX / 2 + 1, all.data()); });
  there.move(&record, sizeof record, all.data());
  if (world().rank() == 0) {
    EXPECT_EQ(all.front(), 1);
  }
}

TEST(Misused, Solvers) {
  PoissonOptions options;
  options.lengths = {1, 1, 1};
  options.plan.effort = Effort::estimate;
  Poisson solver(MPI_COMM_WORLD, planes(), Precision::f64, options);
  const auto count = static_cast<std::size_t>(planes().count(world().rank()));
  std::vector<double> f(count), u(count), x(count), y(count);
  for (const std::vector<double*>& same :
       {std::vector{x.data(), x.data(), y.data()}, {u.data(), x.data(), y.data()}, {x.data(), y.data(), f.data()}}) {
    const std::vector<void*> slopes(same.begin(), same.end());
    expect_error(bad, "that of f, of u or of another axis", [&] { solver.solve(f.data(), u.data(), {}, slopes); });
  }
  if (world().size() > 1)
    expect_error(Status::mismatch, "or some called adjoint()",
                 [&] { world().rank() == 0 ? solver.adjoint(f.data(), u.data()) : solver.solve(f.data(), u.data()); });
  solver.solve(f.data(), u.data());
}

/// Of a part alone, as those of a plan over several devices, only by name.
TEST(Misused, SumsOfOnePart) {
  const Layout layout = Layout::slab({8, 6, 5}, 3);
  const std::vector<double> ones(8 * 6 * 5, 1);
  for (int part = 0; part < 3; ++part) {
    const Side side{.layout = layout, .element = real, .rank = part};
    EXPECT_EQ(moments(MPI_COMM_NULL, side, ones.data())[0].count, layout.count(part));
    EXPECT_EQ(moments(MPI_COMM_NULL, side, ones.data())[0].mean, 1);
  }
}

/// Sums over fewer ranks than hold the array would lack parts, those over more would count some twice; so
/// would parts that two ranks hold.
TEST(Misused, SumsOverOtherRanksThanTheLayouts) {
  const int ranks = world().size();
  const auto sums = [](MPI_Comm comm, int parts, const std::string& words) {
    const Layout layout = Layout::slab({8, 6, 5}, parts);
    const std::vector<int> axes{0, 1, 2};
    const Side spectrum{.layout = layout,
                        .element = {},
                        .axes = axes,
                        .transforms = std::vector(3, AxisTransform::fft),
                        .points = {8, 6, 5},
                        .modes = {8, 6, 5}};
    const Side field{.layout = layout, .element = real};
    const std::vector<std::complex<double>> modes(spectrum.size());
    const std::vector<double> numbers(field.size());
    expect_error(bad, words, [&] { energy_spectrum(comm, spectrum, modes.data()); });
    expect_error(bad, words, [&] { cross_spectrum(comm, spectrum, modes.data(), modes.data()); });
    expect_error(bad, words, [&] { moments(comm, field, numbers.data()); });
  };
  sums(MPI_COMM_SELF, ranks + 1, "the number of ranks is 1 in the sum's communicator");
  sums(MPI_COMM_WORLD, ranks + 1, "but " + std::to_string(ranks + 1) + " in the layout");
  if (ranks > 1) sums(MPI_COMM_WORLD, 1, "but 1 in the layout");
  if (ranks > 1) sums(MPI_COMM_WORLD, ranks, "the side is that of rank 0, but this is rank 1");
}

TEST(Misused, DerivativesOfArraysThatOverlap) {
  const Layout layout = planes();
  const auto count = static_cast<std::size_t>(layout.count(world().rank()));
  const Side side{.layout = layout,
                  .element = {},
                  .fields = 3,
                  .rank = world().rank(),
                  .axes = {0, 1, 2},
                  .transforms = std::vector(3, AxisTransform::fft),
                  .points = {8, 6, 5},
                  .modes = {8, 6, 5}};
  using Modes = std::vector<std::complex<double>>;
  Modes random(7 * count);
  for (std::size_t i = 0; i < random.size(); ++i) random[i] = {std::sin(3. * double(i)), std::cos(7. * double(i))};
  // Numbers that begin at one address are those of arrays that lie apart.
  const auto same = [&](std::size_t results, const std::function<void(const void*, void*)>& work) {
    Modes in = random, out(7 * count);
    work(in.data(), out.data());
    work(in.data(), in.data());
    EXPECT_TRUE(std::equal(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(results * count), out.begin()));
  };
  same(3, [&](const void* in, void* out) { gradient(side, in, out); });
  same(3, [&](const void* in, void* out) { curl(side, in, out); });
  same(6, [&](const void* in, void* out) { project(side, in, out, {}, 2); });
  same(2, [&](const void* in, void* out) { divergence(side, in, out, {}, 2); });
  if (count == 0) return;  // nothing overlaps
  Modes all = random;
  auto* const a = all.data();
  const std::string words = "overlap, and numbers would be written over before they are read";
  for (const std::size_t by : {std::size_t{1}, count, 3 * count - 1}) {
    expect_error(bad, words, [&] { curl(side, a, a + by); });
    expect_error(bad, words, [&] { curl(side, a + by, a); });
    expect_error(bad, words, [&] { project(side, a, a + by); });
  }
  expect_error(bad, words, [&] { gradient(side, a + count, a); });
  expect_error(bad, words, [&] { divergence(side, a, a + count); });
  expect_error(bad, "they must lie apart", [&] { gradient(side, a, a, {}, 2); });
  EXPECT_EQ(all, random);
  curl(side, a, a + 3 * count);
}

TEST(Misused, SumsOfRanksThatDiffer) {
  if (world().size() == 1) GTEST_SKIP() << "needs two ranks";
  const bool first = world().rank() == 0;
  const Side side{.layout = planes(),
                  .element = {},
                  .rank = world().rank(),
                  .axes = {0, 1, 2},
                  .transforms = std::vector(3, AxisTransform::fft),
                  .points = {8, 6, 5},
                  .modes = {8, 6, 5}};
  const std::vector<std::complex<double>> spectrum(side.size());
  const auto sum = [&](double width, const std::vector<double>& lengths = {}) {
    return energy_spectrum(MPI_COMM_WORLD, side, spectrum.data(), lengths, width);
  };
  expect_error(Status::mismatch, "widths of shells", [&] { sum(first ? 1 : 2); });
  expect_error(Status::mismatch, "numbers of shells", [&] {
    sum(1, first ? std::vector{1., 1., 1.} : std::vector{2., 2., 2.});
  });
  EXPECT_EQ(sum(1).width, 1);
  Side fields{.layout = planes(), .element = real, .fields = first ? 1 : 2, .rank = world().rank()};
  const std::vector<double> array(fields.size());
  expect_error(Status::mismatch, "numbers of fields", [&] { moments(MPI_COMM_WORLD, fields, array.data()); });
}

}  // namespace
}  // namespace shardfft::test
