#include "exec/movement.hpp"

#include "base/available_memory.hpp"
#include "base/check.hpp"
#include "geometry/schedule.hpp"

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
  const bool room = available_memory() / 3 / static_cast<std::size_t>(host.size()) > bytes;
  if (comm.min(std::int64_t{room ? 1 : 0}) == 0) return "this host has no room for three arrays of every rank";
  if (comm.min(std::int64_t{can_share(host) ? 1 : 0}) == 0) return "the ranks of this host cannot share memory";
  return {};
}

bool on_one_host(const Communicator& comm, const Options& options) {
  return comm.split_host(options.fake_ranks_per_host).size() == comm.size();
}

bool has_messages(const Communicator& comm, const Layout& from, const Layout& to) {
  return comm.max(static_cast<std::int64_t>(exchange_group(from, to, comm.rank()).size())) > 1;
}

bool stays_on_hosts(const Communicator& comm, const HostMemory& host, const Layout& from, const Layout& to) {
  const bool here = host.holds(exchange_group(from, to, comm.rank()));
  return comm.min(std::int64_t{here ? 1 : 0}) == 1;
}

bool reads_on_hosts(const Communicator& comm, const HostMemory& host, const Program& program) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Layout &from = program.states[i].layout, &to = program.states[i + 1].layout;
    if (std::holds_alternative<ReshapeStep>(program.steps[i]) && has_messages(comm, from, to) &&
        stays_on_hosts(comm, host, from, to))
      return true;
  }
  return false;
}

std::string Movement::why_exact(const Communicator& comm, const Options& options) const {
  if (comm.size() == 1) return "one rank sends nothing";
  if (host && host->host().size() == comm.size()) return "the ranks of this host read each other's memory";
  if (options.workspace == Workspace::least) return "workspace = least moves what the array holds";
  return {};
}

namespace {

/// Where ranks are on several hosts: what stays inside a host is read there. Where nothing does, it depends on machine
/// and network whether reading one part and sending the other beats one collective.
Movement across_hosts(const Communicator& comm, const Options& options, const Program& program, std::size_t bytes) {
  const auto messages = [](const std::string& why, std::vector<std::string> others = {}) {
    return Movement{"alltoallv", nullptr, Choice{"exchange", "alltoallv", why}, std::move(others)};
  };
  const auto host = std::make_shared<HostMemory>(comm, options.fake_ranks_per_host);
  if (comm.max(std::int64_t{host->host().size()}) == 1) return messages("each rank is on a host of its own");
  const std::string why_not = refusal(comm, bytes);
  if (!why_not.empty()) return messages(why_not, {"hierarchical"});
  if (options.chunks > 1) return messages("chunks are of messages", {reading, "hierarchical"});
  if (!reads_on_hosts(comm, *host, program))
    return messages("no change of layout stays inside hosts", {reading, "hierarchical"});
  return {
      reading,
      host,
      Choice{"exchange", reading, "a change of layout stays inside hosts, whose ranks can read each other's memory"},
      {"alltoallv", "hierarchical"}};
}

}  // namespace

Movement choose_movement(const Communicator& comm, const Options& options, const Program& program, std::size_t bytes) {
  Movement movement{options.exchange, nullptr, {}, {}};
  if (options.exchange == "auto" && options.workspace == Workspace::least) {
    movement.choice = Choice{"exchange", "p2p", "workspace = least moves an array in rounds of messages"};
  } else if (options.exchange == "auto") {
    if (!on_one_host(comm, options)) return across_hosts(comm, options, program, bytes);
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
