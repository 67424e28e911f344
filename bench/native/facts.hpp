// Facts about the machine and the process, for the record: what is not readable is said, never guessed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "case.hpp"

namespace shardfft::bench {

// CPU, kernel, MPI library, hosts, and the cores each rank may run on. Collective; complete on rank 0.
Json machine_facts(MPI_Comm comm);
// The variables that change how MPI, OpenMP and the FFT libraries behave.
Json environment_facts();
// Largest resident memory of this process so far, bytes; 0 when the system does not tell.
std::int64_t peak_memory();
// The largest value over the ranks, on all ranks.
std::int64_t largest(std::int64_t mine, MPI_Comm comm);
// Why the hosts cannot hold `bytes` in every rank, in a sentence; empty when they can. The same on all ranks.
std::string memory_refusal(double bytes, MPI_Comm comm);
// UTC, ISO 8601.
std::string now();

// Whether this is the rank that reads the counters of its host.
bool first_of_host(MPI_Comm comm);
// {"joules": x, "seconds": s, "repeats": n, "source": "..."}; {"unavailable": reason} when the counter did not move.
Json energy_found(double joules, double seconds, std::int64_t repeats, const char* source);

// Joules of the CPU packages of all hosts between construction and stop(), from the kernel's RAPL counters.
class EnergyMeter {
 public:
  explicit EnergyMeter(MPI_Comm comm);
  // Whether all hosts can tell. The same on all ranks.
  bool counts() const { return counts_; }
  // energy_found(), or {"unavailable": reason}. Collective; on rank 0.
  Json stop(std::int64_t repeats);

 private:
  struct Zone {
    std::string path;
    double before = 0;
    double range = 0;
  };
  MPI_Comm comm_;
  bool counts_ = false;
  double start_ = 0;
  std::vector<Zone> zones_;
};

}  // namespace shardfft::bench
