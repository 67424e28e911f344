// Strategy alltoallw: derived datatypes, straight from one array to the other.
#include "exchange/collective.hpp"
#include "exchange/strategies.hpp"
#include "exchange/traced.hpp"
#include "mpi/request.hpp"

namespace shardfft {

namespace {

TypesByRank array_types(const std::vector<Message>& messages, const ExchangeSetup& setup) {
  TypesByRank result(setup.comm.size());
  for (const Message& m : messages)
    if (m.count > 0) result.set(m.peer, message_type(m, setup.element_bytes));
  return result;
}

/// Overlap: when start returns, the non-blocking collective has begun; MPI packs and unpacks inside its own calls.
class Alltoallw : public Exchange {
 public:
  explicit Alltoallw(const ExchangeSetup& setup)
      : comm_(setup.comm),
        send_(array_types(setup.schedule.send, setup)),
        recv_(array_types(setup.schedule.recv, setup)),
        sends_(setup.schedule.send_count > 0),
        receives_(setup.schedule.recv_count > 0),
        trace_(setup.trace),
        requests_(setup.watch) {}

  std::size_t workspace_bytes() const override { return 0; }

  void start(const ExchangeBuffers& b) override {
    const Scope scope(trace_, Activity::exchange);
    const std::byte* out = sends_ ? b.source : &no_data_[0];
    std::byte* in = receives_ ? b.destination : &no_data_[1];
    check_mpi(MPI_Ialltoallw(out, send_.counts.data(), send_.displacements.data(), send_.types.data(), in,
                             recv_.counts.data(), recv_.displacements.data(), recv_.types.data(), comm_.get(),
                             requests_.add_collective(comm_)),
              "MPI_Ialltoallw");
  }

  void progress(const ExchangeBuffers&) override { test_traced(requests_, trace_); }

  void finish(const ExchangeBuffers&) override { wait_traced(requests_, trace_); }

 private:
  Communicator comm_;
  TypesByRank send_;
  TypesByRank recv_;
  bool sends_;
  bool receives_;
  /// Open MPI takes equal addresses for MPI_IN_PLACE, and an array of no elements may have the address of another.
  std::byte no_data_[2] = {};
  Trace* trace_;
  RequestSet requests_;
};

}  // namespace

std::unique_ptr<Exchange> make_alltoallw(const ExchangeSetup& setup) {
  if (setup.basic_types) return make_alltoallv(setup);  // derived datatypes are the only difference
  return std::make_unique<Alltoallw>(setup);
}

}  // namespace shardfft
