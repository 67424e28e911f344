// Strategy alltoall: the plain collective over blocks that are padded to the largest one.
#include <algorithm>

#include "base/aligned.hpp"
#include "exchange/blocks.hpp"
#include "exchange/strategies.hpp"
#include "exchange/traced.hpp"
#include "mpi/datatype.hpp"
#include "mpi/request.hpp"

namespace shardfft {

namespace {

std::int64_t largest_count(const Schedule& schedule) {
  std::int64_t largest = 0;
  for (const Message& m : schedule.send) largest = std::max(largest, m.count);
  for (const Message& m : schedule.recv) largest = std::max(largest, m.count);
  return largest;
}

/// Overlap: when start returns, everything is packed and the non-blocking collective has begun. All members agree on
/// the padding once, while planning. Above mpi_count_limit() a block is one element of a larger datatype.
class Alltoall : public Exchange {
 public:
  explicit Alltoall(const ExchangeSetup& setup)
      : comm_(setup.comm),
        send_(setup.schedule.send, setup, Staging::always),
        recv_(setup.schedule.recv, setup, Staging::always),
        element_bytes_(setup.element_bytes),
        trace_(setup.trace),
        requests_(setup.watch) {
    block_ = comm_.max(largest_count(setup.schedule));
    const bool large = block_ > mpi_count_limit();
    if (large) require_derived_types(setup);
    const Datatype element = Datatype::element(element_bytes_);
    type_ = large ? Datatype::contiguous(block_, element) : element;
    count_ = large ? 1 : narrow(block_, "count");
  }

  std::size_t workspace_bytes() const override { return 2 * side_bytes(); }

  void start(const ExchangeBuffers& b) override {
    if (block_ == 0) return;
    for (int i = 0; i < send_.size(); ++i) send_.pack_into(i, b.source, slot(b.workspace, send_[i].peer));
    const Scope scope(trace_, Activity::exchange);
    check_mpi(MPI_Ialltoall(b.workspace, count_, type_.get(), b.workspace + side_bytes(), count_, type_.get(),
                            comm_.get(), requests_.add_collective(comm_)),
              "MPI_Ialltoall");
  }

  void progress(const ExchangeBuffers&) override { test_traced(requests_, trace_); }

  void finish(const ExchangeBuffers& b) override {
    wait_traced(requests_, trace_);
    for (int i = 0; i < recv_.size(); ++i)
      recv_.unpack_from(i, slot(b.workspace + side_bytes(), recv_[i].peer), b.destination);
  }

 private:
  std::size_t block_bytes() const { return static_cast<std::size_t>(block_) * element_bytes_; }
  std::size_t side_bytes() const {
    return round_up(block_bytes() * static_cast<std::size_t>(comm_.size()), cache_line);
  }
  std::byte* slot(std::byte* side, int peer) const { return side + block_bytes() * static_cast<std::size_t>(peer); }

  Communicator comm_;
  Blocks send_;
  Blocks recv_;
  std::size_t element_bytes_;
  Trace* trace_;
  std::int64_t block_ = 0;
  Datatype type_;
  int count_ = 0;
  RequestSet requests_;
};

}  // namespace

std::unique_ptr<Exchange> make_alltoall(const ExchangeSetup& setup) { return std::make_unique<Alltoall>(setup); }

}  // namespace shardfft
