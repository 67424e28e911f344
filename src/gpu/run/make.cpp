#include "gpu/run/make.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "device/begin_kernels.hpp"
#include "device/facts.hpp"
#include "device/pointwise.hpp"
#include "gpu/move/exchange.hpp"
#include "gpu/run/executor.hpp"
#include "run/tolerance.hpp"

namespace shardfft {

std::vector<std::string> device_exchange_names() { return gpu::device_exchange_names(); }

namespace gpu {

void begin_kernels(KernelsFor plans, int processes) {
  const auto chips = device::likely_chips();
  if (!chips || !device::has_cores_for_kernels(std::min(processes, chips->count))) return;
  plans.architecture = chips->architecture;
  device::begin_kernels(plans);
}

void check_device(int device) {
  const int count = device::device_count();
  if (count == 0) fail(Status::unsupported, "this build has GPU support, but no GPU was found");
  require(device >= -1 && device < count, "option device is ", device, ", but this host has the GPUs 0 to ", count - 1);
}

std::unique_ptr<Runner> make_runner(ExecutorSetup setup, const Program& program, const std::vector<int>& devices) {
  if (setup.way.room == Spare::one_array) setup.options.workspace = Workspace::least;
  const int fake = setup.options.fake_ranks_per_host;
  int device = setup.options.device;
  if (devices.empty() && device < 0) device = setup.comm.split_host().rank() % device::device_count();
  auto team = devices.empty() ? std::make_shared<Team>(setup.comm, device, setup.watch, fake)
                              : std::make_shared<Team>(devices, fake);
  if (setup.way.exchange == "auto") {
    setup.choices.push_back(choose_device_exchange(*team));
    setup.way.exchange = setup.choices.back().chosen;
    setup.other_exchanges = other_device_exchanges(*team, setup.way.exchange);
  }
  heed_tolerance(setup, program, why_exact(setup.way.exchange, *team));
  return std::make_unique<DeviceExecutor>(std::move(setup), std::move(team));
}

void prepare_operator(const MemberPlace& place, const SpectralFactors& factors, ElementType element) {
  const device::DeviceScope scope(place.device);
  device::prepare_texts(factors, element);
}

void fetch(const MemberPlace& place, const void* array, std::byte* to, std::size_t bytes) {
  const device::DeviceScope scope(place.device);
  device::copy_bytes(to, array, bytes, place.stream);
  device::synchronize(place.stream);
}

void bring(const MemberPlace& place, const std::byte* from, void* array, std::size_t bytes) {
  const device::DeviceScope scope(place.device);
  device::copy_bytes(array, from, bytes, place.stream);
  device::synchronize(place.stream);
}

}  // namespace gpu
}  // namespace shardfft
