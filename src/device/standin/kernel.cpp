#include "device/standin/kernel.hpp"

#include <utility>

#include "base/check.hpp"
#include "device/standin/scheduler.hpp"
#include "device/standin/settings.hpp"

namespace shardfft::device::standin {

void enqueue_kernel(void* stream, std::string name, std::vector<Access> touched, std::function<void()> work) {
  const int device = current_device();
  const int owner = Scheduler::instance().device_of(stream, device);
  if (owner != device)
    fail(Status::backend_failure, name, ": the stream is of device ", owner, ", current is device ", device);
  auto checked = [device, touched = std::move(touched), work = std::move(work)] {
    for (const Access& access : touched) MemoryTable::instance().check_kernel(access, device);
    work();
  };
  Scheduler::instance().enqueue(stream, device, std::move(name), std::move(checked));
}

}  // namespace shardfft::device::standin
