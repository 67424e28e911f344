// Strategy alltoallv: packed blocks of any size in one collective.
#include "exchange/collective.hpp"
#include "exchange/packed.hpp"
#include "exchange/strategies.hpp"
#include "exchange/traced.hpp"
#include "mpi/request.hpp"

namespace shardfft {

namespace {

bool fits(const Blocks& blocks, std::int64_t limit) {
  for (int i = 0; i < blocks.size(); ++i)
    if (blocks[i].count > limit || blocks.offset(i) > limit) return false;
  return true;
}

TypesByRank run_types(const Blocks& blocks, const ExchangeSetup& setup) {
  TypesByRank result(setup.comm.size());
  const Datatype element = Datatype::element(setup.element_bytes);
  for (int i = 0; i < blocks.size(); ++i)
    result.set(blocks[i].peer,
               Datatype::join({{blocks.offset_bytes(i), Datatype::contiguous(blocks[i].count, element)}}));
  return result;
}

/// Overlap: when start returns, everything is packed and the non-blocking collective has begun. It is MPI_Ialltoallv if
/// all members' counts and displacements fit an int, else MPI_Ialltoallw over the same packed blocks.
class Alltoallv : public PackedExchange {
 public:
  explicit Alltoallv(const ExchangeSetup& setup)
      : PackedExchange({setup.schedule.send, setup, Staging::all_or_none},
                       {setup.schedule.recv, setup, Staging::all_or_none}, setup.trace),
        comm_(setup.comm),
        element_(Datatype::element(setup.element_bytes)),
        send_types_(0),
        recv_types_(0),
        requests_(setup.watch) {
    const bool small = fits(send_, mpi_count_limit()) && fits(recv_, mpi_count_limit());
    large_ = comm_.max(std::int64_t{small ? 0 : 1}) != 0;
    if (large_) {
      require_derived_types(setup);
      send_types_ = run_types(send_, setup);
      recv_types_ = run_types(recv_, setup);
    } else {
      send_counts_ = counts_by_rank(send_, comm_.size());
      recv_counts_ = counts_by_rank(recv_, comm_.size());
    }
  }

  void start(const ExchangeBuffers& b) override {
    send_.pack_all(b.source, b.workspace);
    const Scope scope(trace_, Activity::exchange);
    const std::byte* out = send_.all_direct() ? b.source : b.workspace;
    std::byte* in = recv_.all_direct() ? b.destination : incoming(b);
    if (send_.size() == 0) out = &no_data_[0];
    if (recv_.size() == 0) in = &no_data_[1];
    MPI_Request* request = requests_.add_collective(comm_);
    if (large_) {
      check_mpi(MPI_Ialltoallw(out, send_types_.counts.data(), send_types_.displacements.data(),
                               send_types_.types.data(), in, recv_types_.counts.data(),
                               recv_types_.displacements.data(), recv_types_.types.data(), comm_.get(), request),
                "MPI_Ialltoallw");
    } else {
      check_mpi(MPI_Ialltoallv(out, send_counts_.counts.data(), send_counts_.displacements.data(), element_.get(), in,
                               recv_counts_.counts.data(), recv_counts_.displacements.data(), element_.get(),
                               comm_.get(), request),
                "MPI_Ialltoallv");
    }
  }

  void progress(const ExchangeBuffers&) override { test_traced(requests_, trace_); }

  void finish(const ExchangeBuffers& b) override {
    wait_traced(requests_, trace_);
    recv_.unpack_all(incoming(b), b.destination);
  }

 private:
  Communicator comm_;
  Datatype element_;
  bool large_ = false;
  CountsByRank send_counts_;
  CountsByRank recv_counts_;
  TypesByRank send_types_;
  TypesByRank recv_types_;
  /// Open MPI takes equal addresses for MPI_IN_PLACE, and an array of no elements may have the address of another.
  std::byte no_data_[2] = {};
  RequestSet requests_;
};

}  // namespace

std::unique_ptr<Exchange> make_alltoallv(const ExchangeSetup& setup) { return std::make_unique<Alltoallv>(setup); }

}  // namespace shardfft
