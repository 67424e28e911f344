// bench-mpi CASE [RECORD]: the MPI library's own bandwidth, without any FFT. The case's options name a pattern and a
// message size; the record has the same form as an FFT's, with "bandwidth" in place of the accuracy of numbers. What
// arrives is checked.
//
// pair: half of the ranks send to their partner in the other half, one way (the report's figure 3.3).
// exchange: the same pairs, both ways at once. all_to_all: MPI_Alltoall, `bytes` to every rank.
// point_to_point: the same exchange by nonblocking messages to every rank (FFT-ECP's comparison).
#include <mpi.h>

#include <algorithm>
#include <cstring>

#include "clock.hpp"
#include "probe.hpp"

namespace {

using namespace shardfft::bench;

const char* const patterns[] = {"pair", "exchange", "all_to_all", "point_to_point"};

class Messages {
 public:
  Messages(const std::string& pattern, std::int64_t bytes) : pattern_(pattern), bytes_(bytes) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    out_.assign(std::size_t(bytes) * ranks_, char(rank_ + 1));
    in_.assign(std::size_t(bytes) * ranks_, char(-1));
  }

  // Messages a busy rank sends in one run.
  int count() const { return paired() ? 1 : ranks_ - 1; }

  void run() {
    if (pattern_ == "all_to_all") {
      MPI_Alltoall(out_.data(), int(bytes_), MPI_CHAR, in_.data(), int(bytes_), MPI_CHAR, MPI_COMM_WORLD);
    } else if (pattern_ == "point_to_point") {
      for (int step = 1; step < ranks_; ++step) {
        receive((rank_ + step) % ranks_);
        send((rank_ + ranks_ - step) % ranks_);
      }
    } else if (partner() < ranks_) {
      const bool sender = rank_ < ranks_ / 2;
      if (!sender || pattern_ == "exchange") receive(partner());
      if (sender || pattern_ == "exchange") send(partner());
    }
    MPI_Waitall(int(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

  // Whether the messages that this rank had to receive are there.
  bool arrived() const {
    for (int peer = 0; peer < ranks_; ++peer) {
      if (peer == rank_ || (paired() && peer != partner())) continue;
      if (pattern_ == "pair" && rank_ < ranks_ / 2) continue;
      const char* data = &in_[std::size_t(peer) * bytes_];
      if (data[0] != char(peer + 1) || std::memcmp(data, data + 1, std::size_t(bytes_ - 1)) != 0) return false;
    }
    return true;
  }

 private:
  bool paired() const { return pattern_ == "pair" || pattern_ == "exchange"; }
  // With an odd number of ranks the last one has none: itself is never asked for.
  int partner() const {
    const int half = ranks_ / 2;
    return rank_ < half ? rank_ + half : rank_ < 2 * half ? rank_ - half : ranks_;
  }
  void send(int peer) {
    MPI_Isend(&out_[std::size_t(peer) * bytes_], int(bytes_), MPI_CHAR, peer, 0, MPI_COMM_WORLD,
              &requests_.emplace_back());
  }
  void receive(int peer) {
    MPI_Irecv(&in_[std::size_t(peer) * bytes_], int(bytes_), MPI_CHAR, peer, 0, MPI_COMM_WORLD,
              &requests_.emplace_back());
  }

  std::string pattern_;
  std::int64_t bytes_;
  int rank_ = 0, ranks_ = 1;
  std::vector<char> out_, in_;
  std::vector<MPI_Request> requests_;
};

Json measured(const Case& wanted, MPI_Comm comm) {
  const std::string pattern = wanted.options.value("pattern", "all_to_all");
  const std::int64_t bytes = wanted.options.value("bytes", std::int64_t(1) << 20);
  if (std::find(std::begin(patterns), std::end(patterns), pattern) == std::end(patterns))
    throw CaseError("case: option 'pattern' is '" + pattern + "', which is unknown");
  if (bytes < 1 || bytes > (std::int64_t(1) << 30)) throw CaseError("case: option 'bytes' must be 1 to 2^30");
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) return {{"status", "unsupported"}, {"reason", "one rank has nobody to send to"}};
  Messages messages(pattern, bytes);
  const Timing timing = measure(
      comm, wanted.warmups, wanted.repeats, wanted.seconds, [] {}, [&] { messages.run(); });
  int good = messages.arrived();
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, comm);
  const double right = 0;
  Json record{{"status", good ? "ok" : "wrong"}, {"plan_seconds", 0}, {"flop", 0}};
  record["bandwidth"] = {
      {"pattern", pattern}, {"message_bytes", bytes}, {"bytes_sent_by_a_rank", bytes * messages.count()}};
  record["error"] = {{"after_timing", {{"max", right}, {"l2", right}}}};
  if (good) record["samples"] = timing.samples;
  if (!good) record["reason"] = "the messages that arrived are not those that were sent";
  return record;
}

std::string mpi_version() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  return std::string(version).substr(0, std::string(version).find_first_of(",\n"));
}

}  // namespace

int main(int argc, char** argv) {
  return probe_main(argc, argv,
                    {.library = "mpi",
                     .version = mpi_version(),
                     .language = "C",
                     .licence = "the MPI library's",
                     .options = {{"pattern", patterns}, {"bytes", Json::array()}},
                     .threads = MPI_THREAD_SINGLE,
                     .measure = measured});
}
