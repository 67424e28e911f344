#include "ratio.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <vector>

#include "mpi_profile.hpp"

// The preloaded wrappers of FFTW and MKL ask the driver, whose wrappers of MPI are the ones that are called.
extern "C" std::int64_t shardfft_bench_mpi_calls() { return shardfft::bench::mpi_calls(); }

namespace shardfft::bench {
namespace {

constexpr int rounds = 3;

template <class Function>
Function preloaded(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// The functions of fft_profile.cpp, where the harness has preloaded it.
struct Preloaded {
  void (*start)(int) = preloaded<void (*)(int)>("shardfft_bench_start_ffts");
  void (*stop)(double*, std::int64_t*) = preloaded<void (*)(double*, std::int64_t*)>("shardfft_bench_stop_ffts");
  std::int64_t (*replay)() = preloaded<std::int64_t (*)()>("shardfft_bench_replay_ffts");
  explicit operator bool() const { return start && stop && replay; }
};

double mean(double mine, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, comm);
  return mine / ranks;
}

Json share(double ffts, double whole, const char* source) {
  return {{"seconds", ffts}, {"r", whole > 0 ? 1 - ffts / whole : 0.0}, {"source", source}};
}

Json none(const char* why) { return {{"unavailable", why}}; }

}  // namespace

Json measure_ratio(Adapter& adapter, const Case& wanted, const std::function<void()>& prepare,
                   const std::function<void()>& work, MPI_Comm comm) {
  const Preloaded ffts;
  const Adapter::FftAccount before = adapter.fft_account();
  double spent = 0, inside = 0;
  std::int64_t executions = 0;
  start_counting_mpi();  // so that an execution that calls MPI is known
  for (int round = 0; round < rounds; ++round) {
    prepare();
    MPI_Barrier(comm);
    if (ffts) ffts.start(round == 0);
    const double start = MPI_Wtime();
    work();
    spent += MPI_Wtime() - start;
    double seconds = 0;
    if (ffts) ffts.stop(&seconds, &executions);
    inside += seconds;
  }
  (void)stop_counting_mpi();
  const double whole = mean(spent / rounds, comm);
  const Adapter::FftAccount after = adapter.fft_account();
  const bool called = mean(double(executions), comm) > 0;
  const std::function<void()> instead = adapter.local_ffts(wanted, comm);
  const bool alone = instead || called;
  double replayed = 0;
  for (int round = 0; alone && round <= rounds; ++round) {
    prepare();
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    instead ? instead() : void(ffts.replay());
    if (round > 0) replayed += MPI_Wtime() - start;  // the first one warms up
  }
  Json found{{"seconds", whole}};
  const double timed = mean(after.whole > 0 ? after.whole - before.whole : spent, comm);
  const double ffts_of_timed = mean(after.ffts - std::max(before.ffts, 0.0), comm),
               by_calls = mean(inside / rounds, comm);
  // A rank without data has no account.
  if (mean(after.ffts >= 0 ? 1 : 0, comm) > 0)
    found["told"] = timed > 0 ? share(ffts_of_timed / timed * whole, whole, "the library's account")
                              : none("the library timed none of these runs");
  else if (called)
    found["told"] = share(by_calls, whole, "its calls of FFTW and MKL");
  else
    found["told"] = none(ffts ? "it has no account and calls neither FFTW nor MKL from outside"
                              : "it has no account, and its calls were not listened to");
  if (wanted.threads > 1 && !instead)
    found["replayed"] = none("calls of several threads are not recorded");
  else if (!alone)
    found["replayed"] = none("no call of its local FFTs is known");
  else
    found["replayed"] = share(mean(replayed / rounds, comm), whole,
                              instead ? "the same transforms by the same local library" : "its calls, run again");
  return found;
}

}  // namespace shardfft::bench
