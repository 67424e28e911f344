#include "gpu_adapter.hpp"

#include "gpu_values.hpp"

namespace shardfft::bench {

void GpuAdapter::finish() {
  for (const auto& piece : field_) {
    BENCH_GPU_CHECK(cudaSetDevice(piece.device));
    BENCH_GPU_CHECK(cudaDeviceSynchronize());
  }
}

std::unique_ptr<Values> GpuAdapter::make_values(const Case& wanted) {
  return std::make_unique<GpuValues>(wanted, *this);
}

Json GpuAdapter::device_facts() const {
  Json names = Json::array();
  for (const auto& piece : field_) {
    cudaDeviceProp facts;
    BENCH_GPU_CHECK(cudaGetDeviceProperties(&facts, piece.device));
    names.push_back(facts.name);
  }
  int driver = 0, runtime = 0;
  BENCH_GPU_CHECK(cudaDriverGetVersion(&driver));
  BENCH_GPU_CHECK(cudaRuntimeGetVersion(&runtime));
  return {{"of_rank_0", names}, {"driver_supports_cuda", driver}, {"cuda_runtime", runtime}};
}

int device_of_rank(MPI_Comm comm) {
  MPI_Comm host;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int place = 0, count = 0;
  MPI_Comm_rank(host, &place);
  MPI_Comm_free(&host);
  BENCH_GPU_CHECK(cudaGetDeviceCount(&count));
  if (count == 0) throw std::runtime_error("no GPU is visible");
  return place % count;
}

}  // namespace shardfft::bench
