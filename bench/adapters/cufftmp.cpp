// cuFFTMp: one process a GPU over NVSHMEM, in place; the spectrum stays in slabs along axis 1.
#include <cufftMp.h>

#include "cufft_common.hpp"

namespace shardfft::bench {
namespace {

class CufftMp : public GpuAdapter {
 public:
  ~CufftMp() override {
    if (stream_) cudaStreamDestroy(stream_);
  }

  Description describe() const override { return description_of("cufftmp", cufft_version_text()); }

  std::string refuse(const Case& wanted, int ranks) const override {
    if (wanted.shape[0] < ranks || wanted.shape[1] < ranks) return "cufftmp wants a plane for every rank";
    return refuse_by_capabilities(describe(), wanted, ranks);
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    wanted_ = wanted;
    comm_ = comm;
    scale_ = double(wanted.points());
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int device = device_of_rank(comm);
    BENCH_GPU_CHECK(cudaSetDevice(device));
    BENCH_GPU_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    make(forward_, true);
    if (wanted.real()) make(backward_, false);
    spread_.allocate(forward_.get());
    field_ = {{cufft_field_slab(wanted, ranks, rank), spread_.data(0), device}};
    spectrum_ = {{cufft_spectrum_slab(wanted, ranks, rank), spread_.data(0), device}};
  }

  void filled(Side side) override { spread_.is(side); }
  void forward() override { spread_.run(forward_.get(), CUFFT_FORWARD); }
  void backward() override { spread_.run(wanted_.real() ? backward_.get() : forward_.get(), CUFFT_INVERSE); }

 private:
  void make(CufftHandle& plan, bool forward) {
    plan.create();
    BENCH_GPU_CHECK(cufftMpAttachComm(plan.get(), CUFFT_COMM_MPI, &comm_));
    BENCH_GPU_CHECK(cufftSetStream(plan.get(), stream_));
    std::size_t work = 0;
    BENCH_GPU_CHECK(cufftMakePlan3d(plan.get(), int(wanted_.shape[0]), int(wanted_.shape[1]), int(wanted_.shape[2]),
                                    cufft_type(wanted_, forward), &work));
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  cudaStream_t stream_ = nullptr;
  CufftHandle forward_, backward_;
  CufftSpread spread_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<CufftMp>(); }

}  // namespace shardfft::bench
