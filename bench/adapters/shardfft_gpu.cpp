// shardfft's plans on GPUs: one process a GPU, arrays in device memory.
#include <optional>
#include <shardfft/shardfft.hpp>

#include "../native/gpu/gpu_adapter.hpp"
#include "shardfft_case.hpp"

namespace shardfft::bench {
namespace {

class ShardfftGpu : public GpuAdapter {
 public:
  ~ShardfftGpu() override {
    plan_.reset();
    if (stream_) cudaStreamDestroy(stream_);
  }
  Description describe() const override {
    return {.library = "shardfft-gpu",
            .version = SHARDFFT_BENCH_VERSION,
            .language = "C++",
            .licence = "BSD-3-Clause",
            .backend = "cuFFT and own line passes",
            .gpu = true,
            .capabilities = {{"kinds", {"c2c", "r2c"}},
                             {"precisions", {"double", "single"}},
                             {"placements", {"out", "in"}},
                             {"layouts", {"slab", "pencil", "brick"}},
                             {"outputs", {"any", "natural"}}},
            .options = plan_options(Place::gpu)};
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    wanted_ = wanted;
    scale_ = double(wanted.points());
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int device = device_of_rank(comm);
    BENCH_GPU_CHECK(cudaSetDevice(device));
    Options options = options_of(wanted, Place::gpu);
    options.memory = MemoryModel::device;
    options.device = device;
    BENCH_GPU_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    options.stream = stream_;  // calls enqueue; finish() waits
    plan_.emplace(comm, transform_of(wanted), input_layout(wanted, ranks),
                  wanted.natural() ? natural_output : default_output, options);
    const Part field = part_of(plan_->input().layout, rank), spectrum = part_of(plan_->output().layout, rank);
    const std::size_t complex = 2 * wanted.real_bytes();
    const std::size_t field_bytes = std::size_t(field.span()) * (wanted.real() ? wanted.real_bytes() : complex);
    const std::size_t spectrum_bytes = std::size_t(spectrum.span()) * complex;
    buffers_[0] = DeviceBuffer(wanted.in_place() ? std::max(field_bytes, spectrum_bytes) : field_bytes);
    if (!wanted.in_place()) buffers_[1] = DeviceBuffer(spectrum_bytes);
    field_ = {{field, buffers_[0].get(), device}};
    spectrum_ = {{spectrum, buffers_[wanted.in_place() ? 0 : 1].get(), device}};
  }

  void forward() override { plan_->forward(field(), spectrum()); }
  void backward() override { plan_->backward(spectrum(), field()); }
  Json breakdown() const override { return breakdown_of(plan_->report()); }

 private:
  cudaStream_t stream_ = nullptr;
  std::optional<Plan> plan_;
  DeviceBuffer buffers_[2];
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<ShardfftGpu>(); }

}  // namespace shardfft::bench
