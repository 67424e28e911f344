#include "api/members.hpp"

#include "base/check.hpp"
#include "gpu/make.hpp"
#include "mpi/waiting_room.hpp"

namespace shardfft {

std::vector<int> devices_of(const Ranks& ranks) {
  const auto* devices = std::get_if<Devices>(&ranks);
  if (devices == nullptr) return {};
  require(!devices->numbers.empty(), "a plan over devices needs one GPU at least");
  for (const int device : devices->numbers) {
    require(device >= 0, "GPU ", device, " does not exist");
    gpu::check_device(device);
  }
  return devices->numbers;
}

Communicator communicator_of(const Ranks& ranks) {
  const auto* comm = std::get_if<MPI_Comm>(&ranks);
  if (comm == nullptr) return {};
  if (*comm != MPI_COMM_NULL && mpi_initialized() && !mpi_finalized()) WaitingRoom::refuse_if_closed(*comm);
  return Communicator::duplicate(*comm);
}

void together(const Communicator& comm, const std::function<void()>& work) {
  comm.valid() ? agree(comm, work) : work();
}

std::vector<const std::byte*> as_bytes(std::span<const void* const> arrays) {
  std::vector<const std::byte*> bytes;
  for (const void* array : arrays) bytes.push_back(static_cast<const std::byte*>(array));
  return bytes;
}

std::vector<std::byte*> as_bytes(std::span<void* const> arrays) {
  std::vector<std::byte*> bytes;
  for (void* array : arrays) bytes.push_back(static_cast<std::byte*>(array));
  return bytes;
}

}  // namespace shardfft
