// Figures of arrays in memory of a GPU: those of the same arrays on the host, which other tests compare with plain
// sums.
#include <gtest/gtest.h>

#include "mpi_gpu/my_device.hpp"
#include "shardfft/for_each.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/spectra.hpp"
#include "support/device_check.hpp"

namespace shardfft::test {
namespace {

template <class T>
PlacedArray copied(const std::vector<T>& array) {
  PlacedArray placed("device", my_device(), array.size() * sizeof(T));
  placed.put(array.data());
  return placed;
}

double number_at(const shardfft::Index& i, std::int64_t field) {
  return std::sin(static_cast<double>(i[0] * 131 + i[1] * 17 + i[2] * 3 + field * 29 + i[0] * i[1] * i[2])) + 0.3;
}

/// Sums of the same numbers in another order.
template <class T>
void check_shells(const Shape& shape, Kind kind, const Layout& layout, double width) {
  SCOPED_TRACE(layout.describe());
  Options options;
  options.batch = 2;
  Plan plan(MPI_COMM_WORLD, {kind, element_type<T>.precision}, layout, default_output, options);
  std::vector<T> field(plan.input().bytes() / sizeof(T)), spectrum(plan.output().bytes() / sizeof(T));
  std::size_t next = 0;
  for (T& x : field) x = static_cast<T>(number_at({static_cast<std::int64_t>(next++), world().rank(), 7}, 1));
  plan.forward(static_cast<const void*>(field.data()), static_cast<void*>(spectrum.data()));
  std::vector<T> other(spectrum.rbegin(), spectrum.rend());
  const std::vector<double> lengths(shape.size(), 1.7);
  const PlacedArray a = copied(spectrum), b = copied(other);
  const Side& side = plan.output();
  const Shells energy = energy_spectrum(MPI_COMM_WORLD, side, a.data(), lengths, width);
  const Shells exact = energy_spectrum(MPI_COMM_WORLD, side, spectrum.data(), lengths, width);
  ASSERT_EQ(energy.sums.size(), exact.sums.size());
  EXPECT_EQ(energy.width, exact.width);
  for (std::size_t s = 0; s < exact.sums.size(); ++s)
    EXPECT_NEAR(energy.sums[s], exact.sums[s], 1e-13 * exact.sums[s]) << "shell " << s;
  const Shells cross = cross_spectrum(MPI_COMM_WORLD, side, a.data(), b.data(), lengths, width);
  const Shells exact_cross = cross_spectrum(MPI_COMM_WORLD, side, spectrum.data(), other.data(), lengths, width);
  double most = 0;
  for (const double sum : exact.sums) most = std::max(most, sum);
  for (std::size_t s = 0; s < exact.sums.size(); ++s)
    EXPECT_NEAR(cross.sums[s], exact_cross.sums[s], 1e-13 * most) << "shell " << s;
}

TEST(GpuSpectra, ShellsAreThoseOfTheHost) {
  const int ranks = world().size();
  for (const Kind kind : {Kind::r2c, Kind::c2c}) {
    check_shells<double>({12, 6, 10}, kind, Layout::slab({12, 6, 10}, ranks), 0);
    check_shells<float>({5, 7, 9}, kind, Layout::pencil({5, 7, 9}, ranks), 3.9);
    check_shells<double>({40, 30}, kind, Layout::slab({40, 30}, ranks, 1), 1e6);   // an inner product
    check_shells<double>({16, 16}, kind, Layout::slab({16, 16}, ranks, 0), 1e-3);  // more shells than a block's memory
  }
}

template <class T>
void check_moments(const Shape& shape, double far) {
  const Side side{Layout::brick(shape, world().size()), element_type<T>, 3, world().rank()};
  std::vector<T> array(side.size());
  for_each(side, array, [far](std::int64_t field, const shardfft::Index& i, T& x) {
    x = static_cast<T>(number_at(i, field) + far * static_cast<double>(field));
  });
  const std::vector<Moments> got = moments(MPI_COMM_WORLD, side, copied(array).data()),
                             exact = moments(MPI_COMM_WORLD, side, array.data());
  ASSERT_EQ(got.size(), 3u);
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_EQ(got[f].count, exact[f].count);
    EXPECT_EQ(got[f].least, exact[f].least);
    EXPECT_EQ(got[f].largest, exact[f].largest);
    EXPECT_NEAR(got[f].mean, exact[f].mean, 1e-14 * std::max(1.0, std::abs(exact[f].mean)));
    EXPECT_NEAR(got[f].variance, exact[f].variance, 1e-12 * exact[f].variance);
    EXPECT_NEAR(got[f].skewness, exact[f].skewness, 1e-11);
    EXPECT_NEAR(got[f].kurtosis, exact[f].kurtosis, 1e-11);
  }
}

TEST(GpuSpectra, MomentsAreThoseOfTheHost) {
  check_moments<double>({70, 41, 60}, 1e3);
  check_moments<float>({70, 41, 60}, 1e3);
  check_moments<double>({2, 1, 1}, 1);  // some ranks have none
}

TEST(GpuSpectra, RefusesWhatIsForTheHost) {
  const Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab({32, 4}, world().size()));
  const Side& side = plan.output();
  std::vector<std::complex<double>> host(side.size());
  const PlacedArray there = copied(host);
  expect_error(Status::invalid_argument, "memory of one GPU, or of the host",
               [&] { cross_spectrum(MPI_COMM_WORLD, side, there.data(), host.data()); });
  std::vector<std::complex<double>> vector(2 * host.size());
  if (!host.empty())
    expect_error(Status::unsupported, "not on a GPU",
                 [&] { gradient(side, static_cast<const void*>(there.data()), vector.data()); });
}

}  // namespace
}  // namespace shardfft::test
