// Joules of GPUs, from NVML, which is opened at run time: no driver needs it.
#pragma once

#include <mpi.h>

#include <vector>

#include "case.hpp"

namespace shardfft::bench {

// Joules of all NVIDIA devices of all hosts between construction and stop(), idle ones included: `devices` says how
// many they were.
class DeviceEnergyMeter {
 public:
  explicit DeviceEnergyMeter(MPI_Comm comm);
  ~DeviceEnergyMeter();
  DeviceEnergyMeter(const DeviceEnergyMeter&) = delete;
  DeviceEnergyMeter& operator=(const DeviceEnergyMeter&) = delete;
  // Whether all hosts can tell. The same on all ranks.
  bool counts() const { return counts_; }
  // energy_found() with "devices", or {"unavailable": reason}. Collective; on rank 0.
  Json stop(std::int64_t repeats);

 private:
  void open();
  // Millijoules of every device so far; empty with `fault_` set when some device does not tell.
  std::vector<unsigned long long> read();

  MPI_Comm comm_;
  bool reads_ = false;  // one rank a host reads
  bool counts_ = false;
  double start_ = 0;
  void* library_ = nullptr;
  std::vector<void*> devices_;
  std::vector<unsigned long long> before_;
  std::string fault_;
};

}  // namespace shardfft::bench
