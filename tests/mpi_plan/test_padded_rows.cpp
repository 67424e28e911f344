// Rows of real arrays that lie apart in memory, as FFTW pads them: the same numbers, nothing written in between, and
// refused where plans cannot do with them.
#include <gtest/gtest.h>

#include "shardfft/redistribution.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

const Shape points{6, 4, 5}, modes{6, 4, 3};

/// The same with rows of `pitch` elements.
Layout padded(const Layout& dense, std::int64_t pitch) {
  return Layout::from_pieces(dense.shape(), dense.ranks(), [dense, pitch](int rank) {
    std::vector<Piece> pieces = dense.pieces(rank);
    for (Piece& piece : pieces)
      for (std::int64_t& stride : piece.stride)
        if (stride >= dense.shape().back()) stride = stride / dense.shape().back() * pitch;
    return pieces;
  });
}

TransformCase case_of(Kind kind, Precision precision, std::int64_t batch) {
  TransformCase c{points, "", "", kind, precision, quick()};
  c.options.batch = batch;
  if (kind == Kind::c2r) c.options.real_extent = points.back();
  return c;
}

Plan plan_of(const TransformCase& c, const Layout& real, const Layout& spectrum) {
  const Transform transform{c.kind, c.precision};
  if (c.kind == Kind::c2r) return Plan(MPI_COMM_WORLD, transform, spectrum, real, c.options);
  return Plan(MPI_COMM_WORLD, transform, real, spectrum, c.options);
}

TEST(PaddedRows, TransformedWhereTheyLie) {
  const int ranks = world().size();
  for (const AxisOrder& order : {AxisOrder{0, 1, 2}, AxisOrder{1, 0, 2}}) {
    if (ranks == 1 && order.front() == 1) continue;  // one rank turns the array first, as nothing is cut
    for (const Kind kind : {Kind::r2c, Kind::c2r})
      for (const std::int64_t batch : {1, 2}) {
        const TransformCase c = case_of(kind, batch == 1 ? Precision::f64 : Precision::f32, batch);
        SCOPED_TRACE(c.name() + ", axis " + std::to_string(order.front()) + " cut");
        const Layout real = padded(Layout::slab(points, ranks, order.front(), order), 8);
        Plan plan = plan_of(c, real, Layout::slab(modes, ranks, 1 - order.front()));
        check_plan(plan, c);
        const Side& side = kind == Kind::c2r ? plan.output() : plan.input();
        const std::int64_t rows = real.local(side.rank).count() / points.back();
        EXPECT_EQ(side.count(), rows == 0 ? 0 : batch * ((rows - 1) * 8 + points.back()));
      }
  }
}

TEST(PaddedRows, NothingIsWrittenBetweenThem) {
  const int ranks = world().size();
  const TransformCase c = case_of(Kind::r2c, Precision::f64, 1);
  Plan plan = plan_of(c, padded(Layout::slab(points, ranks), 8), Layout::slab(modes, ranks, 1));
  std::vector<double> real(plan.input().size(), 7);
  std::vector<std::complex<double>> spectrum(plan.output().size(), 1.0);
  plan.backward(spectrum, real);
  for (std::size_t i = 0; i < real.size(); ++i) {
    if (i % 8 >= 5) {
      EXPECT_EQ(real[i], 7) << i;
    }
  }
}

TEST(PaddedRows, RefusedWhereAllPlacesAreReadAlike) {
  const int ranks = world().size();
  const Layout rows = padded(Layout::slab(points, ranks), 6), dense = Layout::slab(points, ranks);
  Options checked = quick(), least = quick();
  checked.verify = true;
  least.workspace = Workspace::least;
  const auto refused = [&](Status code, const char* words, const Transform& transform, const Layout& in,
                           const Options& options) {
    expect_error(code, words, [&] { Plan(MPI_COMM_WORLD, transform, in, default_output, options); });
  };
  refused(Status::unsupported, "with option verify", r2c<double>, rows, checked);
  refused(Status::unsupported, "workspace = least", r2c<double>, rows, least);
  refused(Status::invalid_argument, "which is dense", c2c<double>, rows, quick());
  expect_error(Status::invalid_argument, "which is dense", [&] { Redistribution(MPI_COMM_WORLD, rows, dense, 8); });
  if (ranks > 1)
    refused(Status::unsupported, "does not begin with a transform", r2c<double>,
            padded(Layout::single(points, ranks), 6), quick("slab"));
}

}  // namespace
}  // namespace shardfft::test
