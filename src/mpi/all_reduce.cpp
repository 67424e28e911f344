#include "mpi/all_reduce.hpp"

#include "mpi/shared_desks.hpp"
#include "mpi/watched_collective.hpp"

namespace shardfft {

namespace {

class MessageAllReduce : public AllReduce {
 public:
  explicit MessageAllReduce(const Communicator& comm) : comm_(comm) {}

  Numbers sum(const Numbers& mine, Watch* watch) override {
    if (comm_.size() == 1) return mine;
    return watched_allreduce(comm_, watch, mine, static_cast<int>(mine.size()), MPI_UINT64_T, MPI_SUM);
  }

 private:
  Communicator comm_;
};

class SharedAllReduce : public AllReduce {
 public:
  using Desks = SharedDesks<Numbers>;
  explicit SharedAllReduce(HostMemory& host) : desks_(host) {}

  Numbers sum(const Numbers& mine, Watch* watch) override {
    desks_.lay_down(mine);
    Numbers sums{};
    for (int rank = 0; rank < desks_.ranks(); ++rank) {
      const Numbers* numbers = nullptr;
      wait_until(watch, [&] { return (numbers = desks_.of(rank)) != nullptr; });
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += (*numbers)[i];
    }
    return sums;
  }

 private:
  Desks desks_;
};

}  // namespace

std::unique_ptr<AllReduce> make_all_reduce(const Communicator& comm, HostMemory* host) {
  if (comm.size() > 1 && host != nullptr && host->host().size() == comm.size()) {
    try {
      return std::make_unique<SharedAllReduce>(*host);
    } catch (const Error&) {  // on all ranks: messages serve too
    }
  }
  return std::make_unique<MessageAllReduce>(comm);
}

}  // namespace shardfft
