// cuFFT over several GPUs of one process, in place; the spectrum stays in slabs along axis 1.
#include "cufft_common.hpp"

namespace shardfft::bench {
namespace {

class CufftXt : public GpuAdapter {
 public:
  Description describe() const override {
    return description_of("cufftxt", cufft_version_text(), {{"devices", Json::array()}});
  }

  std::string refuse(const Case& wanted, int ranks) const override {
    const int devices = wanted.options.value("devices", 2);
    if (devices < 2) return "cufftxt wants two devices or more; cufft is its form for one";
    for (const int axis : {0, 1})
      if (wanted.shape[std::size_t(axis)] % devices != 0) return "cufftxt wants sizes that its devices divide";
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  void plan(const Case& wanted, MPI_Comm) override {
    wanted_ = wanted;
    scale_ = double(wanted.points());
    const int devices = wanted.options.value("devices", 2);
    int there = 0;
    BENCH_GPU_CHECK(cudaGetDeviceCount(&there));
    if (there < devices) throw CaseError("case: 'devices' is more than the GPUs here");
    std::vector<int> list;
    for (int device = 0; device < devices; ++device) list.push_back(device);
    make(forward_, list, true);
    if (wanted.real()) make(backward_, list, false);
    spread_.allocate(forward_.get());
    for (int device = 0; device < devices; ++device) {
      field_.push_back({cufft_field_slab(wanted, devices, device), spread_.data(device), device});
      spectrum_.push_back({cufft_spectrum_slab(wanted, devices, device), spread_.data(device), device});
    }
  }

  void filled(Side side) override { spread_.is(side); }
  void forward() override { spread_.run(forward_.get(), CUFFT_FORWARD); }
  void backward() override { spread_.run(wanted_.real() ? backward_.get() : forward_.get(), CUFFT_INVERSE); }

 private:
  void make(CufftHandle& plan, std::vector<int>& devices, bool forward) {
    plan.create();
    BENCH_GPU_CHECK(cufftXtSetGPUs(plan.get(), int(devices.size()), devices.data()));
    std::vector<std::size_t> work(devices.size());
    BENCH_GPU_CHECK(cufftMakePlan3d(plan.get(), int(wanted_.shape[0]), int(wanted_.shape[1]), int(wanted_.shape[2]),
                                    cufft_type(wanted_, forward), work.data()));
  }

  CufftHandle forward_, backward_;
  CufftSpread spread_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<CufftXt>(); }

}  // namespace shardfft::bench
