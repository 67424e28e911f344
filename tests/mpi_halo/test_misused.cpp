// Halos, particles, solvers and sums used as they cannot be: an Error on every rank, and no rank waits.
#include <gtest/gtest.h>

#include "mpi_halo/kit.hpp"
#include "shardfft/particles.hpp"
#include "shardfft/poisson.hpp"
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
