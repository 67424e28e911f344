// Forward + backward of n^3 complex doubles by this library and by FFTW's MPI transform, in turns, within a time limit:
//   mpirun -n RANKS cpu_strong N SECONDS PLAN_SECONDS [check]
// SECONDS bounds the timed rounds (two at least), PLAN_SECONDS what FFTW may measure for a plan; 0 lets both
// libraries estimate theirs (measuring takes minutes where one candidate takes seconds).
// One JSON line for each of the two, with times in milliseconds (the slowest rank's). Data are not refilled: an
// unscaled pair multiplies them by n^3, and max_rounds of them stay far from overflow.
#include <fftw3.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "contenders.hpp"

namespace {

constexpr std::size_t max_rounds = 15;

struct Entry {
  std::string library;
  std::unique_ptr<claims::Contender> contender;
  double plan_seconds = 0;
  double error = -1;  ///< -1: not checked
  std::vector<double> times;
};

double slowest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

template <class Make>
Entry planned(const std::string& library, const Make& make) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  Entry entry{library, make(), 0, -1, {}};
  entry.plan_seconds = slowest(MPI_Wtime() - begin);
  return entry;
}

double pair_ms(claims::Contender& contender) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  contender.forward();
  contender.backward();
  return 1e3 * slowest(MPI_Wtime() - begin);
}

void print(const Entry& entry, long n, int ranks, bool measured) {
  std::vector<double> sorted = entry.times;
  std::sort(sorted.begin(), sorted.end());
  std::printf(
      "{\"library\": \"%s\", \"n\": %ld, \"ranks\": %d, \"measured_plan\": %s, \"plan_seconds\": %.2f, \"error\": "
      "%.1e, \"median_ms\": %.3f, "
      "\"min_ms\": %.3f, \"samples_ms\": [",
      entry.library.c_str(), n, ranks, measured ? "true" : "false", entry.plan_seconds, entry.error,
      sorted[sorted.size() / 2], sorted.front());
  for (std::size_t i = 0; i < entry.times.size(); ++i) std::printf("%s%.3f", i > 0 ? ", " : "", entry.times[i]);
  std::printf("]}\n");
  std::fflush(stdout);
}

int run(long n, double seconds, double plan_seconds, bool check) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool measure = plan_seconds > 0;
  if (measure) fftw_set_timelimit(plan_seconds);
  claims::OurOptions ours;
  ours.exchange = "shared_window";
  ours.measure = measure;
  std::vector<Entry> entries;
  entries.push_back(planned("shardfft", [&] { return claims::make_ours(MPI_COMM_WORLD, n, ours); }));
  entries.push_back(planned("fftw-mpi", [&] { return claims::make_fftw_mpi(MPI_COMM_WORLD, n, true, measure); }));
  bool right = true;
  for (Entry& entry : entries) {
    if (check) entry.error = claims::worst_error(*entry.contender, n, MPI_COMM_WORLD);
    right = right && entry.error < 1e-12;
    claims::fill(*entry.contender, n);
    pair_ms(*entry.contender);  // warm
  }
  const double begin = MPI_Wtime();
  for (int enough = 0; enough == 0;) {
    for (Entry& entry : entries) entry.times.push_back(pair_ms(*entry.contender));
    const std::size_t rounds = entries.front().times.size();
    enough = (rounds >= 2 && MPI_Wtime() - begin > seconds) || rounds == max_rounds ? 1 : 0;
    MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0)
    for (const Entry& entry : entries) print(entry, n, ranks, measure);
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) {
    std::fprintf(stderr, "usage: cpu_strong N SECONDS PLAN_SECONDS [check]\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  const int status = run(std::atol(argv[1]), std::atof(argv[2]), std::atof(argv[3]), argc == 5);
  MPI_Finalize();
  return status;
}
