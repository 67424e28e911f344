// Finds out whether the MPI library takes pointers to device memory. A library that does not reads them as host memory
// and crashes: it is asked before it is tried.
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "base/environment.hpp"
#include "gpu/move/exchange.hpp"

namespace shardfft::gpu {

namespace {

/// The user's answer: 1 or 0 in SHARDFFT_MPI_DEVICE (Open MPI built without CUDA does not know the abilities of its
/// UCX). Otherwise the library's: Open MPI and MPICH have this extension, others count as no.
bool claimed() {
  if (const auto said = switch_in_environment("SHARDFFT_MPI_DEVICE", "whether MPI takes device pointers")) return *said;
  if (device::host_uses_device_memory()) return true;
  using Query = int (*)();
  const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
  return query != nullptr && query() == 1;
}

/// Words of a message that MPI libraries send at once, and of one that they announce first.
constexpr std::array<std::size_t, 2> lengths = {16, std::size_t{1} << 16};

std::uint32_t word(int rank, std::size_t i) {
  return static_cast<std::uint32_t>(i * 7919 + 31) ^ (static_cast<std::uint32_t>(rank) << 24);
}

/// Messages from each rank to the next one, between device memory, read back and compared.
class Trial {
 public:
  explicit Trial(const Communicator& comm) : comm_(comm) {
    agree(comm, [this] {
      from_ = device::make_memory(lengths.back() * sizeof(std::uint32_t));
      to_ = device::make_memory(lengths.back() * sizeof(std::uint32_t));
      stream_ = device::make_stream();
    });
  }

  bool arrives(std::size_t words) {
    const std::size_t bytes = words * sizeof(std::uint32_t);
    const int next = (comm_.rank() + 1) % comm_.size(), last = (comm_.rank() + comm_.size() - 1) % comm_.size();
    std::vector<std::uint32_t> numbers(words);
    for (std::size_t i = 0; i < words; ++i) numbers[i] = word(comm_.rank(), i);
    agree(comm_, [&] {
      device::copy_bytes(from_.get(), numbers.data(), bytes, stream_.get());
      device::fill_zero(to_.get(), bytes, stream_.get());
      device::synchronize(stream_.get());
    });
    const int count = narrow(static_cast<std::int64_t>(bytes), "bytes of a trial");
    check_mpi(MPI_Sendrecv(from_.get(), count, MPI_BYTE, next, 0, to_.get(), count, MPI_BYTE, last, 0, comm_.get(),
                           MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
    agree(comm_, [&] {
      device::copy_bytes(numbers.data(), to_.get(), bytes, stream_.get());
      device::synchronize(stream_.get());
    });
    bool same = true;
    for (std::size_t i = 0; i < words; ++i) same = same && numbers[i] == word(last, i);
    return same;
  }

 private:
  const Communicator& comm_;
  device::Memory from_, to_;
  device::Stream stream_;
};

}  // namespace

bool mpi_takes_device_memory(const Communicator& comm, int device) {
  bool may = false;
  agree(comm, [&] { may = claimed(); });
  if (comm.min(std::int64_t{may}) == 0) return false;
  const device::DeviceScope scope(device);
  Trial trial(comm);
  for (const std::size_t words : lengths)
    if (comm.min(std::int64_t{trial.arrives(words)}) == 0) return false;
  return true;
}

}  // namespace shardfft::gpu
