// cuFFT on one GPU: a floor for the distributed libraries, not a rival.
#include "cufft_common.hpp"

namespace shardfft::bench {
namespace {

class Cufft : public GpuAdapter {
 public:
  Description describe() const override { return description_of("cufft", cufft_version_text()); }

  void plan(const Case& wanted, MPI_Comm comm) override {
    wanted_ = wanted;
    scale_ = double(wanted.points());
    const int device = device_of_rank(comm);
    BENCH_GPU_CHECK(cudaSetDevice(device));
    Part field = packed_part({}, wanted.shape);
    if (wanted.in_place()) field = cufft_field_slab(wanted, 1, 0);
    const Part spectrum = packed_part({}, wanted.spectrum());
    const std::size_t complex = 2 * wanted.real_bytes();
    const std::size_t field_bytes =
        std::size_t(field.stride[0] * field.count[0]) * (wanted.real() ? wanted.real_bytes() : complex);
    buffers_[0] = DeviceBuffer(field_bytes);
    if (!wanted.in_place()) buffers_[1] = DeviceBuffer(std::size_t(spectrum.volume()) * complex);
    field_ = {{field, buffers_[0].get(), device}};
    spectrum_ = {{spectrum, buffers_[wanted.in_place() ? 0 : 1].get(), device}};
    make(forward_, true);
    if (wanted.real()) make(backward_, false);
  }

  void forward() override { BENCH_GPU_CHECK(cufftXtExec(forward_.get(), field(), spectrum(), CUFFT_FORWARD)); }
  void backward() override {
    const cufftHandle plan = wanted_.real() ? backward_.get() : forward_.get();
    BENCH_GPU_CHECK(cufftXtExec(plan, spectrum(), field(), CUFFT_INVERSE));
  }

 private:
  // Sizes of 64 bits: cufftPlan3d's do not reach large grids.
  void make(CufftHandle& plan, bool forward) {
    plan.create();
    const Part& part = field_[0].part;
    long long n[3], field[3], spectrum[3];
    for (int axis = 0; axis < 3; ++axis) {
      n[axis] = wanted_.shape[axis];
      field[axis] = axis == 2 ? part.stride[1] : n[axis];
      spectrum[axis] = wanted_.spectrum()[axis];
    }
    const cudaDataType complex = wanted_.single() ? CUDA_C_32F : CUDA_C_64F;
    const cudaDataType real = !wanted_.real() ? complex : wanted_.single() ? CUDA_R_32F : CUDA_R_64F;
    std::size_t work = 0;
    const auto points = [](const long long* extents) { return extents[0] * extents[1] * extents[2]; };
    const long long* const in = forward ? field : spectrum;
    const long long* const out = forward ? spectrum : field;
    // A distance of zero was refused (CUFFT_INVALID_VALUE), even for one transform.
    BENCH_GPU_CHECK(cufftXtMakePlanMany(plan.get(), 3, n, const_cast<long long*>(in), 1, points(in),
                                        forward ? real : complex, const_cast<long long*>(out), 1, points(out),
                                        forward ? complex : real, 1, &work, complex));
  }

  DeviceBuffer buffers_[2];
  CufftHandle forward_, backward_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Cufft>(); }

}  // namespace shardfft::bench
