// shardfft's plans of one process that drives several GPUs (devices as ranks), arrays in device memory.
#include <optional>
#include <shardfft/shardfft.hpp>

#include "../native/gpu/gpu_adapter.hpp"
#include "shardfft_case.hpp"

namespace shardfft::bench {
namespace {

class ShardfftGroup : public GpuAdapter {
 public:
  ~ShardfftGroup() override {
    plan_.reset();
    for (const cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  }
  Description describe() const override { return description_of("shardfft-group", SHARDFFT_BENCH_VERSION, options()); }

  void plan(const Case& wanted, MPI_Comm) override {
    wanted_ = wanted;
    scale_ = double(wanted.points());
    const int count = wanted.options.value("devices", 1);
    int there = 0;
    BENCH_GPU_CHECK(cudaGetDeviceCount(&there));
    if (there < count) throw CaseError("case: 'devices' is more than the GPUs here");
    std::vector<int> devices;
    for (int device = 0; device < count; ++device) devices.push_back(device);
    Options options = options_of(wanted, Place::devices);
    options.memory = MemoryModel::device;
    plan_.emplace(Devices(devices), transform_of(wanted), input_layout(wanted, count),
                  wanted.natural() ? natural_output : default_output, options);
    for (const int device : devices) add(device);
    const std::vector<void*> streams(streams_.begin(), streams_.end());
    plan_->set_streams(streams);  // calls enqueue; finish() waits
  }

  void forward() override { plan_->forward(fields_, spectra_); }
  void backward() override { plan_->backward(spectra_, fields_); }
  Json breakdown() const override { return breakdown_of(plan_->report()); }

 private:
  static Json options() {
    Json options = plan_options(Place::devices);
    options["devices"] = Json::array();
    return options;
  }

  // The stream and the arrays of one GPU.
  void add(int device) {
    BENCH_GPU_CHECK(cudaSetDevice(device));
    BENCH_GPU_CHECK(cudaStreamCreateWithFlags(&streams_.emplace_back(), cudaStreamNonBlocking));
    const shardfft::Side field = plan_->input(device), spectrum = plan_->output(device);
    void* const in = allocate(wanted_.in_place() ? std::max(field.bytes(), spectrum.bytes()) : field.bytes());
    void* const out = wanted_.in_place() ? in : allocate(spectrum.bytes());
    fields_.push_back(in);
    spectra_.push_back(out);
    field_.push_back({part_of(field.layout, device), in, device});
    spectrum_.push_back({part_of(spectrum.layout, device), out, device});
  }

  void* allocate(std::size_t bytes) { return memory_.emplace_back(bytes).get(); }

  std::vector<cudaStream_t> streams_;
  std::optional<Plan> plan_;
  std::vector<DeviceBuffer> memory_;
  std::vector<void*> fields_, spectra_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<ShardfftGroup>(); }

}  // namespace shardfft::bench
