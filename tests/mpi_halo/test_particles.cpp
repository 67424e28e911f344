// Deposit, interpolation, gradients and migration of particles against one serial loop over all of them.
#include <gtest/gtest.h>

#include <cmath>

#include "mpi_halo/kit.hpp"
#include "shardfft/for_each.hpp"
#include "shardfft/particles.hpp"
#include "support/random_layouts.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// The weight that a point and its periodic images get from a particle so many points away.
double kernel(Assignment shape, double distance, double n) {
  const auto one = [&](double d) {
    const double r = std::abs(d);
    if (shape == Assignment::cic) return std::max(0.0, 1 - r);
    if (shape == Assignment::nearest) return d > -0.5 && d <= 0.5 ? 1.0 : 0.0;  // the upper one of two as near
    return r < 0.5 ? 0.75 - r * r : r < 1.5 ? (1.5 - r) * (1.5 - r) / 2 : 0.0;
  };
  double sum = 0;
  for (int image = -4; image <= 4; ++image) sum += one(distance + image * n);
  return sum;
}

struct Cloud {
  Shape shape;
  std::vector<double> lengths, positions, weights;
  std::int64_t count() const { return static_cast<std::int64_t>(weights.size()); }
};

double spread(const Cloud& cloud, Assignment shape, std::int64_t particle, const shardfft::Index& point) {
  double weight = 1;
  for (std::size_t a = 0; a < cloud.shape.size(); ++a) {
    const auto n = static_cast<double>(cloud.shape[a]);
    const double at = cloud.positions[static_cast<std::size_t>(particle) * cloud.shape.size() + a];
    weight *= kernel(shape, static_cast<double>(point[a]) - at / cloud.lengths[a] * n, n);
  }
  return weight;
}

/// The same on all ranks: inside, at points, halfway between them, beyond the ends. No position is rounded.
Cloud make_cloud(Random& random, const Shape& shape) {
  Cloud cloud{shape, {}, {}, {}};
  for (const std::int64_t n : shape)
    cloud.lengths.push_back(static_cast<double>(n) * std::ldexp(1.0, static_cast<int>(random.integer(-1, 1))));
  for (std::int64_t p = 0; p < 40; ++p) {
    for (std::size_t a = 0; a < shape.size(); ++a) {
      const std::int64_t steps = random.integer(0, 3) == 0 ? 2 : 1024, n = shape[a] * steps;
      cloud.positions.push_back(static_cast<double>(random.integer(-n, 2 * n)) / static_cast<double>(steps) *
                                (cloud.lengths[a] / static_cast<double>(shape[a])));
    }
    cloud.weights.push_back(static_cast<double>(random.integer(-8, 8)) / 4);
  }
  return cloud;
}

/// This rank's share, moved to where the mesh wants it.
Cloud mine_of(const Cloud& all, const ParticleMesh& mesh) {
  Cloud given{all.shape, all.lengths, {}, {}}, mine = given;
  const std::size_t axes = all.shape.size();
  for (std::int64_t p = world().rank(); p < all.count(); p += world().size()) {
    const auto first = all.positions.begin() + p * static_cast<std::int64_t>(axes);
    given.positions.insert(given.positions.end(), first, first + static_cast<std::int64_t>(axes));
    given.weights.push_back(all.weights[static_cast<std::size_t>(p)]);
  }
  const Migration move = mesh.migration(given.count(), given.positions.data());
  EXPECT_EQ(move.sent(), given.count());
  mine.positions.resize(static_cast<std::size_t>(move.received()) * axes);
  mine.weights.resize(static_cast<std::size_t>(move.received()));
  move.move(given.positions.data(), axes * sizeof(double), mine.positions.data());
  move.move(given.weights.data(), sizeof(double), mine.weights.data());
  std::vector<double> back(given.weights.size());
  move.back(mine.weights.data(), sizeof(double), back.data());
  EXPECT_TRUE(back == given.weights);
  return mine;
}

void check_mesh(Random& random, Assignment shape) {
  Shape extents;
  for (std::int64_t axes = random.integer(1, 3); axes > 0; --axes) extents.push_back(random.integer(2, 7));
  const Layout layout = random_boxes(random, extents, world().size());
  SCOPED_TRACE(layout.describe() + ", assignment " + std::to_string(static_cast<int>(shape)));
  const Cloud all = make_cloud(random, extents);
  ParticleMesh mesh(MPI_COMM_WORLD, layout, shape, Precision::f64, {all.lengths, true, random.integer(0, 2)});
  const Cloud mine = mine_of(all, mesh);
  const Side side{layout, element_type<double>, 1, world().rank()};
  std::vector<double> field(side.size()), probe(side.size());
  mesh.deposit(mine.count(), mine.positions.data(), mine.weights.data(), field.data());
  double sum = 0, error = 0, dot = 0;
  for_each(side, field, [&](const shardfft::Index& index, double& value) {
    double expected = 0;
    for (std::int64_t p = 0; p < all.count(); ++p)
      expected += all.weights[static_cast<std::size_t>(p)] * spread(all, shape, p, index);
    error = std::max(error, std::abs(value - expected));
    sum += value;
  });
  EXPECT_LT(error, 1e-13);
  double weights = 0;
  for (const double weight : all.weights) weights += weight;
  EXPECT_NEAR(sum_over_ranks(sum), weights, 1e-12);

  for_each(side, probe, [&](const shardfft::Index& index, double& value) {
    value = static_cast<double>((index[0] * 5 + index[1] * 3 + index[2]) % 7);
  });
  std::vector<double> values(mine.weights.size()), slopes(mine.positions.size()), moved(values.size());
  mesh.interpolate(mine.count(), mine.positions.data(), probe.data(), values.data());
  mesh.gradient(mine.count(), mine.positions.data(), probe.data(), slopes.data());
  for (std::size_t i = 0; i < probe.size(); ++i) dot += probe[i] * field[i];
  double other = 0;
  for (std::size_t p = 0; p < values.size(); ++p) other += values[p] * mine.weights[p];
  EXPECT_NEAR(sum_over_ranks(dot), sum_over_ranks(other), 1e-11) << "adjoint";

  ParticleMesh far(MPI_COMM_WORLD, layout, shape, Precision::f64, {all.lengths, true, 3});
  for (std::size_t a = 0; a < extents.size() && shape != Assignment::nearest; ++a) {
    // Along a weight's slope differences are exact to rounding: cic is linear, tsc quadratic between the nodes.
    const double step = all.lengths[a] / static_cast<double>(extents[a]) * 0x1p-12;
    std::vector<double> low = mine.positions, high = mine.positions, at_low(values.size()), at_high(values.size());
    for (std::size_t p = 0; p < values.size(); ++p) {
      low[p * extents.size() + a] -= step;
      high[p * extents.size() + a] += step;
    }
    far.interpolate(mine.count(), low.data(), probe.data(), at_low.data());
    far.interpolate(mine.count(), high.data(), probe.data(), at_high.data());
    for (std::size_t p = 0; p < values.size(); ++p) {
      const double u = mine.positions[p * extents.size() + a] / all.lengths[a] * static_cast<double>(extents[a]);
      const double node = shape == Assignment::cic ? u - std::round(u) : u - 0.5 - std::round(u - 0.5);
      if (std::abs(node) < 0x1p-11) continue;
      EXPECT_NEAR(slopes[p * extents.size() + a], (at_high[p] - at_low[p]) / (2 * step), 1e-8) << "slope";
    }
  }
}

TEST(Particles, AsASerialLoop) {
  Random random(seed());
  for (int i = 0; i < 8; ++i)
    for (const Assignment shape : {Assignment::nearest, Assignment::cic, Assignment::tsc}) check_mesh(random, shape);
}

TEST(Particles, SinglePrecisionAndUnitWeights) {
  const int ranks = world().size();
  ParticleMesh mesh(MPI_COMM_WORLD, Layout::slab({2 * ranks}, ranks), Assignment::cic, Precision::f32);
  const float at = static_cast<float>(2 * world().rank()) + 1.25F;
  std::vector<float> field(2);
  mesh.deposit(1, &at, nullptr, field.data());
  EXPECT_EQ(field, (std::vector<float>{0.25F, 0.75F}));
}

TEST(Particles, ErrorsOnAllRanks) {
  const int ranks = world().size();
  const Layout layout = Layout::slab({4 * ranks}, ranks);
  const auto length = static_cast<double>(4 * ranks);
  ParticleMesh strict(MPI_COMM_WORLD, layout, Assignment::tsc, Precision::f64, {{}, false, 0});
  ParticleMesh wrapping(MPI_COMM_WORLD, layout, Assignment::tsc, Precision::f64, {{}, true, 1});
  std::vector<double> field(4);
  const double here = 4 * world().rank() + 0.5;
  const auto deposit = [&](ParticleMesh& mesh, double at) { mesh.deposit(1, &at, nullptr, field.data()); };
  expect_error(Status::invalid_argument, "outside the domain", [&] { deposit(strict, last_rank() ? length : here); });
  expect_error(Status::invalid_argument, "outside the domain", [&] { deposit(strict, last_rank() ? -1e-9 : here); });
  expect_error(Status::invalid_argument, "positions are finite",
               [&] { deposit(wrapping, last_rank() ? std::nan("") : here); });
  if (ranks > 2)
    expect_error(Status::invalid_argument, "migrate particles first",
                 [&] { deposit(wrapping, last_rank() ? length - 6 : here); });
  deposit(wrapping, here + length);                // wrapped
  deposit(wrapping, here - 1);                     // in the halo
  deposit(wrapping, last_rank() ? -1e-17 : here);  // rounded to 0
  expect_error(Status::invalid_argument, "null pointer",
               [&] { strict.interpolate(1, last_rank() ? nullptr : &here, field.data(), field.data()); });
  if (ranks > 1)
    expect_error(Status::mismatch, "lengths", [&] {
      ParticleMesh(MPI_COMM_WORLD, layout, Assignment::cic, Precision::f64, {{last_rank() ? 1.0 : 2.0}, true, 0});
    });
  expect_error(Status::invalid_argument, "which is none of",
               [&] { Migration(MPI_COMM_WORLD, {last_rank() ? ranks : 0}); });
}

}  // namespace
}  // namespace shardfft::test
