// The slab pair with one process a GPU: the same per-rank steps as slab_pair, peers opened through CUDA IPC. Processes
// are forked and meet at barriers in shared memory; a library would use its MPI communicator instead.
//   slab_ipc n [processes=2] [-stores 1] [-checks k]
// -stores 1: passes store into the peers. -checks k: k forward transforms of one field, each compared with the first
// one bit by bit.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.cuh"
#include "gpu/slab/slab_ipc.hpp"
#include "sameness.cuh"

using namespace shardfft;
using namespace shardfft::device;

namespace {

constexpr int max_processes = 8, max_handles = 1024;

struct Shared {
  pthread_barrier_t barrier;
  int handle_count;
  IpcHandle handles[max_processes][max_handles];
  double times[max_processes];
  double sums[max_processes][2];
};

Shared* make_shared_block(int processes) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::exit(1);
  auto* shared = static_cast<Shared*>(memory);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, static_cast<unsigned>(processes));
  return shared;
}

class Process {
 public:
  Process(Shared& shared, const SlabShape& shape, int rank, bool stores)
      : shared_(shared), shape_(shape), me_(rank), rank_(make(shape, rank, stores)), stream_(make_stream()) {
    field_ = make_memory(shape.field_bytes(rank));
    spectrum_ = make_memory(shape.spectrum_bytes(rank));
    own_ = {field_.get(), field_.get(), spectrum_.get()};
    const std::vector<IpcHandle> mine = publish(rank_, own_);
    if (mine.size() > max_handles) std::exit(1);
    std::copy(mine.begin(), mine.end(), shared.handles[rank]);
    meet();
    remote_.reserve(static_cast<std::size_t>(shape.ranks));
    for (int q = 0; q < shape.ranks; ++q) {
      if (q == rank) {
        peers_.push_back(own_peer(rank_, own_, rank));
        continue;
      }
      const IpcHandle* from = shared.handles[q];
      remote_.emplace_back(std::vector<IpcHandle>(from, from + mine.size()), rank, shape.ranks);
      peers_.push_back(remote_.back().view());
    }
    meet();
  }

  void forward() {
    rank_.begin_forward(own_, stream_.get());
    meet();
    for (int turn = 0; turn < rank_.turns(); ++turn) rank_.send_forward(own_, peers_, turn, stream_.get());
    meet();
    rank_.finish_forward(own_, peers_, stream_.get());
  }

  void pair() {
    forward();
    rank_.begin_backward(own_, stream_.get());
    meet();
    for (int turn = 0; turn < rank_.turns(); ++turn) rank_.send_backward(own_, peers_, turn, stream_.get());
    meet();
    rank_.finish_backward(own_, peers_, stream_.get());
  }

  /// The spectrum is poisoned before every transform, of which the first one is the one to compare with: it had better
  /// be right.
  void check_again(int checks) {
    bench::Sameness spectrum(own_.spectrum, shape_.spectrum_bytes(me_));
    int wrong = 0;
    for (int k = 0; k <= checks; ++k) {
      CHECK(cudaMemset(own_.spectrum, 0xff, shape_.spectrum_bytes(me_)));
      refill(1);
      forward();
      synchronize(stream_.get());
      if (k == 0)
        spectrum.keep();
      else if (!spectrum.holds("slab_ipc", k, me_))
        ++wrong;
      meet();
    }
    bench::line("\"driver\":\"slab_ipc\",\"what\":\"same again\",\"n\":%lld,\"rank\":%d,\"checks\":%d,\"wrong\":%d",
                (long long)shape_.nx, me_, checks, wrong);
    meet();
  }

  void run() {
    std::vector<double> times;
    for (int it = 0; it < 13; ++it) {
      refill(static_cast<std::uint64_t>(it));
      meet();
      const double begin = bench::milliseconds();
      pair();
      synchronize(stream_.get());
      shared_.times[me_] = bench::milliseconds() - begin;
      meet();
      if (it >= 3) times.push_back(*std::max_element(shared_.times, shared_.times + shape_.ranks));
      if (it == 0) check(static_cast<std::uint64_t>(it));
    }
    if (me_ != 0) return;
    double total[2] = {0, 0};
    for (int q = 0; q < shape_.ranks; ++q)
      for (int i : {0, 1}) total[i] += shared_.sums[q][i];
    bench::line(
        "\"driver\":\"slab_ipc\",\"library\":\"shardfft\",\"n\":%lld,\"type\":\"Z2Z\",\"processes\":%d,\"pair_ms\":%."
        "3f,\"round_trip\":%.2e",
        (long long)shape_.nx, shape_.ranks, bench::median(times), bench::relative(total));
  }

 private:
  static SlabRank make(const SlabShape& shape, int rank, bool stores) {
    for (int q = 0; q < shape.ranks; ++q) enable_peer(rank, q);
    set_device(rank);
    SlabOptions options;
    options.stores = stores;
    return SlabRank(shape, options, rank, rank, EventUse::shared);
  }
  void meet() { pthread_barrier_wait(&shared_.barrier); }
  std::size_t reals() const { return shape_.field_bytes(me_) / 8; }
  std::uint64_t first() const { return static_cast<std::uint64_t>(2 * shape_.x_begin(me_) * shape_.ny * shape_.nz); }
  void refill(std::uint64_t seed) {
    bench::fill<double>(own_.field, reals(), first(), seed);
    CHECK(cudaDeviceSynchronize());
  }
  void check(std::uint64_t seed) {
    bench::Norms norms;
    const double scale = 1.0 / static_cast<double>(shape_.nx * shape_.ny * shape_.nz);
    bench::field_error_kernel<<<1024, 256>>>(static_cast<double*>(own_.field), reals(), first(), seed, scale,
                                             norms.device());
    CHECK(cudaGetLastError());
    double sums[2] = {0, 0};
    norms.add_to(sums);
    std::copy(sums, sums + 2, shared_.sums[me_]);
    meet();
  }

  Shared& shared_;
  SlabShape shape_;
  int me_;
  SlabRank rank_;
  Stream stream_;
  Memory field_, spectrum_;
  SlabArrays own_;
  std::vector<RemotePeer> remote_;
  std::vector<SlabPeer> peers_;
};

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 512, processes = argc > 2 ? std::atoi(argv[2]) : 2;
  bool stores = false;
  int checks = 0;
  for (int i = 3; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "-stores")
      stores = std::atoi(argv[i + 1]) != 0;
    else if (name == "-checks")
      checks = std::atoi(argv[i + 1]);
    else
      return std::printf("unknown option %s\n", name.c_str()), 2;
  }
  setpgid(0, 0);  // a failing rank ends its siblings, nobody else
  Shared* shared = make_shared_block(processes);
  int rank = 0;
  for (int q = 1; q < processes && rank == 0; ++q)  // before any use of CUDA
    if (fork() == 0) rank = q;
  SlabShape shape;
  shape.transform = c2c<double>;
  shape.nx = shape.ny = shape.nz = n;
  shape.ranks = processes;
  try {
    Process process(*shared, shape, rank, stores);
    if (checks > 0) process.check_again(checks);
    process.run();
  } catch (const std::exception& e) {
    bench::line("\"error\":\"%s\",\"rank\":%d", e.what(), rank);
    kill(0, SIGTERM);  // the others would wait at the barrier
  }
  if (rank == 0)
    while (::wait(nullptr) > 0) {
    }
}
