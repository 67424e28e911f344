// shardfft's slab engine driven directly: one process, several GPUs; the spectrum stays in slabs along axis 1.
#include "../native/gpu/gpu_adapter.hpp"
#include "gpu/slab/slab_group.hpp"

namespace shardfft::bench {
namespace {

class SlabEngine : public GpuAdapter {
 public:
  Description describe() const override {
    return {
        .library = "shardfft-slab",
        .version = SHARDFFT_BENCH_VERSION,
        .language = "C++",
        .licence = "BSD-3-Clause",
        .backend = "cuFFT and own line passes",
        .gpu = true,
        .distributed = false,
        .capabilities = {{"kinds", {"c2c", "r2c"}}, {"precisions", {"double", "single"}}, {"placements", {"out"}}},
        .options = {
            {"devices", Json::array()}, {"chunks", Json::array()}, {"fused", {true, false}}, {"graph", {true, false}}}};
  }

  std::string refuse(const Case& wanted, int ranks) const override {
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  void plan(const Case& wanted, MPI_Comm) override {
    wanted_ = wanted;
    scale_ = double(wanted.points());
    gpu::SlabShape shape;
    shape.transform = {wanted.real() ? shardfft::Kind::r2c : shardfft::Kind::c2c,
                       wanted.single() ? shardfft::Precision::f32 : shardfft::Precision::f64};
    shape.nx = wanted.shape[0];
    shape.ny = wanted.shape[1];
    shape.nz = wanted.shape[2];
    shape.ranks = wanted.options.value("devices", 1);
    if (device::device_count() < shape.ranks) throw CaseError("case: 'devices' is more than the GPUs here");
    gpu::SlabOptions options;
    options.chunks = wanted.options.value("chunks", 0);
    options.fused = wanted.options.value("fused", true);
    std::vector<int> devices;
    for (int device = 0; device < shape.ranks; ++device) devices.push_back(device);
    group_ = std::make_unique<gpu::SlabGroup>(shape, options, devices);
    std::vector<gpu::SlabArrays> arrays;
    for (int device = 0; device < shape.ranks; ++device) arrays.push_back(allocate(shape, device));
    group_->bind(arrays);
    if (!wanted.options.value("graph", false)) return;
    graphs_[0] = group_->capture(streams_, [&] { group_->forward(streams_); });
    graphs_[1] = group_->capture(streams_, [&] { group_->backward(streams_); });
  }

  void forward() override { graphs_[0] ? replay(0) : group_->forward(streams_); }
  void backward() override { graphs_[1] ? replay(1) : group_->backward(streams_); }

 private:
  gpu::SlabArrays allocate(const gpu::SlabShape& shape, int device) {
    BENCH_GPU_CHECK(cudaSetDevice(device));
    const auto memory = [&](std::size_t bytes) {
      memory_.emplace_back(bytes);
      return memory_.back().get();
    };
    gpu::SlabArrays arrays;
    arrays.field = arrays.planes = memory(shape.field_bytes(device));
    if (wanted_.real()) arrays.planes = memory(shape.planes_bytes(device));
    arrays.spectrum = memory(shape.spectrum_bytes(device));
    const Triple from{shape.x_begin(device), 0, 0}, count{shape.x_count(device), shape.ny, shape.nz};
    field_.push_back({packed_part(from, count), arrays.field, device});
    const std::int64_t rows = shape.y_count(device);
    Part spectrum = packed_part({0, shape.y_begin(device), 0}, {shape.nx, rows, shape.pitch()});
    spectrum.count[2] = shape.nzc();
    spectrum_.push_back({spectrum, arrays.spectrum, device});
    owned_.push_back(device::make_stream());
    streams_.push_back(owned_.back().get());
    return arrays;
  }

  void replay(int which) {
    BENCH_GPU_CHECK(cudaSetDevice(field_[0].device));
    device::launch(graphs_[which].get(), streams_[0]);
  }

  std::unique_ptr<gpu::SlabGroup> group_;
  std::vector<DeviceBuffer> memory_;
  std::vector<device::Stream> owned_;
  std::vector<device::StreamHandle> streams_;
  device::Graph graphs_[2];
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<SlabEngine>(); }

}  // namespace shardfft::bench
