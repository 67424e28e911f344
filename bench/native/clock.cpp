#include "clock.hpp"

namespace shardfft::bench {

Timing measure(MPI_Comm comm, int warmups, int repeats, double seconds, const std::function<void()>& prepare,
               const std::function<void()>& work) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<double> mine;
  double spent = 0;
  for (int round = 0; round < warmups + repeats; ++round) {
    prepare();
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    work();
    const double took = MPI_Wtime() - start;
    if (round < warmups) continue;
    mine.push_back(took);
    spent += took;
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
