#pragma once
// Plans that start with an exchange, run from arrays of all kinds.
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/cross_memory.hpp"
#include "shardfft/plan.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {

using Numbers = std::vector<std::complex<double>>;

struct HostCase {
  Shape shape;
  Layout input;  ///< its slabs are cut along an axis that the first transform needs whole
  Layout output;
  Options options;
  Kind kind = Kind::c2c;

  Plan plan() const { return {MPI_COMM_WORLD, Transform{kind, Precision::f64}, input, output, options}; }
};

inline Layout slabs(const Shape& shape, int axis) { return Layout::slab(shape, world().size(), axis); }

/// Rows of 32 KiB: reading through the kernel pays.
inline HostCase long_rows() {
  const Shape shape{8, 6, 2048};
  HostCase c{shape, slabs(shape, 0), slabs(shape, 1), quick("slab"), Kind::c2c};
  c.options.exchange = "shared_window";
  c.options.axes = {0};
  return c;
}

/// Rows of a few bytes: a copy into shared memory is cheaper.
inline HostCase short_rows() {
  HostCase c = long_rows();
  c.shape = {16, 16, 2};
  c.input = slabs(c.shape, 0);
  c.output = slabs(c.shape, 1);
  return c;
}

/// Rows of 512 bytes: a copy into shared memory is cheaper, of the part that other ranks read.
inline HostCase middle_rows() {
  HostCase c = long_rows();
  c.shape = {24, 32, 32};
  c.input = slabs(c.shape, 0);
  c.output = slabs(c.shape, 1);
  c.options.exchange = "shared_window";
  return c;
}

inline Numbers random_input(std::int64_t count, int salt) {
  Numbers data(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto stream = static_cast<std::uint64_t>(100 * world().rank() + salt);
    data[i] = {noise(stream, i, 0), noise(stream, i, 1)};
  }
  return data;
}

/// The same with messages instead of shared memory.
inline Numbers by_messages(HostCase c, const Numbers& in) {
  c.options.exchange = "alltoallv";
  c.options.fake_ranks_per_host = 0;
  Plan plan = c.plan();
  Numbers out(static_cast<std::size_t>(plan.output().count()));
  plan.forward(in.data(), out.data());
  return out;
}

/// The largest of all ranks; what is no number is far from everything.
inline double distance(const Numbers& a, const Numbers& b) {
  constexpr double far = 1e9;
  double worst = a.size() == b.size() ? 0 : far;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double d = std::abs(a[i] - b[i]);
    worst = std::isfinite(d) ? std::max(worst, d) : far;
    if (worst == far) break;
  }
  return world().max(worst);
}

/// How often the forward input came in each way.
inline PlanReport::InputReads ways_of(const Plan& plan) { return plan.report().forward.input_reads; }

inline bool cross_memory_allowed() { return CrossMemory(world()).allowed(); }

}  // namespace shardfft::test
