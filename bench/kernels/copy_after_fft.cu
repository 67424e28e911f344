// Why do peer copies released by an event after an FFT take longer than alone? Times the slab transpose's copies on
// the GPUs' own clocks: alone, after an FFT, beside an FFT, with the own block, cut over several streams, or one stream
// for all peers in turn.
//   copy_after_fft [-detail 0]   -detail 1: the times of every copy of every GPU, too
#include "common.cuh"

namespace {

constexpr int max_streams = 32;

struct Gpu {
  char *a = nullptr, *b = nullptr, *c = nullptr;
  cufftHandle plan = 0;
  cudaStream_t compute = nullptr, copy[max_streams] = {};
  cudaEvent_t fft_done = nullptr, begin[max_streams] = {}, end[max_streams] = {};
};

struct Slab {
  std::size_t n = 1024, gpus = 2, element = 16;
  std::size_t planes() const { return n / gpus; }
  std::size_t row() const { return planes() * n * element; }  // y rows of one owner in one x plane
  std::size_t plane() const { return n * n * element; }
};

enum class Release { host, event, beside, kernel };

__global__ void hold(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

struct Case {
  const char* name;
  Release release;
  int cuts;   // streams per peer, each with its part of the planes; 0: one stream for all peers
  bool self;  // the own block too
  bool self_first;
  int pieces = 1;  // copies one after the other on a stream
};

void enqueue_copies(const Slab& s, std::vector<Gpu>& g, std::size_t r, const Case& c) {
  int used = 0;
  for (std::size_t step = 0; step < s.gpus; ++step) {
    const std::size_t shift = c.self_first ? step : (step + 1) % s.gpus, q = (r + shift) % s.gpus;
    if (q == r && !c.self) continue;
    for (int k = 0; k < std::max(1, c.cuts); ++k, ++used) {
      const std::size_t count = s.planes() / static_cast<std::size_t>(std::max(1, c.cuts)),
                        first = count * static_cast<std::size_t>(k);
      const cudaStream_t stream = g[r].copy[c.cuts == 0 ? 0 : used];
      if (c.release == Release::event) CHECK(cudaStreamWaitEvent(stream, g[r].fft_done, 0));
      if (c.release == Release::kernel) hold<<<1, 1, 0, stream>>>(0);
      CHECK(cudaEventRecord(g[r].begin[used], stream));
      const std::size_t pieces = static_cast<std::size_t>(c.pieces), run = count / pieces;
      for (std::size_t piece = 0; piece < pieces; ++piece)
        CHECK(cudaMemcpy2DAsync(g[q].b + (r * s.planes() + first + piece * run) * s.row(), s.row(),
                                g[r].a + (first + piece * run) * s.plane() + q * s.row(), s.plane(), s.row(), run,
                                cudaMemcpyDeviceToDevice, stream));
      CHECK(cudaEventRecord(g[r].end[used], stream));
    }
  }
}

/// Milliseconds from the first begin to the last end on GPU 0, and of the whole step by the host's clock.
void run(const Slab& s, std::vector<Gpu>& g, const Case& c, bool detail) {
  std::vector<double> copies, walls;
  for (int it = 0; it < 8; ++it) {
    bench::synchronize_all(static_cast<int>(s.gpus));
    const double begin = bench::milliseconds();
    for (std::size_t r = 0; r < s.gpus; ++r) {
      CHECK(cudaSetDevice(static_cast<int>(r)));
      char* data = c.release == Release::beside ? g[r].c : g[r].a;
      CHECK(cufftExecZ2Z(g[r].plan, (cufftDoubleComplex*)data, (cufftDoubleComplex*)data, CUFFT_FORWARD));
      CHECK(cudaEventRecord(g[r].fft_done, g[r].compute));
    }
    if (c.release == Release::host || c.release == Release::kernel) bench::synchronize_all(static_cast<int>(s.gpus));
    for (std::size_t r = 0; r < s.gpus; ++r) {
      CHECK(cudaSetDevice(static_cast<int>(r)));
      enqueue_copies(s, g, r, c);
    }
    bench::synchronize_all(static_cast<int>(s.gpus));
    if (it < 2) continue;
    walls.push_back(bench::milliseconds() - begin);
    const int used = std::max(1, c.cuts) * (c.self ? static_cast<int>(s.gpus) : static_cast<int>(s.gpus) - 1);
    float longest = 0;
    CHECK(cudaSetDevice(0));
    for (int i = 0; i < used; ++i)
      for (int j = 0; j < used; ++j) {
        float ms = 0;
        CHECK(cudaEventElapsedTime(&ms, g[0].begin[i], g[0].end[j]));
        longest = std::max(longest, ms);
      }
    copies.push_back(longest);
    if (!detail || it != 7) continue;
    for (std::size_t r = 0; r < s.gpus; ++r) {
      CHECK(cudaSetDevice(static_cast<int>(r)));
      std::printf("  GPU %zu:", r);
      for (int i = 0; i < used; ++i) {
        float first = 0, last = 0;
        CHECK(cudaEventElapsedTime(&first, g[r].fft_done, g[r].begin[i]));
        CHECK(cudaEventElapsedTime(&last, g[r].fft_done, g[r].end[i]));
        std::printf(" %.2f-%.2f", first, last);
      }
      std::printf("\n");
    }
  }
  bench::line("\"driver\":\"copy_after_fft\",\"gpus\":%zu,\"case\":\"%s\",\"copy_ms\":%.3f,\"step_ms\":%.3f", s.gpus,
              c.name, bench::median(copies), bench::median(walls));
}

}  // namespace

int main(int argc, char** argv) {
  const bool detail = argc == 3 && std::string(argv[1]) == "-detail" && std::string(argv[2]) == "1";
  Slab s;
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  s.gpus = devices >= 8 ? 8 : devices >= 4 ? 4 : 2;
  std::vector<Gpu> g(s.gpus);
  bench::enable_peers(static_cast<int>(s.gpus));
  for (std::size_t r = 0; r < s.gpus; ++r) {
    CHECK(cudaSetDevice(static_cast<int>(r)));
    const std::size_t bytes = s.planes() * s.plane();
    for (char** m : {&g[r].a, &g[r].b, &g[r].c}) {
      CHECK(cudaMalloc(m, bytes));
      bench::fill<double>(*m, bytes / 8, 0, r + 1);
    }
    CHECK(cudaStreamCreateWithFlags(&g[r].compute, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&g[r].fft_done));
    for (int i = 0; i < max_streams; ++i) {
      CHECK(cudaStreamCreateWithFlags(&g[r].copy[i], cudaStreamNonBlocking));
      CHECK(cudaEventCreate(&g[r].begin[i]));
      CHECK(cudaEventCreate(&g[r].end[i]));
    }
    long long n[2] = {(long long)s.n, (long long)s.n};
    std::size_t work;
    CHECK(cufftCreate(&g[r].plan));
    CHECK(cufftMakePlanMany64(g[r].plan, 2, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2Z, (long long)s.planes(), &work));
    CHECK(cufftSetStream(g[r].plan, g[r].compute));
  }
  for (const Case& c : {Case{"host release", Release::host, 1, false, false},
                        Case{"host release, own block last", Release::host, 1, true, false},
                        Case{"host release, own block first", Release::host, 1, true, true},
                        Case{"event release", Release::event, 1, false, false},
                        Case{"event release, own block last", Release::event, 1, true, false},
                        Case{"event release, own block first", Release::event, 1, true, true},
                        Case{"host release, 4 streams a peer", Release::host, 4, false, false},
                        Case{"event release, 4 streams a peer", Release::event, 4, false, false},
                        Case{"event release, 4 streams a peer, own block too", Release::event, 4, true, true},
                        Case{"event release, 2 streams a peer", Release::event, 2, false, false},
                        Case{"event release, 8 streams a peer", Release::event, 8, false, false},
                        Case{"event release, one stream for all", Release::event, 0, false, false},
                        Case{"host release, one stream for all", Release::host, 0, false, false},
                        Case{"event release, 8 copies a peer", Release::event, 1, false, false, 8},
                        Case{"event release, 2 streams a peer, 8 copies each", Release::event, 2, false, false, 8},
                        Case{"event release, 64 copies a peer", Release::event, 1, false, false, 64},
                        Case{"host release, 64 copies a peer", Release::host, 1, false, false, 64},
                        Case{"host release, a kernel before each copy", Release::kernel, 1, false, false},
                        Case{"beside the FFT, one stream for all", Release::beside, 0, false, false},
                        Case{"beside the FFT", Release::beside, 1, false, false},
                        Case{"beside the FFT, 4 streams a peer", Release::beside, 4, false, false}})
    run(s, g, c, detail);
}
