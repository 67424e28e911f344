// Bandwidth of the exchanges between GPUs, each checked exactly with index-encoded data: JSON lines.
//   exchange [-group GPUs] [-exchange name] [-element bytes] n ...
// Under mpirun one process a GPU; with -group all GPUs in this process.
#include <mpi.h>

#include "common.cuh"
#include "gpu/move/exchange.hpp"

using namespace shardfft;

namespace {

/// A local array of one piece, as kernels see it: number of an element in the whole array from its address.
struct Numbering {
  std::int64_t count[3], stride[3], first[3], shape[3];
};

Numbering numbering(const Layout& layout, int rank) {
  Numbering n{};
  const std::vector<Piece> pieces = layout.pieces(rank);
  if (pieces.empty()) return n;
  for (std::size_t a = 0; a < 3; ++a) {
    n.count[a] = pieces[0].set.axis[a].count;
    n.first[a] = pieces[0].set.axis[a].first;
    n.stride[a] = pieces[0].stride[a];
    n.shape[a] = layout.shape()[a];
  }
  return n;
}

__device__ std::int64_t number_at(const Numbering& n, std::int64_t address) {
  std::int64_t number = 0;
  for (int a = 0; a < 3; ++a) number = number * n.shape[a] + n.first[a] + address / n.stride[a] % n.count[a];
  return number;
}

/// Four bytes are enough to tell neighbours apart; all words of an element differ.
__device__ unsigned word_of(std::int64_t number, int word, unsigned salt) {
  return (static_cast<unsigned>(number) + static_cast<unsigned>(number >> 32) * 0x9E3779B9u) * 2654435761u + word +
         salt;
}

__global__ void encode(unsigned* data, Numbering n, std::int64_t elements, int words, unsigned salt) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < elements; i += step)
    for (int w = 0; w < words; ++w) data[i * words + w] = word_of(number_at(n, i), w, salt);
}

__global__ void verify(const unsigned* data, Numbering n, std::int64_t elements, int words, unsigned salt,
                       unsigned long long* wrong) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < elements; i += step)
    for (int w = 0; w < words; ++w)
      if (data[i * words + w] != word_of(number_at(n, i), w, salt)) atomicAdd(wrong, 1ull);
}

struct Case {
  const char* name;
  Layout from, to;
};

std::vector<Case> cases(std::int64_t n, int p) {
  const Shape shape{n, n, n};
  return {{"slab", Layout::slab(shape, p, 0), Layout::slab(shape, p, 1)},
          {"slab_yxz", Layout::slab(shape, p, 0), Layout::slab(shape, p, 1, {1, 0, 2})},
          {"pencil_z_to_y", Layout::pencil(shape, {p, 1}, 2), Layout::pencil(shape, {1, p}, 1)},
          {"slab_xyz_to_zyx", Layout::slab(shape, p, 0), Layout::slab(shape, p, 2, {2, 1, 0})}};
}

class Measurement {
 public:
  Measurement(gpu::Team& team, const std::string& exchange, const Case& c, std::size_t element)
      : team_(team), case_(c), element_(element) {
    operations_ = gpu::make_device_reshape(exchange, {&team, c.from, c.to, element});
    std::vector<void*> outs;
    for (std::size_t m = 0; m < operations_.size(); ++m) {
      const device::DeviceScope scope(team.here()[m].device);
      in_.push_back(device::make_memory(elements(c.from, m) * element));
      out_.push_back(device::make_memory(elements(c.to, m) * element));
      scratch_.push_back(device::make_memory(operations_[m]->scratch_bytes()));
      streams_.push_back(device::make_stream());
      outs.push_back(out_.back().get());
    }
    if (operations_.front()->peers_write() != gpu::PeersWrite::nothing) outs_.share(team, outs);
  }
  ~Measurement() {
    outs_ = {};
    team_.meet();
  }

  double gigabytes() const {
    std::int64_t most = 0;
    for (const auto& operation : operations_) most = std::max(most, operation->bytes_sent());
    return static_cast<double>(team_.max(most)) * 1e-9;
  }
  std::string describe() const { return operations_.front()->describe(); }

  /// Median milliseconds of the slowest process.
  double run() {
    std::vector<double> times;
    for (int it = 0; it < 13; ++it) {
      team_.meet();
      const double begin = bench::milliseconds();
      once();
      synchronize();
      const double mine = bench::milliseconds() - begin;
      const double slowest = 1e-6 * static_cast<double>(team_.max(static_cast<std::int64_t>(1e6 * mine)));
      if (it >= 3) times.push_back(slowest);
    }
    return bench::median(times);
  }

  unsigned long long wrong_words() {
    const int words = static_cast<int>(element_ / 4);
    for_members([&](std::size_t m) {
      encode<<<1024, 256, 0, native(m)>>>(static_cast<unsigned*>(in_[m].get()), at(case_.from, m), count(case_.from, m),
                                          words, 7);
      CHECK(cudaMemsetAsync(out_[m].get(), 0xff, elements(case_.to, m) * element_, native(m)));
    });
    once();
    unsigned long long total = 0;
    for_members([&](std::size_t m) {
      const device::Memory wrong = device::make_memory(8);
      CHECK(cudaMemsetAsync(wrong.get(), 0, 8, native(m)));
      verify<<<1024, 256, 0, native(m)>>>(static_cast<const unsigned*>(out_[m].get()), at(case_.to, m),
                                          count(case_.to, m), words, 7, static_cast<unsigned long long*>(wrong.get()));
      CHECK(cudaGetLastError());
      unsigned long long found = 0;
      CHECK(cudaMemcpyAsync(&found, wrong.get(), 8, cudaMemcpyDefault, native(m)));
      CHECK(cudaStreamSynchronize(native(m)));
      total += found;
    });
    return static_cast<unsigned long long>(team_.max(static_cast<std::int64_t>(total)));
  }

 private:
  std::int64_t count(const Layout& layout, std::size_t m) const { return layout.count(team_.here()[m].rank); }
  std::size_t elements(const Layout& layout, std::size_t m) const { return static_cast<std::size_t>(count(layout, m)); }
  Numbering at(const Layout& layout, std::size_t m) const { return numbering(layout, team_.here()[m].rank); }
  cudaStream_t native(std::size_t m) const { return static_cast<cudaStream_t>(streams_[m].get()); }

  template <class Body>
  void for_members(Body body) {
    for (std::size_t m = 0; m < operations_.size(); ++m) {
      const device::DeviceScope scope(team_.here()[m].device);
      body(m);
    }
  }
  void once() {
    for (int phase = 0; phase < operations_.front()->phases(); ++phase) {
      if (phase > 0) team_.meet();
      for_members([&](std::size_t m) {
        operations_[m]->enqueue(phase,
                                {static_cast<const std::byte*>(in_[m].get()), static_cast<std::byte*>(out_[m].get()),
                                 static_cast<std::byte*>(scratch_[m].get()), outs_.all()},
                                streams_[m].get());
      });
    }
  }
  void synchronize() {
    for_members([&](std::size_t m) { device::synchronize(streams_[m].get()); });
  }

  gpu::Team& team_;
  Case case_;
  std::size_t element_;
  gpu::MemberOperations operations_;
  std::vector<device::Memory> in_, out_, scratch_;
  gpu::SharedAddresses outs_;
  std::vector<device::Stream> streams_;
};

struct Settings {
  int group = 0;
  std::string exchange;
  std::size_t element = 16;
  std::vector<std::int64_t> sizes;
};

void measure(gpu::Team& team, const Settings& s, bool prints) {
  const char* mode = s.group > 0 ? "one process" : "one process a GPU";
  if (prints)
    bench::line("\"driver\":\"exchange\",\"mode\":\"%s\",\"gpus\":%d,\"device\":\"%s\",\"auto\":\"%s\"", mode,
                team.ranks(), device::device_name(0).c_str(), gpu::choose_device_exchange(team).chosen.c_str());
  else
    gpu::choose_device_exchange(team);
  for (const std::string& name : gpu::device_exchange_names()) {
    if (!s.exchange.empty() && name != s.exchange) continue;
    for (const std::int64_t n : s.sizes)
      for (const Case& c : cases(n, team.ranks())) try {
          Measurement m(team, name, c, s.element);
          const unsigned long long wrong = m.wrong_words();
          const double ms = m.run(), gigabytes = m.gigabytes();
          if (prints)
            bench::line(
                "\"driver\":\"exchange\",\"mode\":\"%s\",\"exchange\":\"%s\",\"case\":\"%s\",\"n\":%lld,\"gpus\":%d,"
                "\"element_bytes\":%zu,\"ms\":%.3f,\"sent_gb_a_gpu\":%.3f,\"gb_s_a_gpu\":%.1f,\"wrong_words\":%llu,"
                "\"how\":\"%s\"",
                mode, name.c_str(), c.name, (long long)n, team.ranks(), s.element, ms, gigabytes, gigabytes / ms * 1e3,
                wrong, m.describe().c_str());
        } catch (const Error& e) {
          if (prints)
            bench::line(
                "\"driver\":\"exchange\",\"mode\":\"%s\",\"exchange\":\"%s\",\"case\":\"%s\",\"n\":%lld,"
                "\"refused\":\"%s\"",
                mode, name.c_str(), c.name, (long long)n, e.what());
        }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Settings s;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "-group" && i + 1 < argc)
      s.group = std::atoi(argv[++i]);
    else if (name == "-exchange" && i + 1 < argc)
      s.exchange = argv[++i];
    else if (name == "-element" && i + 1 < argc)
      s.element = static_cast<std::size_t>(std::atoi(argv[++i]));
    else
      s.sizes.push_back(std::atoll(name.c_str()));
  }
  if (s.sizes.empty()) s.sizes = {512};
  try {
    if (s.group > 0) {
      std::vector<int> devices;
      for (int d = 0; d < s.group; ++d) devices.push_back(d % device::device_count());
      gpu::Team team(devices);
      measure(team, s, true);
    } else {
      const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
      gpu::Team team(comm, comm.rank() % device::device_count());
      measure(team, s, comm.rank() == 0);
    }
  } catch (const std::exception& e) {
    bench::line("\"error\":\"%s\"", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
