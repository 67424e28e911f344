// cuDecomp moves pencils, cuFFT transforms their lines: complex data, from pencils along axis 2 to pencils along axis
// 0.
#include <cudecomp.h>

#include "cufft_common.hpp"

namespace shardfft::bench {
namespace {

class CuDecomp : public GpuAdapter {
 public:
  ~CuDecomp() override {
    if (work_) cudecompFree(handle_, grid_, work_);
    if (grid_) cudecompGridDescDestroy(handle_, grid_);
    if (handle_) cudecompFinalize(handle_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  Description describe() const override {
    return description_of(
        "cudecomp",
        std::to_string(CUDECOMP_MAJOR) + "." + std::to_string(CUDECOMP_MINOR) + "." + std::to_string(CUDECOMP_PATCH),
        {{"backend", {"auto", "mpi", "mpi_pipelined", "alltoall", "nccl", "nccl_pipelined"}}});
  }

  void plan(const Case& wanted, MPI_Comm comm) override {
    wanted_ = wanted;
    scale_ = double(wanted.points());
    type_ = wanted.single() ? CUDECOMP_FLOAT_COMPLEX : CUDECOMP_DOUBLE_COMPLEX;
    const int device = device_of_rank(comm);
    BENCH_GPU_CHECK(cudaSetDevice(device));
    BENCH_GPU_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    BENCH_GPU_CHECK(cudecompInit(&handle_, comm));
    make_grid(comm);
    std::int64_t work = 0, most = 0;
    BENCH_GPU_CHECK(cudecompGetTransposeWorkspaceSize(handle_, grid_, &work));
    const std::size_t element = 2 * wanted.real_bytes();
    BENCH_GPU_CHECK(cudecompMalloc(handle_, grid_, &work_, std::size_t(work) * element));
    for (int axis = 0; axis < 3; ++axis) {
      BENCH_GPU_CHECK(cudecompGetPencilInfo(handle_, grid_, &pencils_[axis], axis, nullptr, nullptr));
      most = std::max(most, pencils_[axis].size);
      make_lines(axis);
    }
    for (auto& buffer : buffers_) buffer = DeviceBuffer(std::size_t(most) * element);
    field_ = {{part_of(pencils_[0]), buffers_[0].get(), device}};
    spectrum_ = {{part_of(pencils_[2]), buffers_[2].get(), device}};
  }

  void forward() override {
    lines(0, CUFFT_FORWARD);
    move(cudecompTransposeXToY, 0, 1);
    lines(1, CUFFT_FORWARD);
    move(cudecompTransposeYToZ, 1, 2);
    lines(2, CUFFT_FORWARD);
  }
  void backward() override {
    lines(2, CUFFT_INVERSE);
    move(cudecompTransposeZToY, 2, 1);
    lines(1, CUFFT_INVERSE);
    move(cudecompTransposeYToX, 1, 0);
    lines(0, CUFFT_INVERSE);
  }

 private:
  // Its axes count from the fastest. Pencils are contiguous along their own axis.
  void make_grid(MPI_Comm comm) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    cudecompGridDescConfig_t config;
    BENCH_GPU_CHECK(cudecompGridDescConfigSetDefaults(&config));
    auto split = pencil_grid(wanted_, ranks);
    if (wanted_.layout == LayoutKind::slab) split = {ranks, 1};
    for (int i = 0; i < 2; ++i) config.pdims[i] = split[std::size_t(1 - i)];
    for (int axis = 0; axis < 3; ++axis) {
      config.gdims[axis] = int(wanted_.shape[std::size_t(2 - axis)]);
      config.transpose_axis_contiguous[axis] = true;
    }
    const std::string backend = wanted_.options.value("backend", "auto");
    const std::pair<const char*, cudecompTransposeCommBackend_t> named[] = {
        {"mpi", CUDECOMP_TRANSPOSE_COMM_MPI_P2P},
        {"mpi_pipelined", CUDECOMP_TRANSPOSE_COMM_MPI_P2P_PL},
        {"alltoall", CUDECOMP_TRANSPOSE_COMM_MPI_A2A},
        {"nccl", CUDECOMP_TRANSPOSE_COMM_NCCL},
        {"nccl_pipelined", CUDECOMP_TRANSPOSE_COMM_NCCL_PL}};
    for (const auto& [name, value] : named)
      if (backend == name) config.transpose_comm_backend = value;
    cudecompGridDescAutotuneOptions_t tuning;
    BENCH_GPU_CHECK(cudecompGridDescAutotuneOptionsSetDefaults(&tuning));
    tuning.dtype = type_;
    tuning.autotune_transpose_backend = true;
    BENCH_GPU_CHECK(cudecompGridDescCreate(handle_, &grid_, &config, backend == "auto" ? &tuning : nullptr));
  }

  void make_lines(int axis) {
    lines_[axis].create();
    long long n = pencils_[axis].shape[0];
    const long long batch = n > 0 ? pencils_[axis].size / n : 0;
    const cudaDataType type = wanted_.single() ? CUDA_C_32F : CUDA_C_64F;
    std::size_t work = 0;
    if (batch == 0) return;
    BENCH_GPU_CHECK(
        cufftXtMakePlanMany(lines_[axis].get(), 1, &n, nullptr, 1, n, type, nullptr, 1, n, type, batch, &work, type));
    BENCH_GPU_CHECK(cufftSetStream(lines_[axis].get(), stream_));
  }

  static Part part_of(const cudecompPencilInfo_t& pencil) {
    Part part;
    std::int64_t stride = 1;
    for (int place = 0; place < 3; ++place) {
      const int axis = 2 - pencil.order[place];
      part.lower[std::size_t(axis)] = pencil.lo[place];
      part.count[std::size_t(axis)] = pencil.shape[place];
      part.stride[std::size_t(axis)] = stride;
      stride *= pencil.shape[place];
    }
    return part;
  }

  void lines(int axis, int direction) {
    if (pencils_[axis].size == 0) return;
    BENCH_GPU_CHECK(cufftXtExec(lines_[axis].get(), buffers_[axis].get(), buffers_[axis].get(), direction));
  }
  void move(decltype(&cudecompTransposeXToY) transpose, int from, int to) {
    BENCH_GPU_CHECK(transpose(handle_, grid_, buffers_[from].get(), buffers_[to].get(), work_, type_, nullptr, nullptr,
                              nullptr, nullptr, stream_));
  }

  cudecompHandle_t handle_ = nullptr;
  cudecompGridDesc_t grid_ = nullptr;
  cudecompDataType_t type_ = CUDECOMP_DOUBLE_COMPLEX;
  cudecompPencilInfo_t pencils_[3] = {};
  void* work_ = nullptr;
  cudaStream_t stream_ = nullptr;
  DeviceBuffer buffers_[3];
  CufftHandle lines_[3];
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<CuDecomp>(); }

}  // namespace shardfft::bench
