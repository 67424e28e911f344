// heFFTe on GPUs by its CUDA backend: one process a GPU. Without an MPI that takes device memory it sends through the
// host.
#include <cufft.h>

#include "../native/gpu/gpu_adapter.hpp"
#include "heffte_common.hpp"

namespace shardfft::bench {
namespace {

class HeFfteGpu : public GpuAdapter {
 public:
  Description describe() const override {
    return description_of("heffte-gpu", SHARDFFT_BENCH_HEFFTE_VERSION,
                          {{"algorithm", heffte_algorithms},
                           {"reorder", {true, false}},
                           {"pencils", {true, false}},
                           {"gpu_aware", {false, true}}});
  }

  std::string refuse(const Case& wanted, int ranks) const override {
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    wanted_ = wanted;
    scale_ = double(wanted.points());
    const int device = device_of_rank(comm);
    BENCH_GPU_CHECK(cudaSetDevice(device));
    const SideParts parts = side_parts(wanted, comm);
    const std::size_t complex = 2 * wanted.real_bytes();
    buffers_[0] = DeviceBuffer(std::size_t(parts.field.volume()) * (wanted.real() ? wanted.real_bytes() : complex));
    buffers_[1] = DeviceBuffer(std::size_t(parts.spectrum.volume()) * complex);
    field_ = {{parts.field, buffers_[0].get(), device}};
    spectrum_ = {{parts.spectrum, buffers_[1].get(), device}};
    heffte::plan_options options = heffte_options<heffte::backend::cufft>(wanted);
    options.use_gpu_aware = wanted.options.value("gpu_aware", false);
    calls_ = make_heffte<heffte::backend::cufft>(wanted, parts, options, comm, field(), spectrum());
  }

  void forward() override { calls_.forward(); }
  void backward() override { calls_.backward(); }

 private:
  DeviceBuffer buffers_[2];
  HeffteCalls calls_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<HeFfteGpu>(); }

}  // namespace shardfft::bench
