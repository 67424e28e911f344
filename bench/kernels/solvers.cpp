// Times Poisson's equation with open axes, in turns beside a periodic solve of the same points and a solve by a plan of
// the padded array: cpu_solvers N [ROUNDS] [MASKS]. Cubes of N^3 doubles in slabs; bit a of a mask opens axis a, and
// without masks all of 1 to 7 are measured. A JSON line for each: the least seconds of the slowest rank, their ratios,
// and of the rank that has most the bytes that are sent and kept (arrays too).
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "shardfft/plan.hpp"
#include "shardfft/poisson.hpp"

using namespace shardfft;

namespace {

struct Kept {
  double seconds = 1e30;
  double sent = 0, bytes = 0;

  void add(const PlanReport& report, double more) {
    if (report.apply)
      for (const auto& step : report.apply->steps) sent += static_cast<double>(step.bytes_sent);
    bytes = more + static_cast<double>(report.workspace_bytes + report.window_bytes + report.table_bytes);
  }
};

/// The slowest rank's time.
template <class Work>
void time(Kept& kept, const Work& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  work();
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  kept.seconds = std::min(kept.seconds, seconds);
}

void measure(std::int64_t n, int rounds, int mask, int ranks) {
  const Layout layout = Layout::slab({n, n, n}, ranks);
  PoissonOptions periodic, open;
  periodic.lengths = open.lengths = {1, 1, 1};
  periodic.wrong_mean = WrongMean::remove;
  Shape doubled{n, n, n};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_open = (mask >> axis & 1) == 1;
    open.boundary.push_back(is_open ? AxisBoundary{Boundary::open, Boundary::open} : AxisBoundary{});
    if (is_open) doubled[axis] *= 2;
  }
  Kept of_periodic, of_open, of_padded;
  Poisson around(MPI_COMM_WORLD, layout, Precision::f64, periodic), free(MPI_COMM_WORLD, layout, Precision::f64, open);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> f(static_cast<std::size_t>(layout.count(rank)), 1), u(f.size());
  Plan padded(MPI_COMM_WORLD, r2c<double>, Layout::slab(doubled, ranks));
  std::vector<double> large(padded.input().size()), result(large.size()), factors(padded.output().size(), 1);
  const Operator green = Operator::array(factors);
  for (int round = 0; round <= rounds; ++round) {
    if (round == 1) of_periodic = of_open = of_padded = {};  // the first makes programs
    time(of_periodic, [&] { around.solve(f.data(), u.data()); });
    time(of_open, [&] { free.solve(f.data(), u.data()); });
    time(of_padded, [&] { padded.apply(green, large, result); });
  }
  const double arrays = 16.0 * static_cast<double>(f.size());
  const PlanReport report = free.report();
  of_open.add(report, arrays + static_cast<double>(free.workspace_bytes() - report.workspace_bytes));
  of_padded.add(padded.report(), 16.0 * static_cast<double>(large.size()) + 8.0 * static_cast<double>(factors.size()));
  of_periodic.add(around.report(), arrays);
  if (rank != 0) return;
  std::printf(
      "{\"n\": %lld, \"open\": \"%s%s%s\", \"periodic_s\": %.4g, \"open_s\": %.4g, \"padded_s\": %.4g, "
      "\"of_periodic\": %.3f, \"of_padded\": %.3f, \"sent_of_padded\": %.3f, \"memory_of_padded\": %.3f}\n",
      static_cast<long long>(n), (mask & 1) != 0 ? "0" : "", (mask & 2) != 0 ? "1" : "", (mask & 4) != 0 ? "2" : "",
      of_periodic.seconds, of_open.seconds, of_padded.seconds, of_open.seconds / of_periodic.seconds,
      of_open.seconds / of_padded.seconds, of_padded.sent > 0 ? of_open.sent / of_padded.sent : 0.0,
      of_open.bytes / of_padded.bytes);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 128;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  for (int mask = 1; mask < 8; ++mask) {
    bool wanted = argc <= 3;
    for (int i = 3; i < argc; ++i) wanted = wanted || std::atoi(argv[i]) == mask;
    if (wanted) measure(n, rounds, mask, ranks);
  }
  MPI_Finalize();
}
