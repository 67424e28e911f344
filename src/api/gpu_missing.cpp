// Stands for src/gpu in builds without GPUs.
#include "base/check.hpp"
#include "gpu/run/make.hpp"
#include "shardfft/gpu.hpp"
#include "shardfft/kernels.hpp"

namespace shardfft {

namespace {

[[noreturn]] void missing() {
  fail(Status::unsupported, "this build has no GPU support: configure with -DSHARDFFT_GPU=CUDA");
}

}  // namespace

std::vector<std::string> device_exchange_names() { return {}; }
std::string gpu_support() { return {}; }
std::vector<std::string> gpu_names() { return {}; }
MemoryPlace memory_place(const void* /*address*/) { return {}; }
int set_current_gpu(int /*device*/) { missing(); }
void order_streams(int /*device*/, void* /*earlier*/, void* /*stream*/) { missing(); }
bool stream_is_idle(int /*device*/, void* /*stream*/) { missing(); }
void synchronize_stream(int /*device*/, void* /*stream*/) { missing(); }
std::vector<std::string> compile_kernels(const KernelsFor& /*plans*/) { missing(); }

namespace gpu {

void begin_kernels(KernelsFor /*plans*/, int /*processes*/) {}
void check_device(int /*device*/) { missing(); }

std::unique_ptr<Runner> make_runner(ExecutorSetup /*setup*/, const Program& /*program*/,
                                    const std::vector<int>& /*devices*/) {
  missing();
}

void prepare_operator(const MemberPlace& /*place*/, const SpectralFactors& /*factors*/, ElementType /*element*/) {
  missing();
}

void fetch(const MemberPlace& /*place*/, const void* /*array*/, std::byte* /*to*/, std::size_t /*bytes*/) { missing(); }
void bring(const MemberPlace& /*place*/, const std::byte* /*from*/, void* /*array*/, std::size_t /*bytes*/) {
  missing();
}

std::vector<double> sums_in_shells(int /*device*/, const void* /*a*/, const void* /*b*/,
                                   const device::ShellSums& /*what*/, const std::vector<double>& /*tables*/) {
  missing();
}
std::vector<Powers> powers_of(int /*device*/, const void* /*array*/, std::int64_t /*count*/, std::int64_t /*fields*/,
                              Precision /*precision*/) {
  missing();
}
void add_boxes(const MemberPlace& /*place*/, const std::byte* /*source*/, std::byte* /*destination*/,
               const std::vector<LocalCopy>& /*boxes*/, ElementType /*element*/) {
  missing();
}
void multiply(const MemberPlace& /*place*/, const void* /*in*/, void* /*out*/, const SpectralFactors& /*factors*/,
              const std::vector<Piece>& /*pieces*/, ElementType /*element*/) {
  missing();
}
void clear_boxes(const MemberPlace& /*place*/, std::byte* /*array*/, const std::vector<Box>& /*boxes*/,
                 ElementType /*element*/) {
  missing();
}

}  // namespace gpu
}  // namespace shardfft
