#pragma once
#include <dlfcn.h>

#include <vector>

namespace bench {

/// Total energy in millijoules of all GPUs by NVML's counter; 0 where NVML is missing.
class EnergyMeter {
 public:
  explicit EnergyMeter(int gpus) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == nullptr) return;
    const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    const auto find = reinterpret_cast<int (*)(unsigned, void**)>(dlsym(library, "nvmlDeviceGetHandleByIndex_v2"));
    read_ =
        reinterpret_cast<int (*)(void*, unsigned long long*)>(dlsym(library, "nvmlDeviceGetTotalEnergyConsumption"));
    if (init == nullptr || find == nullptr || init() != 0) read_ = nullptr;
    for (int g = 0; g < gpus && read_ != nullptr; ++g) {
      handles_.push_back(nullptr);
      if (find(static_cast<unsigned>(g), &handles_.back()) != 0) read_ = nullptr;
    }
  }
  double millijoules() const {
    double total = 0;
    for (void* h : handles_) {
      unsigned long long value = 0;
      if (read_ != nullptr && read_(h, &value) == 0) total += static_cast<double>(value);
    }
    return total;
  }

 private:
  int (*read_)(void*, unsigned long long*) = nullptr;
  std::vector<void*> handles_;
};

}  // namespace bench
