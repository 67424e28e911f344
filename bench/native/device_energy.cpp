#include "device_energy.hpp"

#include <dlfcn.h>

#include "facts.hpp"

namespace shardfft::bench {
namespace {

constexpr int fine = 0;  // NVML_SUCCESS

// A function of NVML, all of which return 0 when they succeed.
template <class... Arguments>
bool call(void* library, const char* name, Arguments... arguments) {
  using Function = int (*)(Arguments...);
  const auto function = reinterpret_cast<Function>(dlsym(library, name));
  return function && function(arguments...) == fine;
}

}  // namespace

DeviceEnergyMeter::DeviceEnergyMeter(MPI_Comm comm) : comm_(comm) {
  reads_ = first_of_host(comm);
  if (reads_) open();
  int faults = !fault_.empty();
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, comm);
  counts_ = faults == 0;
  if (!counts_ && fault_.empty()) fault_ = "not counted on every host";
  start_ = MPI_Wtime();
}

void DeviceEnergyMeter::open() {
  library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library_ || !call(library_, "nvmlInit_v2")) {
    fault_ = library_ ? "NVML did not start" : "libnvidia-ml.so.1 was not found";
    return;
  }
  unsigned count = 0;
  call(library_, "nvmlDeviceGetCount_v2", &count);
  for (unsigned index = 0; index < count; ++index) {
    void* device = nullptr;
    if (call(library_, "nvmlDeviceGetHandleByIndex_v2", index, &device)) devices_.push_back(device);
  }
  if (devices_.empty()) fault_ = "NVML knows no device";
  before_ = read();
}

DeviceEnergyMeter::~DeviceEnergyMeter() {
  if (!library_) return;
  call(library_, "nvmlShutdown");
  dlclose(library_);
}

std::vector<unsigned long long> DeviceEnergyMeter::read() {
  std::vector<unsigned long long> energies;
  for (void* device : devices_) {
    unsigned long long millijoules = 0;
    if (!call(library_, "nvmlDeviceGetTotalEnergyConsumption", device, &millijoules)) {
      fault_ = "a device does not count its energy";
      return {};
    }
    energies.push_back(millijoules);
  }
  return energies;
}

Json DeviceEnergyMeter::stop(std::int64_t repeats) {
  const double seconds = MPI_Wtime() - start_;
  const auto after = counts_ && reads_ ? read() : std::vector<unsigned long long>{};
  double sums[3] = {0, double(devices_.size()), fault_.empty() ? 0.0 : 1.0};
  for (std::size_t place = 0; place < after.size(); ++place) sums[0] += double(after[place] - before_[place]) * 1e-3;
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, comm_);
  if (sums[2] > 0) return {{"unavailable", fault_.empty() ? "not counted on every host" : fault_}};
  Json found = energy_found(sums[0], seconds, repeats, "NVML, all devices of the hosts");
  if (found.contains("joules")) found["devices"] = int(sums[1]);
  return found;
}

}  // namespace shardfft::bench
