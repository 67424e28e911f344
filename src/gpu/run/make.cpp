#include "gpu/run/make.hpp"

#include "base/check.hpp"
#include "gpu/move/exchange.hpp"
#include "gpu/run/executor.hpp"
#include "run/tolerance.hpp"

namespace shardfft {

std::vector<std::string> device_exchange_names() { return gpu::device_exchange_names(); }

namespace gpu {

namespace {

/// Which exchange, and which numbers its messages have. Collective.
void choose_movement(ExecutorSetup& setup, Team& team, const Program& program) {
  if (setup.exchange == "auto") {
    setup.choices.push_back(choose_device_exchange(team));
    setup.exchange = setup.choices.back().chosen;
  }
  const std::string why_exact = team.ranks() == 1                         ? "one GPU sends nothing"
                                : setup.exchange.starts_with("cuda_peer") ? "GPUs write into each other's memory"
                                                                          : "";
  const Tolerated numbers = tolerated(setup.options, setup.precision, program, why_exact);
  setup.numbers = numbers.numbers;
  team.set_numbers(numbers.numbers);
  if (numbers.choice) setup.choices.push_back(*numbers.choice);
}

}  // namespace

void check_device(int device) {
  const int count = device::device_count();
  if (count == 0) fail(Status::unsupported, "this build has GPU support, but no GPU was found");
  require(device >= -1 && device < count, "option device is ", device, ", but this host has the GPUs 0 to ", count - 1);
}

std::unique_ptr<Runner> make_runner(ExecutorSetup setup, const Program& program, const std::vector<int>& devices) {
  if (setup.buffering == Buffering::one_array) setup.options.workspace = Workspace::least;
  const int fake = setup.options.fake_ranks_per_host;
  if (!devices.empty()) {
    auto team = std::make_unique<Team>(devices, fake);
    choose_movement(setup, *team, program);
    return std::make_unique<DeviceExecutor>(std::move(setup), std::move(team));
  }
  int device = setup.options.device;
  const Communicator host = setup.comm.split_host();
  if (device < 0) device = host.rank() % device::device_count();
  auto team = std::make_unique<Team>(setup.comm, device, setup.watch, fake);
  choose_movement(setup, *team, program);
  void* const stream = setup.options.stream;
  auto runner = std::make_unique<DeviceExecutor>(std::move(setup), std::move(team));
  runner->set_streams({&stream, 1});
  return runner;
}

}  // namespace gpu
}  // namespace shardfft
