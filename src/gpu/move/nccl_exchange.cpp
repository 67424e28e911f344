#include "gpu/move/nccl_exchange.hpp"

#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

void check_nccl(ncclResult_t status, const char* what) {
  if (status != ncclSuccess) fail(Status::backend_failure, what, ": ", ncclGetErrorString(status));
}

NcclTeam::NcclTeam(const Team& team) : comms_(team.here().size(), nullptr) {
  if (!team.comm().valid()) {
    std::vector<int> devices;
    for (const Member& m : team.here()) devices.push_back(m.device);
    check_nccl(ncclCommInitAll(comms_.data(), team.ranks(), devices.data()), "ncclCommInitAll");
    return;
  }
  init(team);
}

NcclTeam::~NcclTeam() {
  for (const ncclComm_t comm : comms_)
    if (comm != nullptr) ncclCommDestroy(comm);
}

std::shared_ptr<NcclTeam> NcclTeam::of(const Team& team) {
  std::shared_ptr<void>& kept = team.resource("nccl");
  if (!kept) kept = std::make_shared<NcclTeam>(team);
  return std::static_pointer_cast<NcclTeam>(kept);
}

ncclComm_t NcclTeam::comm(int member) const {
  const ncclComm_t comm = comms_[static_cast<std::size_t>(member)];
  if (comm == nullptr) fail(Status::backend_failure, "NCCL's communicator was given up in an earlier call");
  return comm;
}

void NcclTeam::check_work(int member) const {
  ncclResult_t status = ncclSuccess;
  check_nccl(ncclCommGetAsyncError(comm(member), &status), "ncclCommGetAsyncError");
  if (status != ncclSuccess && status != ncclInProgress) check_nccl(status, "NCCL's messages");
}

void NcclTeam::open_group() {
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  group_is_open_ = true;
}

void NcclTeam::close_group() {
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  group_is_open_ = false;
}

void NcclTeam::abort() {
  // In an open group NCCL puts off all later calls of this thread, also those for other plans' communicators.
  if (std::exchange(group_is_open_, false)) ncclGroupEnd();
  for (ncclComm_t& comm : comms_)
    if (comm != nullptr) ncclCommAbort(std::exchange(comm, nullptr));
}

/// ncclCommInitRank waits for all ranks: everything that can fail on one rank alone comes first, and is agreed.
void NcclTeam::init(const Team& team) {
  const Communicator& comm = team.comm();
  const int device = team.here().front().device;
  ncclUniqueId id{};
  int version = 0;
  agree(comm, [&] {
    const device::DeviceScope scope(device);
    const device::Memory context_and_room = device::make_memory(gpu_defaults().nccl_bytes);
    check_nccl(ncclGetVersion(&version), "ncclGetVersion");
    if (comm.rank() == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  });
  if (comm.min(std::int64_t{version}) != comm.max(std::int64_t{version}))
    fail(Status::unsupported, "the ranks have different versions of NCCL");
  comm.broadcast(&id, sizeof id, 0);
  agree(comm, [&] {
    const device::DeviceScope scope(device);
    check_nccl(ncclCommInitRank(comms_.data(), team.ranks(), id, comm.rank()), "ncclCommInitRank");
  });
}

NcclOperation::NcclOperation(const DeviceReshapeSetup& setup, int member, Staging staging,
                             std::shared_ptr<NcclTeam> nccl)
    : MessageExchange(setup, member, staging),
      nccl_(std::move(nccl)),
      member_(member),
      last_(member + 1 == static_cast<int>(setup.team->here().size())),
      alone_(setup.team->here().size() == 1) {}

void NcclOperation::enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) {
  if (phase == 0) pack_all(buffers, stream);
  if (phase == 1 || alone_)
    post_together([&](ncclComm_t comm) { post(buffers, comm, static_cast<cudaStream_t>(stream)); });
  if (phase == 2 || alone_) {
    copy_stays(buffers, stream);
    unpack_all(buffers, stream);
  }
}

void connect(const Team& team, const std::vector<NcclOperation*>& members) {
  std::vector<device::Memory> bytes;
  std::vector<device::Stream> streams;
  team.agree([&] {
    for (std::size_t m = 0; m < members.size(); ++m) {
      const device::DeviceScope scope(team.here()[m].device);
      bytes.push_back(device::make_memory(members[m]->trial_bytes()));
      streams.push_back(device::make_stream());
    }
  });
  const auto or_end_all = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      members.front()->break_off();
      throw;
    }
  };
  or_end_all([&] {
    // A rank that fails here first ends the work that others wait for, then tells them.
    team.agree([&] {
      or_end_all([&] {
        for (std::size_t m = 0; m < members.size(); ++m)
          members[m]->try_out(static_cast<std::byte*>(bytes[m].get()), static_cast<cudaStream_t>(streams[m].get()));
      });
    });
    team.agree([&] {
      for (std::size_t m = 0; m < members.size(); ++m) {
        const device::DeviceScope scope(team.here()[m].device);
        device::synchronize(streams[m].get());
      }
    });
  });
}

namespace {

/// Identifies a device in all processes, which may number devices differently.
std::array<char, 16> name_of(int device) {
  cudaDeviceProp properties{};
  const cudaError_t status = cudaGetDeviceProperties(&properties, device);
  if (status != cudaSuccess) fail(Status::backend_failure, "cudaGetDeviceProperties: ", cudaGetErrorString(status));
  std::array<char, 16> name{};
  std::memcpy(name.data(), properties.uuid.bytes, name.size());
  return name;
}

}  // namespace

std::string nccl_refusal(const Team& team) {
  std::vector<std::array<char, 16>> names;
  team.agree([&] {
    for (const Member& m : team.here()) names.push_back(name_of(m.device));
  });
  if (team.comm().valid()) {
    const std::array<char, 16> mine = names.front();
    names.resize(static_cast<std::size_t>(team.ranks()));
    team.comm().gather(mine.data(), names.data(), sizeof mine);
  }
  const std::set<std::array<char, 16>> different(names.begin(), names.end());
  return different.size() == names.size() ? "" : "NCCL allows only one rank a GPU";
}

}  // namespace shardfft::gpu
