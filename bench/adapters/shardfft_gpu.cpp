// shardfft's plans on GPUs: one process a GPU, arrays in device memory, or where the case's option `memory` says.
// managed_host is managed memory whose values the host writes before every repeat; of managed the GPU writes them.
#include <algorithm>
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
  Description describe() const override { return description_of("shardfft-gpu", SHARDFFT_BENCH_VERSION, options()); }

  void plan(const Case& wanted, MPI_Comm comm) override {
    wanted_ = wanted;
    scale_ = double(wanted.points());
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int device = device_of_rank(comm);
    BENCH_GPU_CHECK(cudaSetDevice(device));
    Options options = options_of(wanted, Place::gpu);
    const std::string memory = wanted.options.value("memory", "device");
    set_option(options, "memory", memory == "managed_host" ? "managed" : memory);
    from_host_ = memory != "device" && memory != "managed";
    options.device = device;
    BENCH_GPU_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    options.stream = stream_;  // calls enqueue; finish() waits
    plan_.emplace(comm, transform_of(wanted), input_layout(wanted, ranks),
                  wanted.natural() ? natural_output : default_output, options);
    const Part field = part_of(plan_->input().layout, rank), spectrum = part_of(plan_->output().layout, rank);
    const std::size_t complex = 2 * wanted.real_bytes();
    const std::size_t field_bytes = std::size_t(field.span()) * (wanted.real() ? wanted.real_bytes() : complex);
    const std::size_t spectrum_bytes = std::size_t(spectrum.span()) * complex;
    buffers_[0] = array(options.memory, wanted.in_place() ? std::max(field_bytes, spectrum_bytes) : field_bytes);
    if (!wanted.in_place()) buffers_[1] = array(options.memory, spectrum_bytes);
    field_ = {{field, buffers_[0].get(), device}};
    spectrum_ = {{spectrum, buffers_[wanted.in_place() ? 0 : 1].get(), device}};
  }

  void forward() override { plan_->forward(field(), spectrum()); }
  void backward() override { plan_->backward(spectrum(), field()); }
  Json breakdown() const override { return breakdown_of(plan_->report()); }
  std::unique_ptr<Values> make_values(const Case& wanted) override {
    return from_host_ ? Adapter::make_values(wanted) : GpuAdapter::make_values(wanted);
  }

 private:
  static Json options() {
    Json options = plan_options(Place::gpu);
    options["memory"] = {"device", "managed", "managed_host", "registered", "host"};
    return options;
  }

  static std::shared_ptr<void> array(MemoryModel model, std::size_t bytes) {
    if (model == MemoryModel::host || model == MemoryModel::registered) {
      const auto buffer = std::make_shared<HostBuffer>(bytes);
      return {buffer, buffer->get()};
    }
    void* memory = nullptr;
    const std::size_t some = std::max<std::size_t>(bytes, 256);
    BENCH_GPU_CHECK(model == MemoryModel::managed ? cudaMallocManaged(&memory, some) : cudaMalloc(&memory, some));
    return {memory, cudaFree};
  }

  cudaStream_t stream_ = nullptr;
  std::optional<Plan> plan_;
  std::shared_ptr<void> buffers_[2];
  bool from_host_ = false;  // whether the host makes the values and compares them
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<ShardfftGpu>(); }

}  // namespace shardfft::bench
