#include "clock.hpp"

#include <sys/resource.h>

namespace shardfft::bench {
namespace {

// Processor time of this rank and its threads.
struct Processor {
  double user = 0, system = 0;

  static Processor now() {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    const auto seconds = [](const timeval& time) { return double(time.tv_sec) + 1e-6 * double(time.tv_usec); };
    return {seconds(use.ru_utime), seconds(use.ru_stime)};
  }
};

}  // namespace

Timing measure(MPI_Comm comm, int warmups, int repeats, double seconds, const std::function<void()>& prepare,
               const std::function<void()>& work) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<double> mine;
  double spent = 0;
  double busy[2] = {0, 0};
  for (int round = 0; round < warmups + repeats; ++round) {
    prepare();
    MPI_Barrier(comm);
    const Processor before = Processor::now();
    const double start = MPI_Wtime();
    work();
    const double took = MPI_Wtime() - start;
    const Processor after = Processor::now();
    if (round < warmups) continue;
    mine.push_back(took);
    spent += took;
    busy[0] += after.user - before.user;
    busy[1] += after.system - before.system;
    if (seconds > 0) {
      // Rank 0 decides for all, outside the clock.
      int enough = spent > seconds;
      MPI_Bcast(&enough, 1, MPI_INT, 0, comm);
      if (enough) break;
    }
  }
  Timing timing;
  timing.samples.resize(mine.size());
  timing.fastest.resize(mine.size());
  MPI_Reduce(mine.data(), timing.samples.data(), int(mine.size()), MPI_DOUBLE, MPI_MAX, 0, comm);
  MPI_Reduce(mine.data(), timing.fastest.data(), int(mine.size()), MPI_DOUBLE, MPI_MIN, 0, comm);
  MPI_Allreduce(MPI_IN_PLACE, busy, 2, MPI_DOUBLE, MPI_SUM, comm);
  timing.user = busy[0] / double(mine.size());
  timing.system = busy[1] / double(mine.size());
  return timing;
}

double time_once(MPI_Comm comm, const std::function<void()>& work) {
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  work();
  double took = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, comm);
  return took;
}

}  // namespace shardfft::bench
