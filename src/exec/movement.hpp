#pragma once
// The way in which data moves between ranks on CPUs: in messages, or by reading each other's memory. Only this file
// decides it.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "mpi/host_window.hpp"
#include "run/setup.hpp"
#include "shardfft/options.hpp"
#include "shardfft/report.hpp"

namespace shardfft {

/// The name of the exchange without messages.
inline constexpr const char* reading = "shared_window";

struct Movement {
  std::string exchange;              ///< a name, never "auto"
  std::shared_ptr<HostMemory> host;  ///< the memory to read; null if all data moves in messages
  std::optional<Choice> choice;      ///< if `exchange` was "auto"
  /// Exchanges that may be faster, but only by measurement; the most promising first.
  std::vector<std::string> others;

  /// The reason to send no messages with short numbers; empty if they may be sent. The same on all ranks.
  std::string why_exact(const Communicator& comm) const;
};

/// The reason why the ranks of each host cannot read each other's memory, if each has arrays of at most `bytes`: the
/// limit, with its value, of the first rank that meets one. Empty if they can. The same on all ranks. `room` is
/// RankFacts::window_room. Collective, unless `room` is enough.
std::string refusal(const Communicator& comm, const HostMemory& host, std::size_t bytes, std::size_t room = 0);

/// Whether any rank sends data to another.
bool has_messages(const Layout& from, const Layout& to);
/// Whether a change of layout stays on one host, for all ranks. Collective.
bool stays_on_hosts(const Communicator& comm, const HostMemory& host, const Layout& from, const Layout& to);
/// Whether any change of layout of the program moves data between ranks and stays on one host. Collective.
bool reads_on_hosts(const Communicator& comm, const HostMemory& host, const Program& program);

/// Follows the option `exchange`, for programs like `program` with arrays of at most `bytes`. "auto" reads if that is
/// possible for all data of a change of layout. Throws Error(unsupported) on all ranks if shared_window was named and
/// ranks of one host do not find each other's memory. `host` is null if it is not known yet. Collective.
Movement choose_movement(const Communicator& comm, const Options& options, const Program& program, std::size_t bytes,
                         std::shared_ptr<HostMemory> host, const RankFacts& ranks = {});

}  // namespace shardfft
