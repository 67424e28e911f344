// nccl: grouped sends and receives between packed buffers, enqueued on the stream. Built where NCCL was found.
#include <cuda_runtime.h>
#include <nccl.h>

#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "gpu/strategies.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

void check_nccl(ncclResult_t status, const char* what) {
  if (status != ncclSuccess) fail(Status::backend_failure, what, ": ", ncclGetErrorString(status));
}

/// One of NCCL's communicators for each member here.
class NcclTeam {
 public:
  explicit NcclTeam(const Team& team) : comms_(team.here().size(), nullptr) {
    if (!team.comm().valid()) {
      std::vector<int> devices;
      for (const Member& m : team.here()) devices.push_back(m.device);
      check_nccl(ncclCommInitAll(comms_.data(), team.ranks(), devices.data()), "ncclCommInitAll");
      return;
    }
    init(team);
  }
  ~NcclTeam() {
    for (const ncclComm_t comm : comms_)
      if (comm != nullptr) ncclCommDestroy(comm);
  }
  NcclTeam(const NcclTeam&) = delete;
  NcclTeam& operator=(const NcclTeam&) = delete;

  ncclComm_t comm(int member) const {
    const ncclComm_t comm = comms_[static_cast<std::size_t>(member)];
    if (comm == nullptr) fail(Status::backend_failure, "NCCL's communicator was given up in an earlier call");
    return comm;
  }
  /// What a rank or a link that failed did to work under way.
  void check_work(int member) const {
    ncclResult_t status = ncclSuccess;
    check_nccl(ncclCommGetAsyncError(comm(member), &status), "ncclCommGetAsyncError");
    if (status != ncclSuccess && status != ncclInProgress) check_nccl(status, "NCCL's messages");
  }
  /// What is posted in between starts together. A group belongs to the thread that opens it.
  void open_group() {
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    group_is_open_ = true;
  }
  void close_group() {
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    group_is_open_ = false;
  }
  /// Ends what waits for other ranks on the devices.
  void abort() {
    // In an open group NCCL puts off all that follows on this thread, other plans' communicators too.
    if (std::exchange(group_is_open_, false)) ncclGroupEnd();
    for (ncclComm_t& comm : comms_)
      if (comm != nullptr) ncclCommAbort(std::exchange(comm, nullptr));
  }

 private:
  /// ncclCommInitRank waits for all ranks: what can fail on one of them alone comes before it, and is agreed.
  void init(const Team& team) {
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
    check_mpi(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm.get()), "MPI_Bcast");
    agree(comm, [&] {
      const device::DeviceScope scope(device);
      check_nccl(ncclCommInitRank(comms_.data(), team.ranks(), id, comm.rank()), "ncclCommInitRank");
    });
  }

  std::vector<ncclComm_t> comms_;
  bool group_is_open_ = false;
};

/// Phases: pack; all members' sends and receives in one group, opened by the first member here and closed by the last;
/// unpack.
class NcclExchange : public MessageExchange {
 public:
  NcclExchange(const DeviceReshapeSetup& setup, int member, std::shared_ptr<NcclTeam> nccl)
      : MessageExchange(setup, member),
        nccl_(std::move(nccl)),
        member_(member),
        last_(member + 1 == static_cast<int>(setup.team->here().size())),
        alone_(setup.team->here().size() == 1) {}

  int phases() const override { return alone_ ? 1 : 3; }
  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    if (phase == 0)
      for (int i = 0; i < send_.size(); ++i) pack(i, buffers, stream);
    if (phase == 1 || alone_) {
      if (member_ == 0) nccl_->open_group();
      post([&](int i) { return outgoing(i, buffers); }, [&](int i) { return incoming(i, buffers); },
           [&](const Message& message) { return bytes_of(message); }, stream);
      if (last_) nccl_->close_group();
    }
    if (phase == 2 || alone_) {
      copy_stays(buffers, stream);
      for (int i = 0; i < recv_.size(); ++i) unpack(i, buffers, stream);
    }
  }
  void check() override { nccl_->check_work(member_); }
  void break_off() override { nccl_->abort(); }
  int messages() const { return send_.size() + recv_.size(); }
  /// A byte for each message, of which `bytes` has as many.
  void try_out(std::byte* bytes, device::StreamHandle stream) {
    if (member_ == 0) nccl_->open_group();
    post([&](int i) { return bytes + i; }, [&](int i) { return bytes + send_.size() + i; },
         [](const Message&) { return std::size_t{1}; }, stream);
    if (last_) nccl_->close_group();
  }
  std::string describe() const override { return "nccl, " + std::to_string(send_.size()) + " grouped messages"; }

 private:
  template <class From, class To, class Bytes>
  void post(const From& from, const To& to, const Bytes& bytes, device::StreamHandle stream) {
    const auto native = static_cast<cudaStream_t>(stream);
    const ncclComm_t comm = nccl_->comm(member_);
    for (int i = 0; i < send_.size(); ++i)
      check_nccl(ncclSend(from(i), bytes(send_[i]), ncclChar, send_[i].peer, comm, native), "ncclSend");
    for (int i = 0; i < recv_.size(); ++i)
      check_nccl(ncclRecv(to(i), bytes(recv_[i]), ncclChar, recv_[i].peer, comm, native), "ncclRecv");
  }

  std::shared_ptr<NcclTeam> nccl_;
  int member_;
  bool last_, alone_;
};

/// Two ranks are connected when they first send each other something. NCCL waits for both then, on the host, where no
/// news of a rank that failed reaches it: so that comes while planning.
void connect(const Team& team, const std::vector<std::unique_ptr<NcclExchange>>& members) {
  std::vector<device::Memory> bytes;
  std::vector<device::Stream> streams;
  team.agree([&] {
    for (std::size_t m = 0; m < members.size(); ++m) {
      const device::DeviceScope scope(team.here()[m].device);
      bytes.push_back(device::make_memory(static_cast<std::size_t>(members[m]->messages())));
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
    // Who fails here ends what others wait for before it tells them.
    team.agree([&] {
      or_end_all([&] {
        for (std::size_t m = 0; m < members.size(); ++m)
          members[m]->try_out(static_cast<std::byte*>(bytes[m].get()), streams[m].get());
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

/// What names a device anywhere: its own number, whatever a process calls it.
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
    check_mpi(MPI_Allgather(mine.data(), sizeof mine, MPI_BYTE, names.data(), sizeof mine, MPI_BYTE, team.comm().get()),
              "MPI_Allgather");
  }
  const std::set<std::array<char, 16>> different(names.begin(), names.end());
  return different.size() == names.size() ? "" : "NCCL allows one rank a GPU only";
}

MemberOperations make_nccl_exchange(const DeviceReshapeSetup& setup) {
  Team& team = *setup.team;
  std::shared_ptr<void>& kept = team.resource("nccl");
  if (!kept) kept = std::make_shared<NcclTeam>(team);
  const auto nccl = std::static_pointer_cast<NcclTeam>(kept);
  std::vector<std::unique_ptr<NcclExchange>> made;
  team.agree([&] {
    for (int m = 0; m < static_cast<int>(team.here().size()); ++m)
      made.push_back(std::make_unique<NcclExchange>(setup, m, nccl));
  });
  connect(team, made);
  return {std::make_move_iterator(made.begin()), std::make_move_iterator(made.end())};
}

}  // namespace shardfft::gpu
