#include "mpi/cross_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "mpi/offers.hpp"

namespace shardfft {

namespace {

/// Runs of one call: the kernel takes 1024, and fewer fit on the stack.
constexpr std::size_t runs_a_call = 512;
/// Bytes of one call: the kernel moves less than 2 GiB at once.
constexpr std::size_t bytes_a_call = std::size_t{1} << 30;

/// One call of the kernel; false if it did not read all.
bool read_some(pid_t process, const std::array<iovec, runs_a_call>& to, const std::array<iovec, runs_a_call>& from,
               std::size_t runs, std::size_t bytes) {
  const ssize_t got = process_vm_readv(process, to.data(), runs, from.data(), runs, 0);
  return got == static_cast<ssize_t>(bytes);
}

bool read_runs(pid_t process, const std::vector<CrossRun>& runs) {
  std::array<iovec, runs_a_call> to;
  std::array<iovec, runs_a_call> from;
  std::size_t count = 0;
  std::size_t bytes = 0;
  const auto flush = [&] {
    const bool done = count == 0 || read_some(process, to, from, count, bytes);
    count = bytes = 0;
    return done;
  };
  for (const CrossRun& run : runs)
    for (std::size_t at = 0; at < run.bytes;) {
      const std::size_t part = std::min(run.bytes - at, bytes_a_call - bytes);
      to[count] = {run.to + at, part};
      from[count] = {reinterpret_cast<void*>(run.from + at), part};
      ++count;
      bytes += part;
      at += part;
      if ((count == runs_a_call || bytes == bytes_a_call) && !flush()) return false;
    }
  return flush();
}

}  // namespace

CrossMemory::CrossMemory(const Communicator& host) {
  struct Offer {
    std::int64_t process = 0;
    std::uint64_t address = 0;
    Proof proof;
  };
  const Proof mine = draw_proof(host.rank());
  const Offer offer{getpid(), static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&mine)), mine};
  bool all = true;
  for (const Offer& theirs : gather_bytes(host, offer)) {
    processes_.push_back(theirs.process);
    Proof read;
    all = all && read_runs(static_cast<pid_t>(theirs.process),
                           {{theirs.address, reinterpret_cast<std::byte*>(&read), sizeof read}});
    all = all && read == theirs.proof;
  }
  allowed_ = host.min(std::int64_t{all ? 1 : 0}) == 1;
}

bool CrossMemory::lendable(const std::byte* p, std::size_t bytes) const {
  if (bytes == 0) return true;
  std::byte seen[2];
  const auto first = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(p));
  return read_runs(getpid(), {{first, &seen[0], 1}, {first + bytes - 1, &seen[1], 1}});
}

void CrossMemory::read(int host_rank, const std::vector<CrossRun>& runs) const {
  const auto process = static_cast<pid_t>(processes_[static_cast<std::size_t>(host_rank)]);
  if (!read_runs(process, runs))
    fail(Status::internal, "the kernel did not let this process read the array of process ", process, ": ",
         std::strerror(errno));
}

}  // namespace shardfft
