// Host time of a kept plan's calls in C++, beside cuFFT's: gpu_host_time [-edges 64,8] [-pairs 1000,100]
// Complex single precision on one GPU; the arrays stay the same. A JSON line for each edge and number of pairs:
// microseconds of a pair while so many are enqueued, of which none is waited for; least and median of 15 samples. The
// GPU is idle when a sample begins. `self`: a plan over MPI_COMM_SELF with the option stream, as Python's calls are;
// `devices`: one over Devices{0} on a stream of the caller's; `cufft`: cufftExecC2C, which scales nothing.
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <mpi.h>

#include <string>

#include "common.hpp"
#include "shardfft/shardfft.hpp"

using namespace shardfft;

namespace {

void check(int code, const char* call) { require(code == 0, call, " failed with ", code); }

template <class Pair>
void measure(const char* who, int edge, int pairs, Pair pair) {
  for (int i = 0; i < 6; ++i) pair();
  std::vector<double> times;
  for (int sample = 0; sample < 15; ++sample) {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const double begin = bench::milliseconds();
    for (int i = 0; i < pairs; ++i) pair();
    times.push_back(1e3 * (bench::milliseconds() - begin) / pairs);
  }
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  bench::line("\"driver\":\"host_time\",\"who\":\"%s\",\"edge\":%d,\"pairs\":%d,\"least_us\":%.2f,\"median_us\":%.2f",
              who, edge, pairs, *std::min_element(times.begin(), times.end()), bench::median(times));
}

void compare(cudaStream_t stream, int edge, const std::vector<std::string>& counts) {
  const Layout layout = Layout::slab({edge, edge, edge}, 1);
  void *x = nullptr, *y = nullptr;
  const std::size_t bytes = static_cast<std::size_t>(layout.count(0)) * sizeof(cufftComplex);
  for (void** array : {&x, &y}) {
    check(cudaMalloc(array, bytes), "cudaMalloc");
    check(cudaMemset(*array, 0, bytes), "cudaMemset");
  }
  Options options{.processor = Processor::gpu};
  Plan devices(Devices{0}, c2c<float>, layout, natural_output, options);
  void* const streams[] = {stream};
  devices.set_streams(streams);
  options.stream = stream;
  Plan self(MPI_COMM_SELF, c2c<float>, layout, natural_output, options);
  cufftHandle theirs = 0;
  check(cufftPlan3d(&theirs, edge, edge, edge, CUFFT_C2C), "cufftPlan3d");
  check(cufftSetStream(theirs, stream), "cufftSetStream");

  const std::vector<const void*> field{x}, spectrum{y};
  const std::vector<void*> to_field{x}, to_spectrum{y};
  auto *a = static_cast<cufftComplex*>(x), *b = static_cast<cufftComplex*>(y);
  for (const std::string& text : counts) {
    const int pairs = std::stoi(text);
    measure("self", edge, pairs, [&] {
      self.forward(x, y);
      self.backward(y, x);
    });
    measure("devices", edge, pairs, [&] {
      devices.forward(field, to_spectrum);
      devices.backward(spectrum, to_field);
    });
    measure("cufft", edge, pairs, [&] {
      check(cufftExecC2C(theirs, a, b, CUFFT_FORWARD), "cufftExecC2C");
      check(cufftExecC2C(theirs, b, a, CUFFT_INVERSE), "cufftExecC2C");
    });
  }
  cufftDestroy(theirs);
  cudaFree(x);
  cudaFree(y);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bench::Lists lists = bench::read_lists(argc, argv, {{"-edges", {"64", "8"}}, {"-pairs", {"1000", "100"}}});
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  for (const std::string& edge : lists.at("-edges")) compare(stream, std::stoi(edge), lists.at("-pairs"));
  cudaStreamDestroy(stream);
  MPI_Finalize();
}
