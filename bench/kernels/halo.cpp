// Times HaloExchange::update() beside plain messages of packed faces, in turns: cpu_halo N WIDTH [ROUNDS]. Bricks of
// N^3 doubles a rank, halos of WIDTH at six faces, periodic. A JSON line: the least seconds of the slowest rank.
#include "shardfft/halo.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace shardfft;

namespace {

/// The boxes of a padded cube that its faces are sent from and received into, and their ranks.
struct Plain {
  std::int64_t n, width, padded;
  std::array<int, 6> peer{};
  std::vector<double> packed;

  Plain(MPI_Comm comm, std::int64_t cube, std::int64_t w, const Shape& grid)
      : n(cube), width(w), padded(cube + 2 * w), packed(static_cast<std::size_t>(12 * n * n * width)) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const std::array<std::int64_t, 3> at{rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
    for (std::size_t face = 0; face < 6; ++face) {
      auto other = at;
      const std::int64_t extent = grid[face / 2];
      other[face / 2] = (other[face / 2] + (face % 2 == 0 ? extent - 1 : 1)) % extent;
      peer[face] = static_cast<int>((other[0] * grid[1] + other[1]) * grid[2] + other[2]);
    }
  }
  std::size_t block() const { return static_cast<std::size_t>(n * n * width); }
  /// Calls work(row, run) for the rows of a face: the own ones beside it, or those of its halo.
  template <class Work>
  void rows(std::size_t face, bool halo, const Work& work) const {
    std::array<std::int64_t, 3> first{width, width, width}, count{n, n, n};
    const std::size_t a = face / 2;
    count[a] = width;
    first[a] = face % 2 == 0 ? (halo ? 0 : width) : (halo ? n + width : n);
    for (std::int64_t i = first[0]; i < first[0] + count[0]; ++i)
      for (std::int64_t j = first[1]; j < first[1] + count[1]; ++j)
        work((i * padded + j) * padded + first[2], count[2]);
  }
  void pack(const double* x, std::size_t face) {
    double* to = packed.data() + face * block();
    rows(face, false, [&](std::int64_t row, std::int64_t run) {
      std::memcpy(to, x + row, static_cast<std::size_t>(run) * sizeof(double));
      to += run;
    });
  }
  void unpack(double* x, std::size_t face) const {
    const double* from = packed.data() + (6 + face) * block();
    rows(face, true, [&](std::int64_t row, std::int64_t run) {
      std::memcpy(x + row, from, static_cast<std::size_t>(run) * sizeof(double));
      from += run;
    });
  }
  void update(MPI_Comm comm, double* x) {
    std::array<MPI_Request, 12> requests{};
    const auto bytes = static_cast<int>(block() * sizeof(double));
    for (std::size_t face = 0; face < 6; ++face)  // what a face receives was sent from the opposite one
      MPI_Irecv(packed.data() + (6 + face) * block(), bytes, MPI_BYTE, peer[face], static_cast<int>(face ^ 1), comm,
                &requests[face]);
    for (std::size_t face = 0; face < 6; ++face) {
      pack(x, face);
      MPI_Isend(packed.data() + face * block(), bytes, MPI_BYTE, peer[face], static_cast<int>(face), comm,
                &requests[6 + face]);
    }
    MPI_Waitall(12, requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t face = 0; face < 6; ++face) unpack(x, face);
  }
};

template <class Work>
double seconds_of(const Work& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  work();
  double mine = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    int ranks = 1, rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 64, width = argc > 2 ? std::atoll(argv[2]) : 1;
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 200;
    std::array<int, 3> dims{};
    MPI_Dims_create(ranks, 3, dims.data());
    const Shape grid(dims.begin(), dims.end());
    const Layout layout = Layout::brick({n * grid[0], n * grid[1], n * grid[2]}, grid);
    HaloExchange halo(MPI_COMM_WORLD, layout, std::vector<HaloWidth>(3, {width, width}), element_type<double>, {},
                      Corners::left_out);
    Plain plain(MPI_COMM_WORLD, n, width, grid);
    std::vector<double> x(static_cast<std::size_t>(halo.count())), y;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) + rank * 0.5;
    y = x;
    double ours = 1e9, theirs = 1e9;
    for (int round = 0; round < rounds; ++round) {
      ours = std::min(ours, seconds_of([&] { halo.update(x); }));
      theirs = std::min(theirs, seconds_of([&] { plain.update(MPI_COMM_WORLD, y.data()); }));
    }
    int same = x == y ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
      std::printf(
          "{\"driver\":\"halo\",\"ranks\":%d,\"n\":%lld,\"width\":%lld,\"update\":%.3e,\"plain\":%.3e,"
          "\"ratio\":%.3f,\"same\":%s}\n",
          ranks, static_cast<long long>(n), static_cast<long long>(width), ours, theirs, ours / theirs,
          same == 1 ? "true" : "false");
  }
  MPI_Finalize();
}
