#include "exec/movement.hpp"

#include "base/available_memory.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

/// Containers and kernels may forbid it.
bool can_share(const Communicator& host) {
  try {
    HostWindow(host, 1);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string refusal(const Communicator& comm, std::size_t bytes) {
  const Communicator host = comm.split_host();
  const bool room = available_memory() / 3 / static_cast<std::size_t>(comm.size()) > bytes;
  // On one host all ranks agree on each of these.
  if (host.size() != comm.size()) return "the ranks are on several hosts";
  if (comm.min(std::int64_t{room ? 1 : 0}) == 0) return "this host has no room for three arrays of every rank";
  if (!can_share(host)) return "the ranks of this host cannot share memory";
  return {};
}

std::string Movement::why_exact(const Communicator& comm, const Options& options) const {
  if (comm.size() == 1) return "one rank sends nothing";
  if (host && host->host().size() == comm.size()) return "the ranks of this host read each other's memory";
  if (options.workspace == Workspace::least) return "workspace = least moves what the array holds";
  return {};
}

Movement choose_movement(const Communicator& comm, const Options& options, std::size_t bytes) {
  Movement movement{options.exchange, nullptr, {}};
  if (options.exchange == "auto" && options.workspace == Workspace::least) {
    movement.choice = Choice{"exchange", "p2p", "workspace = least moves an array in rounds of messages"};
  } else if (options.exchange == "auto") {
    const std::string why = refusal(comm, bytes);
    movement.choice = why.empty()
                          ? Choice{"exchange", reading, "all ranks are on this host and can read each other's memory"}
                          : Choice{"exchange", "alltoallv", why};
  }
  if (movement.choice) movement.exchange = movement.choice->chosen;
  if (movement.exchange == reading) movement.host = std::make_shared<HostMemory>(comm, options.fake_ranks_per_host);
  return movement;
}

}  // namespace shardfft
