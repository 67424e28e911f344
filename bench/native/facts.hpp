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

// Joules of the CPU packages of all hosts between construction and stop(), from the kernel's RAPL counters.
class EnergyMeter {
 public:
  explicit EnergyMeter(MPI_Comm comm);
  // {"joules": x, "source": "..."} or {"unavailable": reason}. Collective; on rank 0.
  Json stop();

 private:
  struct Zone {
    std::string path;
    double before = 0;
    double range = 0;
  };
  MPI_Comm comm_;
  bool reads_ = false;  // one rank a host reads
  std::vector<Zone> zones_;
};

}  // namespace shardfft::bench
