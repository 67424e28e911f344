#include "gpu/team.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "base/check.hpp"
#include "base/environment.hpp"
#include "base/succeeds.hpp"
#include "base/text.hpp"
#include "device/facts.hpp"
#include "device/pass_kernels.hpp"
#include "mpi/kept_for_mpi.hpp"
#include "mpi/message_meeting.hpp"
#include "mpi/offers.hpp"

namespace shardfft::gpu {

namespace {

/// Throws, on all ranks, the failure of the first one that told of one. Collective if any has.
template <class Told, class Failed>
void throw_first(const Communicator& comm, const std::vector<Told>& told, const Failed& failed, const Failure& mine) {
  const auto first = std::find_if(told.begin(), told.end(), failed);
  if (first != told.end()) throw_failure_of(comm, static_cast<int>(first - told.begin()), mine);
}

/// Gathers the records of all ranks, in the order of ranks. Ranks may give different numbers of records. `failure`: of
/// this rank while it made them.
template <class Record>
std::vector<Record> gather_records(const Communicator& comm, const std::vector<Record>& mine,
                                   std::vector<std::int64_t>& counts, const Failure& failure) {
  counts = comm.all_gather(failure.failed() ? -1 : std::ssize(mine));
  throw_first(
      comm, counts, [](std::int64_t count) { return count < 0; }, failure);
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

/// Tests whether peers reach each other: every rank of a host opens the memory of the others, checks that it holds the
/// owner's proof, and then writes into it. The runtime cannot answer this: sharing depends on containers and on the
/// devices that each process sees, and a handle of a process with the same number may open other memory. Memory that is
/// opened later comes only from processes that passed this test.
class PeerTrial {
 public:
  PeerTrial(const Communicator& host, int device, device::Sharing sharing)
      : host_(host),
        scope_(device),
        sharing_(sharing),
        proof_(draw_proof(host.rank())),
        proofs_(gather_bytes(host, proof_)) {}

  /// For each rank of the host: whether it and this rank can write into each other's memory.
  std::vector<char> run() {
    const bool exported = host_.min(std::int64_t{succeeds([&] { export_own(); })}) == 1;
    std::vector<char> reached(proofs_.size(), 0);
    if (exported) {
      const std::vector<Found> found =
          look_at_offers(host_, mine_, [this](int q, const Offer& offer) { return look(q, offer); });
      std::vector<Proof> written(proofs_.size());
      if (succeeds([&] { read_own(written); }))
        for (std::size_t q = 0; q < found.size(); ++q)
          reached[q] = found[q] == Found::itself && written[q] == proofs_[q] ? 1 : 0;
    }
    std::vector<char> theirs(reached.size());
    check_mpi(MPI_Alltoall(reached.data(), 1, MPI_BYTE, theirs.data(), 1, MPI_BYTE, host_.get()), "MPI_Alltoall");
    for (std::size_t q = 0; q < reached.size(); ++q) reached[q] = static_cast<char>(reached[q] & theirs[q]);
    opened_.clear();
    host_.barrier();  // no rank may free memory that another rank has open
    return reached;
  }

 private:
  struct Offer {
    device::IpcHandle memory{}, event{};
  };

  /// Room for the owner's proof, then for the proof that each rank writes.
  std::size_t bytes() const { return sizeof(Proof) * (1 + proofs_.size()); }

  void export_own() {
    memory_ = device::make_memory(bytes(), sharing_);
    stream_ = device::make_stream();
    device::fill_zero(memory_.get(), bytes(), stream_.get());
    device::copy_bytes(memory_.get(), &proof_, sizeof proof_, stream_.get());
    device::synchronize(stream_.get());
    event_ = device::make_event(event_use_for(sharing_));
    device::record(event_.get(), stream_.get());
    mine_ = {device::export_memory(memory_.get()), device::export_event(event_.get())};
  }
  Found look(int q, const Offer& offer) {
    if (q == host_.rank()) return Found::nothing;
    Found found = Found::nothing;
    succeeds([&] {
      opened_.emplace_back(device::import_memory(offer.memory));
      auto* const memory = static_cast<Proof*>(opened_.back().get());
      Proof read;
      device::copy_bytes(&read, memory, sizeof read, stream_.get());
      device::synchronize(stream_.get());
      if (read != proofs_[static_cast<std::size_t>(q)]) {
        found = Found::other;
        return;
      }
      const device::Event event(device::import_event(offer.event));
      device::wait(stream_.get(), event.get());
      device::copy_bytes(memory + 1 + host_.rank(), &proof_, sizeof proof_, stream_.get());
      device::synchronize(stream_.get());
      found = Found::itself;
    });
    return found;
  }
  void read_own(std::vector<Proof>& written) {
    device::copy_bytes(written.data(), static_cast<Proof*>(memory_.get()) + 1, sizeof(Proof) * written.size(),
                       stream_.get());
    device::synchronize(stream_.get());
  }

  const Communicator& host_;
  device::DeviceScope scope_;
  device::Sharing sharing_;
  Proof proof_;
  std::vector<Proof> proofs_;  ///< by rank of the host
  device::Memory memory_;
  device::Stream stream_;
  device::Event event_;
  Offer mine_;
  std::vector<device::ImportedMemory> opened_;
};

/// More ranks than this meet, because each would work for longer than the meeting takes.
constexpr int most_ranks_planned = 64;

/// Devices with the same number plan alike, in processes with the same compiler.
std::uint64_t kind_of(const device::DeviceFacts& facts) {
  Text text;
  text << facts.name << ' ' << facts.multiprocessors << ' ' << facts.shared_bytes_a_block << ' ' << facts.shared_bytes
       << ' ' << facts.registers << ' ' << facts.threads << ' ' << facts.l2_bytes << ' ' << facts.memory_bytes << ' '
       << facts.bulk_copies << ' ' << device::lines::can_compile();
  return std::hash<std::string>()(text.str());
}

}  // namespace

Team::Team(const Communicator& comm, int device, Watch* watch, int fake_ranks_per_host)
    : here_{{comm.rank(), device}},
      ranks_(comm.size()),
      groups_(std::make_unique<Groups>(comm)),
      context_{comm, groups_.get()},
      meeting_(std::make_shared<MessageMeeting>(comm, MessageMeeting::Kind::phases)),
      reach_(1, std::vector<char>(static_cast<std::size_t>(ranks_), 0)) {
  context_.watch = watch;
  context_.fake_ranks_per_host = fake_ranks_per_host;
  std::uint64_t kind = 0;
  // A device may be unusable for one process only (another process has taken it, or it is out of memory).
  agree([&] {
    const device::DeviceScope scope(device);
    kind = kind_of(device::facts(device));
  });
  const Communicator host = comm.split_host(fake_ranks_per_host);
  const std::vector<int> ranks = host.ranks_in(comm);
  const std::vector<char> reached = try_sharing(host);
  for (std::size_t q = 0; q < ranks.size(); ++q) reach_.front()[static_cast<std::size_t>(ranks[q])] = reached[q];
  reach_.front()[static_cast<std::size_t>(comm.rank())] = 1;
  note_peers(kind);
}

/// Descriptors need memory that is allocated for them, which arrays of users are not: they are second.
std::vector<char> Team::try_sharing(const Communicator& host) {
  const std::optional<bool> said =
      switch_of("SHARDFFT_DESCRIPTORS", "whether processes share memory of GPUs by file descriptors");
  const auto reached_by = [&](device::Sharing sharing) { return PeerTrial(host, here_.front().device, sharing).run(); };
  const auto pairs = [&](const std::vector<char>& reached) {
    const auto all = host.all_gather(std::count(reached.begin(), reached.end(), 1));
    return std::accumulate(all.begin(), all.end(), std::int64_t{0});
  };
  std::vector<char> reached(static_cast<std::size_t>(host.size()), 0);
  if (!said || !*said) reached = reached_by(device::Sharing::ipc);
  const std::int64_t found = pairs(reached), most = std::int64_t{host.size()} * (host.size() - 1);
  if (found == most || (said && !*said)) return reached;
  const std::vector<char> others = reached_by(device::Sharing::descriptors);
  if (pairs(others) <= found) return reached;
  here_.front().sharing = device::Sharing::descriptors;
  return others;
}

Team::Team(const std::vector<int>& devices, int fake_ranks_per_host) : ranks_(static_cast<int>(devices.size())) {
  context_.fake_ranks_per_host = fake_ranks_per_host;
  require(!devices.empty(), "a team needs at least one device");
  for (int r = 0; r < ranks_; ++r) here_.push_back({r, devices[static_cast<std::size_t>(r)]});
  const auto host = [=](const Member& m) { return fake_ranks_per_host > 0 ? m.rank / fake_ranks_per_host : 0; };
  const auto can = [](const Member& a, const Member& b) {
    return succeeds([&] {
      device::enable_peer(a.device, b.device);
      device::enable_peer(b.device, a.device);
    });
  };
  for (const Member& a : here_) {
    std::vector<char>& row = reach_.emplace_back();
    for (const Member& b : here_) row.push_back(a.rank == b.rank || (host(a) == host(b) && can(a, b)) ? 1 : 0);
  }
  note_peers(0);
}

/// Every rank reaches itself, which does not count as a peer. `kind`: of the device here. Collective.
void Team::note_peers(std::uint64_t kind) {
  std::vector<std::uint64_t> reached;
  for (const std::vector<char>& row : reach_)
    reached.push_back(static_cast<std::uint64_t>(std::count(row.begin(), row.end(), 1)));
  const auto [fewest, most] = std::minmax_element(reached.begin(), reached.end());
  Communicator::Extremes all{{*fewest, *most, kind}, {*fewest, *most, kind}};
  if (!all_here()) all = comm().extremes(all.least);
  all_peers_ = all.least[0] == static_cast<std::uint64_t>(ranks_);
  any_peers_ = all.most[1] > 1;
  planned_ = here_;
  if (all_here() || all.least[2] != all.most[2] || ranks_ > most_ranks_planned) return;
  for (int r = 0; r < ranks_; ++r)
    if (r != here_.front().rank) planned_.push_back({r, here_.front().device});
}

bool Team::meet(bool failed) { return least({failed ? 0 : 1})[0] == 0; }

Meeting::Words Team::least(const Meeting::Words& mine) {
  if (all_here()) return mine;
  if (!meeting_) fail(Status::internal, "this rank left an earlier meeting of the ranks");
  meeting_->begin(mine);
  try {
    wait_until(watch(), [this] { return meeting_->done(); });
  } catch (...) {
    keep_for_mpi(std::move(meeting_));
    throw;
  }
  return meeting_->result();
}

std::int64_t Team::max(std::int64_t value) const { return all_here() ? value : comm().max(value); }

std::int64_t Team::min(std::int64_t value) const { return all_here() ? value : comm().min(value); }

void Team::agree(const std::function<void()>& work) const {
  if (all_here())
    work();
  else
    shardfft::agree(comm(), work);
}

std::int64_t Team::agreed_least(const std::function<std::int64_t()>& work) const {
  return all_here() ? work() : shardfft::agreed_least(comm(), work);
}

std::int64_t Team::least_of(const std::function<std::int64_t(const Member&)>& of) const {
  const auto least = [&] {
    std::int64_t all = std::numeric_limits<std::int64_t>::max();
    for (const Member& member : planned_) {
      const device::DeviceScope scope(member.device);
      all = std::min(all, of(member));
    }
    return all;
  };
  return static_cast<int>(planned_.size()) == ranks_ ? least() : agreed_least(least);
}

std::optional<bool> Team::switch_of(const std::string& name, const std::string& meaning) const {
  std::shared_ptr<void>& known = resource(name);
  if (!known) {
    std::optional<bool> on;
    const auto said = [&on] { return on ? std::int64_t{*on} : -1; };
    const std::int64_t least = agreed_least([&] {
      on = switch_in_environment(name, meaning);
      return said();
    });
    if (max(said()) != least) fail(Status::invalid_argument, name, " is not the same on all ranks");
    known = std::make_shared<std::optional<bool>>(on);
  }
  return *static_cast<const std::optional<bool>*>(known.get());
}

Team::Events Team::share_events(const Events& mine, const std::vector<int>& partners) {
  require(mine.size() == here_.size(), "events of ", mine.size(), " members, not of ", here_.size());
  if (all_here()) return mine;
  std::vector<device::IpcHandle> handles;
  const Failure failure = failure_of([&] {
    const device::DeviceScope scope(here_.front().device);
    for (const device::EventHandle event : mine.front())
      handles.push_back(event == nullptr ? device::IpcHandle{} : device::export_event(event));
  });
  std::vector<std::int64_t> counts;
  const std::vector<device::IpcHandle> all = gather_records(comm(), handles, counts, failure);
  Events events(static_cast<std::size_t>(ranks_));
  agree([&] {
    const device::DeviceScope scope(here_.front().device);
    std::size_t next = 0;
    for (int r = 0; r < ranks_; ++r) {
      const auto rank = static_cast<std::size_t>(r), count = static_cast<std::size_t>(counts[rank]);
      const bool wanted = r != comm().rank() && std::find(partners.begin(), partners.end(), r) != partners.end();
      for (std::size_t i = next; wanted && i < next + count; ++i) {
        device::Event event;
        if (all[i] != device::IpcHandle{}) event = device::Event(device::import_event(all[i]));
        events[rank].push_back(event.get());
        opened_.push_back(std::move(event));
      }
      next += count;
    }
  });
  events[static_cast<std::size_t>(comm().rank())] = mine.front();
  return events;
}

namespace {

/// The place of a rank's part: a number of bytes from the start of an allocation.
struct Address {
  Exported allocation;
  std::int64_t offset = -1;  ///< -1: an empty part
  bool failed = false;       ///< its owner could not tell
};

Address address_of(void* part) {
  if (part == nullptr) return {};
  const device::Allocation whole = device::allocation_of(part);
  if (!whole.sharing)
    fail(Status::unsupported,
         "an array cannot be opened by other processes: it is not part of a plain device allocation");
  return {{device::export_memory(whole.base), whole.id, process_word()},
          static_cast<std::byte*>(part) - static_cast<std::byte*>(whole.base)};
}

}  // namespace

void SharedAddresses::share(const Team& team, const std::vector<void*>& mine, const std::shared_ptr<ImportUser>& user) {
  require(mine.size() == team.here().size(), "parts of ", mine.size(), " members, not of ", team.here().size());
  all_.assign(static_cast<std::size_t>(team.ranks()), nullptr);
  for (std::size_t m = 0; m < mine.size(); ++m)
    all_[static_cast<std::size_t>(team.here()[m].rank)] = static_cast<std::byte*>(mine[m]);
  if (team.all_here()) return;
  Address own;
  const Failure failure = failure_of([&] {
    const device::DeviceScope scope(team.here().front().device);
    own = address_of(mine.front());
  });
  own.failed = failure.failed();
  const std::vector<Address> addresses = gather_bytes(team.comm(), own);
  throw_first(
      team.comm(), addresses, [](const Address& of) { return of.failed; }, failure);
  team.agree([&] {
    const device::DeviceScope scope(team.here().front().device);
    std::vector<std::shared_ptr<Import>> named;  // an import that is still named stays open
    for (int r = 0; r < team.ranks(); ++r) {
      const Address& at = addresses[static_cast<std::size_t>(r)];
      if (r == team.comm().rank() || at.offset < 0 || !team.reaches(0, r)) continue;
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
