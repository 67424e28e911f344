#pragma once
// How data moves between ranks on CPUs: in messages, or by reading of each other's memory. The one place that decides
// it.
#include <memory>
#include <optional>
#include <string>

#include "mpi/host_window.hpp"
#include "shardfft/options.hpp"
#include "shardfft/report.hpp"

namespace shardfft {

/// The name of the exchange that is no messages.
inline constexpr const char* reading = "shared_window";

struct Movement {
  std::string exchange;              ///< a name, never "auto"
  std::shared_ptr<HostMemory> host;  ///< what is read; null where all data moves in messages
  std::optional<Choice> choice;      ///< where `exchange` was "auto"

  /// Why no messages with short numbers are sent; empty where they may be. The same on all ranks.
  std::string why_exact(const Communicator& comm, const Options& options) const;
};

/// Why not all ranks can read each other's memory, where each has arrays of `bytes` at most; empty where they can.
/// The same on all ranks. Collective.
std::string refusal(const Communicator& comm, std::size_t bytes);

/// What the option `exchange` says; "auto" reads wherever that is possible. Collective.
Movement choose_movement(const Communicator& comm, const Options& options, std::size_t bytes);

}  // namespace shardfft
