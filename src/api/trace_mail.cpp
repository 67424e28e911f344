#include "api/trace_mail.hpp"

#include <algorithm>
#include <cstdint>

namespace shardfft {

namespace {

constexpr int letter_tag = 8;
constexpr std::size_t bytes_a_message = std::size_t{1} << 28;

int message_bytes(std::size_t left) { return static_cast<int>(std::min(bytes_a_message, left)); }

}  // namespace

struct TraceMail::Letter {
  Communicator comm;
  Bytes bytes;
  std::int64_t size = 0;
  std::vector<MPI_Request> requests{};
};

TraceMail& TraceMail::of_process() {
  static TraceMail mail;
  return mail;
}

void TraceMail::begin() {
  const std::lock_guard lock(mutex_);
  ++plans_;
}

bool TraceMail::taken(Letter& letter, bool wait) {
  const auto count = static_cast<int>(letter.requests.size());
  int done = 1;
  if (wait)
    check_mpi(MPI_Waitall(count, letter.requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  else
    check_mpi(MPI_Testall(count, letter.requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  return done != 0;
}

void TraceMail::end(bool wait) {
  std::list<Letter> last;
  {
    const std::lock_guard lock(mutex_);
    if (--plans_ > 0 || !wait) return;
    last.swap(letters_);
  }
  for (Letter& letter : last) taken(letter, true);
}

void TraceMail::send(const Communicator& comm, Bytes bytes) {
  const std::lock_guard lock(mutex_);
  letters_.remove_if([](Letter& letter) { return taken(letter, false); });
  const auto size = static_cast<std::int64_t>(bytes.size());
  Letter& letter = letters_.emplace_back(Letter{comm, std::move(bytes), size});
  const auto post = [&](const void* data, int count, MPI_Datatype type) {
    letter.requests.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(data, count, type, 0, letter_tag, comm.get(), &letter.requests.back()), "MPI_Isend");
  };
  post(&letter.size, 1, MPI_INT64_T);
  for (std::size_t at = 0; at < letter.bytes.size(); at += bytes_a_message)
    post(letter.bytes.data() + at, message_bytes(letter.bytes.size() - at), MPI_BYTE);
}

TraceMail::Bytes TraceMail::receive(const Communicator& comm, int rank) {
  std::int64_t size = 0;
  check_mpi(MPI_Recv(&size, 1, MPI_INT64_T, rank, letter_tag, comm.get(), MPI_STATUS_IGNORE), "MPI_Recv");
  Bytes bytes(static_cast<std::size_t>(size));
  for (std::size_t at = 0; at < bytes.size(); at += bytes_a_message)
    check_mpi(MPI_Recv(bytes.data() + at, message_bytes(bytes.size() - at), MPI_BYTE, rank, letter_tag, comm.get(),
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
  return bytes;
}

}  // namespace shardfft
