#pragma once
// How data moves between ranks on CPUs: in messages, or by reading of each other's memory. The one place that decides
// it.
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

/// The name of the exchange that is no messages.
inline constexpr const char* reading = "shared_window";

struct Movement {
  std::string exchange;              ///< a name, never "auto"
  std::shared_ptr<HostMemory> host;  ///< what is read; null where all data moves in messages
  std::optional<Choice> choice;      ///< where `exchange` was "auto"
  /// Exchanges that only a measurement could tell to be faster, the most promising first.
  std::vector<std::string> others;

  /// Why no messages with short numbers are sent; empty where they may be. The same on all ranks.
  std::string why_exact(const Communicator& comm) const;
};

/// Why the ranks of each host have no room to read each other's memory, where each has arrays of `bytes` at most: the
/// limit, with its value, of the first rank that meets one. Empty where they have. The same on all ranks. `room`:
/// RankFacts::window_room. Collective, unless that is enough.
std::string refusal(const Communicator& comm, const HostMemory& host, std::size_t bytes, std::size_t room = 0);

/// Whether any rank sends something to another. Collective.
bool has_messages(const Communicator& comm, const Layout& from, const Layout& to);
/// Whether a change of layout stays on one host, for all ranks. Collective.
bool stays_on_hosts(const Communicator& comm, const HostMemory& host, const Layout& from, const Layout& to);
/// Whether any change of layout of the program does so that moves something between ranks. Collective.
bool reads_on_hosts(const Communicator& comm, const HostMemory& host, const Program& program);

/// What the option `exchange` says, for programs like this one with arrays of `bytes` at most. "auto" reads where that
/// is possible for all that a change of layout moves. Throws Error(unsupported) on all ranks where shared_window was
/// named and ranks of one host do not find each other's memory. `host`: null where nobody has asked yet. Collective.
Movement choose_movement(const Communicator& comm, const Options& options, const Program& program, std::size_t bytes,
                         std::shared_ptr<HostMemory> host, const RankFacts& ranks = {});

}  // namespace shardfft
