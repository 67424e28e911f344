#include "device/standin/kernel.hpp"

#include <mutex>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "device/standin/scheduler.hpp"
#include "device/standin/settings.hpp"

namespace shardfft::device::standin {

namespace {

/// The kernels that a device has loaded.
std::set<std::pair<int, std::string>>& loaded() {
  static std::set<std::pair<int, std::string>> all;
  return all;
}
std::mutex loading;

/// As CUDA may do: the first launch of a kernel waits for all earlier work of its device.
void load(void* stream, int device, const std::string& name) {
  {
    const std::lock_guard<std::mutex> lock(loading);
    if (!loaded().emplace(device, name).second) return;
  }
  if (!Scheduler::instance().captured(stream, device)) Scheduler::instance().drain(device);
}

}  // namespace

void unload_kernels() {
  const std::lock_guard<std::mutex> lock(loading);
  loaded().clear();
}

void enqueue_kernel(void* stream, std::string name, std::vector<Access> touched, std::function<void()> work) {
  const int device = current_device();
  const int owner = Scheduler::instance().device_of(stream, device);
  if (owner != device)
    fail(Status::backend_failure, name, ": the stream is of device ", owner, ", current is device ", device);
  load(stream, device, name);
  auto checked = [device, touched = std::move(touched), work = std::move(work)] {
    for (const Access& access : touched) MemoryTable::instance().check_kernel(access, device);
    work();
  };
  Scheduler::instance().enqueue(stream, device, std::move(name), std::move(checked));
}

}  // namespace shardfft::device::standin
