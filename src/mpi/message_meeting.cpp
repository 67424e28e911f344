#include "mpi/message_meeting.hpp"

#include "base/simulated_ranks.hpp"

namespace shardfft {

namespace {

constexpr int first_tag = 512;
constexpr int tags_a_kind = 64;

}  // namespace

MessageMeeting::MessageMeeting(const Communicator& comm, Kind kind) : comm_(comm) {
  const std::int64_t size = comm.size();
  std::size_t count = 0;
  while (std::int64_t{1} << count < size) ++count;
  rounds_.resize(count);  // MPI keeps their addresses
  for (std::size_t k = 0; k < count; ++k) {
    Round& round = rounds_[k];
    const std::int64_t step = std::int64_t{1} << k;
    const auto to = static_cast<int>((comm.rank() + step) % size);
    const auto from = static_cast<int>((comm.rank() - step + size) % size);
    const int tag = first_tag + static_cast<int>(kind) * tags_a_kind + static_cast<int>(k);
    const int words = static_cast<int>(round.told.size());
    check_mpi(MPI_Recv_init(round.heard.data(), words, MPI_INT64_T, from, tag, comm_.get(), &round.requests[0]),
              "MPI_Recv_init");
    check_mpi(MPI_Send_init(round.told.data(), words, MPI_INT64_T, to, tag, comm_.get(), &round.requests[1]),
              "MPI_Send_init");
  }
}

MessageMeeting::~MessageMeeting() {
  if (mpi_finalized()) return;
  for (Round& round : rounds_)
    for (MPI_Request& request : round.requests)
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

void MessageMeeting::begin(const Words& mine) {
  known_ = mine;
  round_ = 0;
  start_round();
}

void MessageMeeting::start_round() {
  if (round_ == rounds_.size()) return;
  Round& round = rounds_[round_];
  round.told = known_;
  check_mpi(MPI_Startall(static_cast<int>(round.requests.size()), round.requests.data()), "MPI_Startall");
}

bool MessageMeeting::done() {
  while (round_ < rounds_.size()) {
    Round& round = rounds_[round_];
    const auto count = static_cast<int>(round.requests.size());
    int complete = 1;
    if (ranks_are_simulated())
      check_mpi(MPI_Waitall(count, round.requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    else
      check_mpi(MPI_Testall(count, round.requests.data(), &complete, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (complete == 0) return false;
    hear(round.heard);
    ++round_;
    start_round();
  }
  return true;
}

}  // namespace shardfft
