// Slab transforms of one process a device: memory and events of the others are opened through IPC.
#include <mpi.h>

#include <memory>

#include "gpu/slab/slab_ipc.hpp"
#include "support/slab_kit.hpp"

namespace shardfft::test {
namespace {

using namespace device;
using namespace gpu;

class Process {
 public:
  Process(const SlabShape& shape, const SlabOptions& options) : shape_(shape) {
    MPI_Comm_rank(MPI_COMM_WORLD, &me_);
    const int device = me_ % device_count();
    set_device(device);
    arrays_ = std::make_unique<SlabRankArrays<double>>(shape, me_);
    rank_ = std::make_unique<SlabRank>(shape, options, me_, device, EventUse::shared);
    open_peers();
  }
  /// Peers must not go while others still use them.
  ~Process() {
    synchronize(stream());
    MPI_Barrier(MPI_COMM_WORLD);
    remote_.clear();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void forward() {
    step([&] { rank_->begin_forward(own(), stream()); });
    step([&] {
      for (int turn = 0; turn < rank_->turns(); ++turn) rank_->send_forward(own(), peers_, turn, stream());
    });
    step([&] { rank_->finish_forward(own(), peers_, stream()); });
  }
  void backward() {
    step([&] { rank_->begin_backward(own(), stream()); });
    step([&] {
      for (int turn = 0; turn < rank_->turns(); ++turn) rank_->send_backward(own(), peers_, turn, stream());
    });
    step([&] { rank_->finish_backward(own(), peers_, stream()); });
  }
  SlabRankArrays<double>& arrays() { return *arrays_; }

 private:
  template <class Body>
  void step(Body body) {
    body();
    MPI_Barrier(MPI_COMM_WORLD);  // an event can only be waited for after the call that records it
  }
  StreamHandle stream() const { return arrays_->stream(); }
  SlabArrays own() const { return arrays_->arrays(); }
  void open_peers() {
    const std::vector<IpcHandle> mine = publish(*rank_, own());
    std::vector<IpcHandle> all(mine.size() * to_size(shape_.ranks));
    const int bytes = static_cast<int>(mine.size() * sizeof(IpcHandle));
    MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    for (int q = 0; q < shape_.ranks; ++q) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(mine.size()) * q;
      if (q == me_) {
        peers_.push_back(own_peer(*rank_, own(), me_));
        continue;
      }
      const std::vector<IpcHandle> handles(first, first + static_cast<std::ptrdiff_t>(mine.size()));
      remote_.push_back(std::make_unique<RemotePeer>(handles, me_, shape_.ranks));
      peers_.push_back(remote_.back()->view());
    }
  }

  SlabShape shape_;
  int me_ = 0;
  std::unique_ptr<SlabRankArrays<double>> arrays_;
  std::unique_ptr<SlabRank> rank_;
  std::vector<std::unique_ptr<RemotePeer>> remote_;
  std::vector<SlabPeer> peers_;
};

TEST(SlabIpc, TransformsAcrossProcesses) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const Shape& extents : {Shape{128, 128, 32}, Shape{12, 128, 128}, Shape{13, 10, 6}, Shape{3, 5, 7}})
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      SCOPED_TRACE(text(extents) + (kind == Kind::r2c ? " r2c" : " c2c"));
      const SlabShape shape = slab_shape(extents, {kind, Precision::f64}, ranks);
      SlabOptions options;
      options.chunks = 2;
      options.parts = {0.5, 0.5};
      Process process(shape, options);
      const double tolerance = slab_tolerance(shape), n = static_cast<double>(shape.nx * shape.ny * shape.nz);
      for (std::uint64_t round = 0; round < 3; ++round) {
        const SlabReference reference(extents, kind, 1 + round);
        process.arrays().upload_field(reference);
        process.forward();
        Norms spectrum, field;
        process.arrays().compare_spectrum(reference, 1, spectrum);
        EXPECT_LE(spectrum.relative(), tolerance);
        process.backward();
        process.arrays().compare_field(reference, n, field);
        EXPECT_LE(field.relative(), 2 * tolerance);
      }
    }
}

}  // namespace
}  // namespace shardfft::test
