// Cubes in place with the least workspace: right, how much memory, how long. JSON lines.
//   in_place [-group GPUs] [-exchange name] [-single] [-fast | -apart] n ...
// -fast: in place with as much workspace as the plan wants; -apart: likewise, with a second array for the result. Under
// mpirun one process a GPU; with -group all GPUs in this process. Fields are made, and spectra checked, on the GPUs:
// beside the array there is room for nothing.
#include <mpi.h>

#include <memory>

#include "common.cuh"
#include "shardfft/shardfft.hpp"

using namespace shardfft;

namespace {

/// A local array of one piece, as kernels see it.
struct Part {
  std::int64_t elements, n, count[3], stride[3], first[3];
};

Part part_of(const Layout& layout, int rank) {
  Part part{layout.count(rank), layout.shape()[0], {}, {}, {}};
  const std::vector<Piece> pieces = layout.pieces(rank);
  if (pieces.empty()) return part;
  for (std::size_t a = 0; a < 3; ++a) {
    part.count[a] = pieces[0].set.axis[a].count;
    part.first[a] = pieces[0].set.axis[a].first;
    part.stride[a] = pieces[0].stride[a];
  }
  return part;
}

struct Index {
  std::int64_t at[3];
};
__device__ Index index_at(const Part& part, std::int64_t address) {
  Index index;
  for (int a = 0; a < 3; ++a) index.at[a] = part.first[a] + address / part.stride[a] % part.count[a];
  return index;
}

/// Some modes or points of the cube, with their amplitudes.
constexpr int peaks = 3;
struct Peaks {
  Index index[peaks];
};
__device__ double amplitude(int peak) { return 1.0 / (1 + peak); }

/// Sum over the peaks of amplitude * exp(sign 2 pi i peak . index / n).
__device__ double2 waves(const Peaks& all, const Index& index, std::int64_t n, double sign) {
  double2 sum{0, 0};
  for (int p = 0; p < peaks; ++p) {
    std::int64_t phase = 0;
    for (int a = 0; a < 3; ++a) phase += all.index[p].at[a] * index.at[a] % n;
    double sine, cosine;
    sincospi(2.0 * static_cast<double>(phase % n) / static_cast<double>(n), &sine, &cosine);
    sum.x += amplitude(p) * cosine;
    sum.y += sign * amplitude(p) * sine;
  }
  return sum;
}

__device__ double2 spikes(const Peaks& all, const Index& index, double height) {
  double2 sum{0, 0};
  for (int p = 0; p < peaks; ++p) {
    bool here = true;
    for (int a = 0; a < 3; ++a) here = here && all.index[p].at[a] == index.at[a];
    if (here) sum.x += height * amplitude(p);
  }
  return sum;
}

/// Fields, and the spectra that an unscaled forward transform makes of the first two.
enum class Field { waves, spikes, noise, spectrum_of_waves, spectrum_of_spikes };

__device__ double2 value(Field field, const Part& part, const Peaks& all, std::int64_t address) {
  const Index index = index_at(part, address);
  const auto n = static_cast<double>(part.n);
  switch (field) {
    case Field::waves:
      return waves(all, index, part.n, 1);
    case Field::spikes:
      return spikes(all, index, 1);
    case Field::spectrum_of_waves:
      return spikes(all, index, n * n * n);
    case Field::spectrum_of_spikes:
      return waves(all, index, part.n, -1);
    case Field::noise:
      break;
  }
  const auto number = static_cast<std::uint64_t>((index.at[0] * part.n + index.at[1]) * part.n + index.at[2]);
  return {bench::noise(2 * number, 1), bench::noise(2 * number + 1, 1)};
}

template <class Real>
__global__ void fill(Real* data, Field field, const Part part, const Peaks all) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < part.elements;
       i += step) {
    const double2 want = value(field, part, all, i);
    data[2 * i] = static_cast<Real>(want.x);
    data[2 * i + 1] = static_cast<Real>(want.y);
  }
}

/// Adds the squares of all differences to sums[0] and those of what was wanted to sums[1].
template <class Real>
__global__ void compare(const Real* data, Field field, const Part part, const Peaks all, double* sums) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  double difference = 0, norm = 0;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < part.elements;
       i += step) {
    const double2 want = value(field, part, all, i);
    const double x = data[2 * i] - want.x, y = data[2 * i + 1] - want.y;
    difference += x * x + y * y;
    norm += want.x * want.x + want.y * want.y;
  }
  atomicAdd(sums, difference);
  atomicAdd(sums + 1, norm);
}

struct Settings {
  int group = 0;  ///< GPUs of this process; 0: one a process
  std::string exchange = "auto";
  bool single = false;
  bool least = true;
  bool apart = false;
};

/// Over the GPUs of all processes.
double most_of_all(double mine) {
  double most = 0;
  CHECK(MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
  return most;
}
double sum_of_all(double mine) {
  double sum = 0;
  CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  return sum;
}

/// Bytes in use of the fullest of these GPUs, whoever has them.
double used_bytes(const std::vector<int>& devices) {
  double most = 0;
  for (const int device : devices) {
    std::size_t free = 0, total = 0;
    CHECK(cudaSetDevice(device));
    CHECK(cudaMemGetInfo(&free, &total));
    most = std::max(most, static_cast<double>(total - free));
  }
  return most_of_all(most);
}

template <class Real>
class Probe {
 public:
  Probe(Plan& plan, std::int64_t n, bool apart) : plan_(plan) {
    for (int p = 0; p < peaks; ++p)
      for (int a = 0; a < 3; ++a) peaks_.index[p].at[a] = (n * (2 * p + 1) / 7 + 5 * a + p) % n;
    for (int m = 0; m < plan.members(); ++m) {
      CHECK(cudaSetDevice(plan.device(m)));
      const bool in_input = apart || plan.input(m).bytes() >= plan.output(m).bytes();
      arrays_.push_back(in_input ? plan.allocate_input(m) : plan.allocate_output(m));
      results_.push_back(apart ? plan.allocate_output(m) : arrays_.back());
      void* sums = nullptr;
      CHECK(cudaMalloc(&sums, 2 * sizeof(double)));
      sums_.emplace_back(static_cast<double*>(sums), [](double* memory) { cudaFree(memory); });
    }
  }
  /// Milliseconds of a call.
  double run(Direction direction) {
    std::vector<const void*> in;
    std::vector<void*> out;
    const bool forward = direction == Direction::forward;
    for (const Buffer& array : forward ? arrays_ : results_) in.push_back(array.data());
    for (const Buffer& array : forward ? results_ : arrays_) out.push_back(array.data());
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    const auto begin = std::chrono::steady_clock::now();
    forward ? plan_.forward(in, out) : plan_.backward(in, out);
    return most_of_all(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  void put(Field field) {
    for (int m = 0; m < plan_.members(); ++m) {
      const Side& side = plan_.input(m);
      CHECK(cudaSetDevice(plan_.device(m)));
      fill<<<2048, 256>>>(data(arrays_, m), field, part_of(side.layout, side.rank), peaks_);
      CHECK(cudaDeviceSynchronize());
    }
  }
  /// Relative, in the 2-norm.
  double error(Field field, bool of_spectrum) {
    double sums[2] = {0, 0};
    for (int m = 0; m < plan_.members(); ++m) {
      const Side& side = of_spectrum ? plan_.output(m) : plan_.input(m);
      double mine[2] = {0, 0};
      double* const on_device = sums_[static_cast<std::size_t>(m)].get();
      CHECK(cudaSetDevice(plan_.device(m)));
      CHECK(cudaMemset(on_device, 0, sizeof mine));
      compare<<<2048, 256>>>(data(of_spectrum ? results_ : arrays_, m), field, part_of(side.layout, side.rank), peaks_,
                             on_device);
      CHECK(cudaMemcpy(mine, on_device, sizeof mine, cudaMemcpyDeviceToHost));
      sums[0] += mine[0];
      sums[1] += mine[1];
    }
    return std::sqrt(sum_of_all(sums[0]) / sum_of_all(sums[1]));
  }

 private:
  static Real* data(const std::vector<Buffer>& arrays, int m) {
    return static_cast<Real*>(arrays[static_cast<std::size_t>(m)].data());
  }

  Plan& plan_;
  Peaks peaks_{};
  std::vector<Buffer> arrays_, results_;  ///< the same ones in place
  std::vector<std::unique_ptr<double, void (*)(double*)>> sums_;
};

template <class Real>
void measure(std::int64_t n, const Settings& settings, const std::vector<int>& devices, int ranks, bool talks) {
  Options options;
  options.processor = Processor::gpu;
  options.workspace = settings.least ? Workspace::least : Workspace::fast;
  options.in_place = !settings.apart;
  options.exchange = settings.exchange;
  const double before = used_bytes(devices);
  const char* const precision = settings.single ? "single" : "double";
  try {
    const Layout slabs = Layout::slab({n, n, n}, ranks);
    Plan plan = settings.group > 0 ? Plan(Devices(devices), c2c<Real>, slabs, default_output, options)
                                   : Plan(MPI_COMM_WORLD, c2c<Real>, slabs, default_output, options);
    Probe<Real> probe(plan, n, settings.apart);
    probe.put(Field::waves);
    probe.run(Direction::forward);
    const double wave_error = probe.error(Field::spectrum_of_waves, true);
    probe.put(Field::spikes);
    double forward = probe.run(Direction::forward);
    const double spike_error = probe.error(Field::spectrum_of_spikes, true);
    probe.put(Field::noise);
    forward = std::min(forward, probe.run(Direction::forward));
    double backward = probe.run(Direction::backward);
    forward = std::min(forward, probe.run(Direction::forward));
    backward = std::min(backward, probe.run(Direction::backward));
    const double pair_error = probe.error(Field::noise, false);
    const double used = used_bytes(devices);
    const PlanReport report = plan.report();
    const double array = most_of_all(static_cast<double>(plan.in_place_bytes(0)));
    const auto beside = static_cast<double>(report.workspace_bytes + report.table_bytes + report.library_bytes);
    if (!talks) return;
    std::printf(
        "{\"driver\":\"in_place\",\"n\":%lld,\"precision\":\"%s\",\"gpus\":%d,\"one_process\":%s,\"exchange\":\"%s\","
        "\"array_bytes\":%.0f,\"workspace_bytes\":%zu,\"table_bytes\":%zu,\"library_bytes\":%zu,\"share_beside\":%.4f,"
        "\"used_before_bytes\":%.0f,\"used_bytes\":%.0f,\"forward_ms\":%.2f,\"backward_ms\":%.2f,\"wave_error\":%.2e,"
        "\"spike_error\":%.2e,\"pair_error\":%.2e}\n",
        static_cast<long long>(n), precision, ranks, settings.group > 0 ? "true" : "false", report.exchange.c_str(),
        array, report.workspace_bytes, report.table_bytes, report.library_bytes, beside / array, before, used, forward,
        backward, wave_error, spike_error, pair_error);
    std::fprintf(stderr, "%s", report.to_text().c_str());
  } catch (const Error& error) {
    const double after = used_bytes(devices);
    if (talks)
      std::printf(
          "{\"driver\":\"in_place\",\"n\":%lld,\"precision\":\"%s\",\"gpus\":%d,\"refused\":\"%s\","
          "\"used_before_bytes\":%.0f,\"used_bytes\":%.0f}\n",
          static_cast<long long>(n), precision, ranks, error.what(), before, after);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int rank = 0, ranks = 1;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  Settings settings;
  std::vector<std::int64_t> sizes;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "-group" && i + 1 < argc)
      settings.group = std::atoi(argv[++i]);
    else if (word == "-exchange" && i + 1 < argc)
      settings.exchange = argv[++i];
    else if (word == "-single")
      settings.single = true;
    else if (word == "-fast" || word == "-apart")
      settings.least = false, settings.apart = word == "-apart";
    else
      sizes.push_back(std::atoll(argv[i]));
  }
  int all = 0;
  CHECK(cudaGetDeviceCount(&all));
  std::vector<int> devices;
  for (int d = 0; d < settings.group; ++d) devices.push_back(d % all);
  if (settings.group == 0) devices.push_back(rank % all);
  for (const std::int64_t n : sizes) {
    const int members = settings.group > 0 ? settings.group : ranks;
    if (settings.single)
      measure<float>(n, settings, devices, members, rank == 0);
    else
      measure<double>(n, settings, devices, members, rank == 0);
  }
  CHECK(MPI_Finalize());
  return 0;
}
