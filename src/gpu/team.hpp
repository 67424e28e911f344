#pragma once
// The members of a GPU plan and how they find each other: GPUs of this process directly, GPUs of other processes of
// the same host through IPC. One member is one rank of the plan's layouts on one device.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/handles.hpp"
#include "exchange/run_context.hpp"
#include "gpu/imports.hpp"
#include "mpi/meeting.hpp"

namespace shardfft::gpu {

struct Member {
  int rank = 0;
  int device = 0;
};

/// Either one member a process of a communicator, or all members in this process. All functions are called by all
/// processes in the same order.
class Team {
 public:
  /// This process is rank comm.rank() on `device`. `watch`, which may be null, is looked at while ranks wait in the
  /// middle of a call. `fake_ranks_per_host`: the option.
  Team(const Communicator& comm, int device, Watch* watch = nullptr, int fake_ranks_per_host = 0);
  /// All ranks are here: rank r on devices[r]; a device may appear more than once.
  explicit Team(const std::vector<int>& devices, int fake_ranks_per_host = 0);

  int ranks() const { return ranks_; }
  const std::vector<Member>& here() const { return here_; }
  bool all_here() const { return static_cast<int>(here_.size()) == ranks_; }
  /// What is alike for all that moves the team's data; numbers in messages are exact until others are given.
  const RunContext& context() const { return context_; }
  void set_numbers(const ShortNumbers& numbers) { context_.numbers = numbers; }
  /// Valid only with one member a process.
  const Communicator& comm() const { return context_.comm; }
  /// Whether a member here and `rank` can use each other's device memory: on one host, where IPC works between
  /// processes, and peers of each other. True of a member and itself.
  bool reaches(int member, int rank) const {
    return reach_[static_cast<std::size_t>(member)][static_cast<std::size_t>(rank)] != 0;
  }
  /// Whether GPUs can use each other's memory: every pair of members, or at least one pair.
  bool all_peers() const { return all_peers_; }
  bool any_peers() const { return any_peers_; }
  /// A host barrier of the processes; nothing when all members are here. Returns whether any came having `failed`. In
  /// the middle of a call: throws what the watch throws.
  bool meet(bool failed = false);
  /// Such a meeting, which returns each number's least over the processes.
  Meeting::Words least(const Meeting::Words& mine);
  Watch* watch() const { return context_.watch; }
  /// The most and the least of any process.
  std::int64_t max(std::int64_t value) const;
  std::int64_t min(std::int64_t value) const;
  /// shardfft::agree() of the processes. `work` must not communicate.
  void agree(const std::function<void()>& work) const;
  /// The same of work that gives a number: the least of any process.
  std::int64_t agreed_least(const std::function<std::int64_t()>& work) const;
  /// Whether `holds` of every member of every process, each asked on its device. It must not communicate.
  bool all_of(const std::function<bool(const Member&)>& holds) const;
  /// What users say in the environment (switch_in_environment), the same on all processes.
  std::optional<bool> switch_of(const std::string& name, const std::string& meaning) const;
  /// What `make` makes of each member here, by its number, with its device current. What may fail on one rank only is
  /// agreed: it must not communicate.
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

  /// Events by member here -> for every rank, its events as this process can wait for them; of other processes only
  /// those of `partners`, and none from the others. Events must have been made with event_use(); null ones stay null.
  /// Opened handles live as long as the team.
  using Events = std::vector<std::vector<device::EventHandle>>;
  Events share_events(const Events& mine, const std::vector<int>& partners);
  device::EventUse event_use() const { return all_here() ? device::EventUse::order : device::EventUse::shared; }
  /// What an exchange makes once for all its operations of this team, such as a communicator of another library.
  std::shared_ptr<void>& resource(const std::string& name) const { return resources_[name]; }

 private:
  void note_peers();

  std::vector<Member> here_;
  int ranks_ = 0;
  std::unique_ptr<Groups> groups_;  ///< null where all members are here
  RunContext context_;
  std::shared_ptr<Meeting> meeting_;
  std::vector<std::vector<char>> reach_;  ///< by member here and rank
  bool all_peers_ = false, any_peers_ = false;
  std::vector<device::Event> opened_;
  mutable std::map<std::string, std::shared_ptr<void>> resources_;  ///< a cache
};

/// Where every rank's part of one buffer lies, as this process sees it. Allocations of other processes are opened once
/// and kept until the next share() no longer names them.
class SharedAddresses {
 public:
  /// `mine[m]`: inside an exportable device allocation of member m, or null for an empty part. Parts of other processes
  /// that are not reached are null. Without a user addresses stay as long as their owners live. With one they are of
  /// callers' arrays, which come and go: look at stale() before every use. Collective over the team; throws on all
  /// processes alike.
  void share(const Team& team, const std::vector<void*>& mine, const std::shared_ptr<ImportUser>& user = nullptr);
  const std::vector<std::byte*>& all() const { return all_; }
  /// Whether something had to be closed to make room (imports.hpp): share() again.
  bool stale() const;

 private:
  std::vector<std::byte*> all_;
  std::vector<std::shared_ptr<Import>> opened_;
};

}  // namespace shardfft::gpu
