// FFTW's MPI interface with arguments drawn at random, against FFTW's own library.
#include "fftw_case.hpp"
#include "support/random_problems.hpp"

namespace shardfft::test {
namespace {

/// The basic interfaces, and the one that FFTW exports without a word (guru), are other doors to the same plans.
Case by_another_door(Random& random, const Geometry& g, unsigned in, unsigned out, int sign, Case c) {
  const int axes = static_cast<int>(g.n.size());
  if (random.coin()) {
    c.text += " guru";
    c.plan = [=](const FftwLibrary& of, void* from, void* to) {
      std::vector<fftw_mpi_ddim> dims;
      for (const std::ptrdiff_t n : g.n) dims.push_back({n, n, n});
      dims[in ? 1 : 0].ib = g.block(in);
      dims[out ? 1 : 0].ob = g.block(out);
      const unsigned flags = FFTW_ESTIMATE | in | out;
      return of.call<fftw_plan>("mpi_plan_guru_dft", axes, static_cast<const fftw_mpi_ddim*>(dims.data()), g.howmany,
                                from, to, MPI_COMM_WORLD, sign, flags);
    };
  } else if (g.howmany == 1 && g.block0 == 0 && g.block1 == 0) {
    c.text += " basic";
    c.plan = [=](const FftwLibrary& of, void* from, void* to) {
      const unsigned flags = in | out | FFTW_ESTIMATE;
      if (axes == 2)
        return of.call<fftw_plan>("mpi_plan_dft_2d", g.n[0], g.n[1], from, to, MPI_COMM_WORLD, sign, flags);
      if (axes == 3)
        return of.call<fftw_plan>("mpi_plan_dft_3d", g.n[0], g.n[1], g.n[2], from, to, MPI_COMM_WORLD, sign, flags);
      return of.call<fftw_plan>("mpi_plan_dft", axes, static_cast<const std::ptrdiff_t*>(g.n.data()), from, to,
                                MPI_COMM_WORLD, sign, flags);
    };
  }
  return c;
}

Case drawn(Random& random, const Libraries& libraries) {
  const auto one_of_two = [&](unsigned flag) { return random.coin() ? flag : 0u; };
  const int sign = random.coin() ? FFTW_FORWARD : FFTW_BACKWARD;
  const auto work = random.integer(0, 5);
  const std::ptrdiff_t howmany = random.coin() ? 1 : random.integer(2, 5);
  const FftwLibrary& ours = libraries.ours;
  if (work == 0)
    return line_case(ours, random.integer(2, 200), howmany, one_of_two(FFTW_MPI_SCRAMBLED_IN),
                     one_of_two(FFTW_MPI_SCRAMBLED_OUT), sign);
  const unsigned in = one_of_two(FFTW_MPI_TRANSPOSED_IN), out = one_of_two(FFTW_MPI_TRANSPOSED_OUT);
  Sizes n(work == 1 ? 2 : static_cast<std::size_t>(random.integer(2, 4)));
  const std::int64_t largest = n.size() == 2 ? 40 : n.size() == 3 ? 14 : 7;
  for (std::ptrdiff_t& extent : n) extent = random.integer(1, largest);
  // FFTW 3.3 forgets axes of extent 1: it exchanges others than its manual says, and writes beyond its own memory if no
  // axis is left.
  for (std::ptrdiff_t* const extent : {&n[0], &n[1]}) *extent = std::max<std::ptrdiff_t>(*extent, 2);
  Sizes real = n;
  if (work == 2) n.back() = n.back() / 2 + 1;
  const auto block = [&](std::ptrdiff_t extent) {
    const std::ptrdiff_t least = (extent + ranks() - 1) / ranks();
    return random.coin() ? std::ptrdiff_t{0} : random.integer(least, std::max(least, extent));
  };
  const std::ptrdiff_t block0 = block(n[0]), block1 = block(n[1]);
  const Geometry g(ours, n, howmany, block0, block1);
  if (work == 1) return transpose_case(g, in, out);
  if (work == 2) return real_case(libraries, g, real, in, out, random.coin());
  if (work == 3) {
    std::vector<int> kinds;
    for (std::size_t a = 0; a < n.size(); ++a)
      kinds.push_back(
          real_kinds[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(real_kinds.size()) - 1))]);
    return kinds_case(g, in, out, kinds);
  }
  return by_another_door(random, g, in, out, sign, complex_case(g, in, out, sign));
}

TEST(FftwRandom, IsAsFftw) {
  Comparison both[]{Comparison(true), Comparison(false)};
  const RandomCounts counts = random_problems("random --fftw", [&](std::int64_t i) {
    Random random(static_cast<std::uint64_t>(i) * 7919);
    Comparison& by = both[random.integer(0, 3) == 0 ? 1 : 0];
    const Case c = drawn(random, by.libraries);
    SCOPED_TRACE(c.text);
    return !by.compare(c, random.coin(), static_cast<unsigned>(i));
  });
  EXPECT_EQ(counts.failed, 0);
  EXPECT_GT(counts.checked, 0);
}

}  // namespace
}  // namespace shardfft::test
