#include "gpu/team.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/check.hpp"
#include "mpi/kept_for_mpi.hpp"

namespace shardfft::gpu {

namespace {

/// Everybody's `mine`, by rank, one behind the other; ranks may give different numbers of records.
template <class Record>
std::vector<Record> gather_records(const Communicator& comm, const std::vector<Record>& mine,
                                   std::vector<std::int64_t>& counts) {
  counts = comm.all_gather(static_cast<std::int64_t>(mine.size()));
  std::vector<int> bytes, begins;
  std::int64_t total = 0;
  for (const std::int64_t count : counts) {
    bytes.push_back(narrow(count * static_cast<std::int64_t>(sizeof(Record)), "bytes of a rank's handles"));
    begins.push_back(narrow(total * static_cast<std::int64_t>(sizeof(Record)), "bytes of all ranks' handles"));
    total += count;
  }
  std::vector<Record> all(static_cast<std::size_t>(total));
  check_mpi(MPI_Allgatherv(mine.data(), bytes[static_cast<std::size_t>(comm.rank())], MPI_BYTE, all.data(),
                           bytes.data(), begins.data(), MPI_BYTE, comm.get()),
            "MPI_Allgatherv");
  return all;
}

/// False where `work` throws.
template <class Work>
bool succeeds(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// The number that `sender` writes into the memory of `receiver`.
std::uint32_t token(int sender, int receiver) {
  return 0x5EED0000u + static_cast<std::uint32_t>(sender * 97 + receiver);
}

/// Tries what peers do: every rank opens the memory of all others and writes its number there. Asking the runtime
/// would not do: whether IPC works depends on containers and on which devices a process is shown.
class PeerTrial {
 public:
  PeerTrial(const Communicator& comm, int device) : comm_(comm), scope_(device) {}

  bool run() {
    bool good = agreed([&] { export_own(); });
    std::vector<std::int64_t> counts;
    if (good) handles_ = gather_records(comm_, mine_, counts);
    good = good && agreed([&] { write_to_others(); });
    good = good && agreed([&] { read_own(); });
    opened_.clear();
    comm_.barrier();  // nobody frees what another one has open
    return good;
  }

 private:
  template <class Work>
  bool agreed(const Work& work) {
    return comm_.min(std::int64_t{succeeds(work)}) == 1;
  }
  std::size_t bytes() const { return sizeof(std::uint32_t) * static_cast<std::size_t>(comm_.size()); }

  void export_own() {
    memory_ = device::make_memory(bytes());
    stream_ = device::make_stream();
    device::fill_zero(memory_.get(), bytes(), stream_.get());
    device::synchronize(stream_.get());
    event_ = device::make_event(device::EventUse::shared);
    mine_ = {device::export_memory(memory_.get()), device::export_event(event_.get())};
  }
  void write_to_others() {
    for (int q = 0; q < comm_.size(); ++q) {
      if (q == comm_.rank()) continue;
      opened_.emplace_back(device::import_memory(handles_[static_cast<std::size_t>(2 * q)]));
      const device::Event event(device::import_event(handles_[static_cast<std::size_t>(2 * q + 1)]));
      device::wait(stream_.get(), event.get());
      const std::uint32_t number = token(comm_.rank(), q);
      device::copy_bytes(static_cast<std::uint32_t*>(opened_.back().get()) + comm_.rank(), &number, sizeof number,
                         stream_.get());
      device::synchronize(stream_.get());
    }
  }
  void read_own() {
    std::vector<std::uint32_t> got(static_cast<std::size_t>(comm_.size()));
    device::copy_bytes(got.data(), memory_.get(), bytes(), stream_.get());
    device::synchronize(stream_.get());
    for (int q = 0; q < comm_.size(); ++q)
      if (q != comm_.rank() && got[static_cast<std::size_t>(q)] != token(q, comm_.rank()))
        fail(Status::unsupported, "what rank ", q, " wrote did not arrive");
  }

  const Communicator& comm_;
  device::DeviceScope scope_;
  device::Memory memory_;
  device::Stream stream_;
  device::Event event_;
  std::vector<device::IpcHandle> mine_, handles_;
  std::vector<device::ImportedMemory> opened_;
};

}  // namespace

Team::Team(const Communicator& comm, int device, Watch* watch)
    : here_{{comm.rank(), device}},
      ranks_(comm.size()),
      comm_(comm),
      watch_(watch),
      meeting_(std::make_shared<Meeting>(comm, Meeting::Kind::phases)) {
  // A device may be of no use to one process only (taken by another one, out of memory).
  agree([&] { const device::DeviceScope scope(device); });
  const Communicator host = comm.split_host();
  if (comm.min(host.size()) == comm.size()) all_peers_ = PeerTrial(comm, device).run();
}

Team::Team(const std::vector<int>& devices) : ranks_(static_cast<int>(devices.size())) {
  require(!devices.empty(), "a team needs at least one device");
  for (int r = 0; r < ranks_; ++r) here_.push_back({r, devices[static_cast<std::size_t>(r)]});
  all_peers_ = succeeds([&] {
    for (const int a : devices)
      for (const int b : devices) device::enable_peer(a, b);
  });
}

bool Team::meet(bool failed) { return least({failed ? 0 : 1})[0] == 0; }

Meeting::Words Team::least(const Meeting::Words& mine) {
  if (all_here()) return mine;
  if (!meeting_) fail(Status::internal, "an earlier meeting of the ranks was left");
  meeting_->begin(mine);
  try {
    wait_until(watch_, [this] { return meeting_->done(); });
  } catch (...) {
    keep_for_mpi(std::move(meeting_));
    throw;
  }
  return meeting_->result();
}

std::int64_t Team::max(std::int64_t value) const { return all_here() ? value : comm_.max(value); }

std::int64_t Team::min(std::int64_t value) const { return all_here() ? value : comm_.min(value); }

void Team::agree(const std::function<void()>& work) const {
  if (all_here())
    work();
  else
    shardfft::agree(comm_, work);
}

Team::Events Team::share_events(const Events& mine, const std::vector<int>& partners) {
  require(mine.size() == here_.size(), "events of ", mine.size(), " members, not of ", here_.size());
  if (all_here()) return mine;
  std::vector<device::IpcHandle> handles;
  agree([&] {
    const device::DeviceScope scope(here_.front().device);
    for (const device::EventHandle event : mine.front())
      handles.push_back(event == nullptr ? device::IpcHandle{} : device::export_event(event));
  });
  std::vector<std::int64_t> counts;
  const std::vector<device::IpcHandle> all = gather_records(comm_, handles, counts);
  Events events(static_cast<std::size_t>(ranks_));
  agree([&] {
    const device::DeviceScope scope(here_.front().device);
    std::size_t next = 0;
    for (int r = 0; r < ranks_; ++r) {
      const auto rank = static_cast<std::size_t>(r), count = static_cast<std::size_t>(counts[rank]);
      const bool wanted = r != comm_.rank() && std::find(partners.begin(), partners.end(), r) != partners.end();
      for (std::size_t i = next; wanted && i < next + count; ++i) {
        device::Event event;
        if (all[i] != device::IpcHandle{}) event = device::Event(device::import_event(all[i]));
        events[rank].push_back(event.get());
        opened_.push_back(std::move(event));
      }
      next += count;
    }
  });
  events[static_cast<std::size_t>(comm_.rank())] = mine.front();
  return events;
}

namespace {

/// Where a rank's part lies: so many bytes from the beginning of an allocation.
struct Address {
  Exported allocation;
  std::int64_t offset = -1;  ///< -1: an empty part
};

Address address_of(void* part) {
  if (part == nullptr) return {};
  const device::PointerInfo info = device::describe(part);
  if (info.kind != device::MemoryKind::device || !info.exportable)
    fail(Status::unsupported,
         "an array cannot be opened by other processes: it is not part of a plain device allocation");
  return {{device::export_memory(info.base), info.id, getpid()},
          static_cast<std::byte*>(part) - static_cast<std::byte*>(info.base)};
}

}  // namespace

void SharedAddresses::share(const Team& team, const std::vector<void*>& mine, const std::shared_ptr<ImportUser>& user) {
  require(mine.size() == team.here().size(), "parts of ", mine.size(), " members, not of ", team.here().size());
  all_.assign(static_cast<std::size_t>(team.ranks()), nullptr);
  for (std::size_t m = 0; m < mine.size(); ++m)
    all_[static_cast<std::size_t>(team.here()[m].rank)] = static_cast<std::byte*>(mine[m]);
  if (team.all_here()) return;
  Address own;
  team.agree([&] {
    const device::DeviceScope scope(team.here().front().device);
    own = address_of(mine.front());
  });
  std::vector<std::int64_t> counts;
  const std::vector<Address> addresses = gather_records(team.comm(), std::vector<Address>{own}, counts);
  team.agree([&] {
    const device::DeviceScope scope(team.here().front().device);
    std::vector<std::shared_ptr<Import>> named;  // what stays named stays open
    for (int r = 0; r < team.ranks(); ++r) {
      const Address& at = addresses[static_cast<std::size_t>(r)];
      if (r == team.comm().rank() || at.offset < 0) continue;
      named.push_back(open_import(at.allocation, user));
      all_[static_cast<std::size_t>(r)] = static_cast<std::byte*>(named.back()->address()) + at.offset;
    }
    opened_ = std::move(named);
  });
}

bool SharedAddresses::stale() const {
  return std::any_of(opened_.begin(), opened_.end(), [](const auto& import) { return !import->open(); });
}

}  // namespace shardfft::gpu
