// Stands for src/gpu in builds without GPUs.
#include "base/check.hpp"
#include "gpu/make.hpp"

namespace shardfft {

std::vector<std::string> device_exchange_names() { return {}; }

namespace gpu {

namespace {

[[noreturn]] void missing() {
  fail(Status::unsupported, "this build has no GPU support: configure with -DSHARDFFT_GPU=CUDA");
}

}  // namespace

void check_device(int /*device*/) { missing(); }

std::unique_ptr<Runner> make_runner(ExecutorSetup /*setup*/) { missing(); }

std::unique_ptr<Runner> make_group_runner(ExecutorSetup /*setup*/, const std::vector<int>& /*devices*/) { missing(); }

}  // namespace gpu
}  // namespace shardfft
