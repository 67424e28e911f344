#pragma once
// The members of a GPU plan, and how they reach each other: GPUs of this process directly, GPUs of other processes on
// the same host as device::Sharing says. A member is one rank of the plan's layouts on one device.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/handles.hpp"
#include "exchange/operation_context.hpp"
#include "gpu/imports.hpp"
#include "mpi/meeting.hpp"

namespace shardfft::gpu {

struct Member {
  int rank = 0;
  int device = 0;
  device::Sharing sharing{};  ///< of memory and events that other processes open
};

/// Either each process of a communicator has one member, or this process has all members. All processes call all
/// functions in the same order.
class Team {
 public:
  /// This process is rank comm.rank() on `device`. Ranks that wait during a call check `watch`, which may be null.
  /// `fake_ranks_per_host`: the option.
  Team(const Communicator& comm, int device, Watch* watch = nullptr, int fake_ranks_per_host = 0);
  /// All ranks are in this process: rank r on devices[r]. A device may appear more than once.
  explicit Team(const std::vector<int>& devices, int fake_ranks_per_host = 0);

  int ranks() const { return ranks_; }
  const std::vector<Member>& here() const { return here_; }
  bool all_here() const { return static_cast<int>(here_.size()) == ranks_; }
  /// Settings shared by all operations that move the team's data. Messages carry exact numbers until set_numbers().
  const OperationContext& context() const { return context_; }
  void set_numbers(const ShortNumbers& numbers) { context_.numbers = numbers; }
  /// Valid only if each process has one member.
  const Communicator& comm() const { return context_.comm; }
  /// Whether a member here and `rank` can use each other's device memory: peers on one host, with memory that works
  /// between them if they are in different processes. True for a member and itself.
  bool reaches(int member, int rank) const {
    return reach_[static_cast<std::size_t>(member)][static_cast<std::size_t>(rank)] != 0;
  }
  /// Whether GPUs can use each other's memory: every pair of members, or at least one pair.
  bool all_peers() const { return all_peers_; }
  bool any_peers() const { return any_peers_; }
  /// A host barrier of the processes; returns at once if all members are here. Returns whether any process passed
  /// `failed`. If the watch reports a failure during a call, its error is thrown.
  bool meet(bool failed = false);
  /// The same meeting; returns the least of each number over the processes.
  Meeting::Words least(const Meeting::Words& mine);
  Watch* watch() const { return context_.watch; }
  /// The largest and the least value over the processes.
  std::int64_t max(std::int64_t value) const;
  std::int64_t min(std::int64_t value) const;
  /// shardfft::agree() over the processes. `work` must not communicate.
  void agree(const std::function<void()>& work) const;
  /// The same for work that returns a number: returns the least over the processes.
  std::int64_t agreed_least(const std::function<std::int64_t()>& work) const;
  /// The least number of any member of any process. `of` depends on the member's rank and the kind of its device alone,
  /// which is current, and does not communicate. Then a process works it out for all ranks, if their devices are of one
  /// kind and the ranks are few; else each does so for its own ones, and they meet.
  std::int64_t least_of(const std::function<std::int64_t(const Member&)>& of) const;
  /// Whether such a fact holds for all members.
  bool all_of(const std::function<bool(const Member&)>& holds) const {
    return least_of([&holds](const Member& member) { return std::int64_t{holds(member)}; }) == 1;
  }
  /// A switch of the user's environment (switch_in_environment), the same on all processes.
  std::optional<bool> switch_of(const std::string& name, const std::string& meaning) const;
  /// Calls `make` with the number of each member here, with its device current, and returns the results. A failure on
  /// one rank is agreed, so that all ranks throw: `make` must not communicate.
  template <class Make>
  auto for_members(const Make& make) const {
    std::vector<decltype(make(std::size_t{}))> all;
    agree([&] {
      for (std::size_t m = 0; m < here_.size(); ++m) {
        const device::DeviceScope scope(here_[m].device);
        all.push_back(make(m));
      }
    });
    return all;
  }

  /// From the events of the members here to those of every rank, in a form that this process can wait for. Only
  /// `partners` of other processes give events; all others have none. Events must be made with event_use(). Null events
  /// stay null. Imported handles live as long as the team.
  using Events = std::vector<std::vector<device::EventHandle>>;
  Events share_events(const Events& mine, const std::vector<int>& partners);
  device::EventUse event_use() const { return all_here() ? device::EventUse::order : device::event_use_for(sharing()); }
  /// How processes open each other's memory and events: by ipc, unless descriptors reach more GPUs of this host, or the
  /// user decides (SHARDFFT_DESCRIPTORS).
  device::Sharing sharing() const { return here_.front().sharing; }
  /// An object that all operations of an exchange share on this team, such as a communicator of another library.
  std::shared_ptr<void>& resource(const std::string& name) const { return resources_[name]; }

 private:
  void note_peers(std::uint64_t kind);
  /// Which ranks of this host reach this one, and it them. Decides sharing(). Collective.
  std::vector<char> try_sharing(const Communicator& host);

  std::vector<Member> here_;
  std::vector<Member> planned_;  ///< for which this process answers: all ranks, as if on its own device, or `here_`
  int ranks_ = 0;
  std::unique_ptr<Groups> groups_;  ///< null if all members are here
  OperationContext context_;
  std::shared_ptr<Meeting> meeting_;
  std::vector<std::vector<char>> reach_;  ///< by member here and rank
  bool all_peers_ = false, any_peers_ = false;
  std::vector<device::Event> opened_;
  mutable std::map<std::string, std::shared_ptr<void>> resources_;  ///< a cache
};

/// The addresses of every rank's part of one buffer, as this process sees them. An allocation of another process is
/// opened once, and kept until a later share() no longer names it.
class SharedAddresses {
 public:
  /// `mine[m]` points into an exportable device allocation of member m, or is null for an empty part. Parts of other
  /// processes that are out of reach are null. Without `user`, the addresses are valid as long as their owners' memory.
  /// With it, they belong to callers' arrays, which may be freed: check stale() before every use. Collective over the
  /// team; throws on all processes alike.
  void share(const Team& team, const std::vector<void*>& mine, const std::shared_ptr<ImportUser>& user = nullptr);
  const std::vector<std::byte*>& all() const { return all_; }
  /// Whether an import was closed to make room (imports.hpp): then call share() again.
  bool stale() const;

 private:
  std::vector<std::byte*> all_;
  std::vector<std::shared_ptr<Import>> opened_;
};

}  // namespace shardfft::gpu
