// Exchanges between GPUs by name.
#include "gpu/move/exchange.hpp"

#include <functional>

#include "base/check.hpp"
#include "gpu/move/strategies.hpp"

namespace shardfft::gpu {

namespace {

struct Strategy {
  std::string name;
  std::function<MemberOperations(const DeviceReshapeSetup&)> make{};
  /// Why a team cannot use it; empty if it can. Collective.
  std::function<std::string(const Team&)> refusal;
  bool any_way = false;
  /// Makes messages that are slices; null if the exchange moves everything at once.
  std::function<std::vector<MemberOperations>(const DeviceReshapeSetup&, const std::vector<Pieces::Message>&)> slices{};
};

std::string need_peers(const Team& team) {
  return team.all_peers() ? "" : "not all GPUs of the plan can use each other's memory";
}

std::string need_processes(const Team& team) {
  return team.comm().valid() ? "" : "its GPUs belong to one process, which sends itself no messages";
}

/// Tried once a team, because every reshape asks.
std::string need_device_mpi(const Team& team) {
  const std::string refusal = need_processes(team);
  if (!refusal.empty()) return refusal;
  std::shared_ptr<void>& known = team.resource("mpi_device");
  if (!known) known = std::make_shared<bool>(mpi_takes_device_memory(team.comm(), team.here().front().device));
  return *static_cast<const bool*>(known.get()) ? "" : "this MPI library does not take pointers to device memory";
}

MemberOperations make_host_staged(const DeviceReshapeSetup& setup) {
  return setup.team->comm().valid() ? make_host_staged_exchange(setup) : make_host_staged_here_exchange(setup);
}

const Strategy& far_strategy(const Team& team);

Strategy by_peers(const std::string& name, PeerWay way) {
  return {name, [way](const auto& setup) { return std::move(make_peer_exchange(setup, {{}}, way).front()); },
          need_peers, way == PeerWay::chosen,
          [way](const auto& setup, const auto& messages) { return make_peer_exchange(setup, messages, way); }};
}

/// An exchange of CPUs between messages that are packed on GPUs. Exchanges that send packed messages like another one
/// do (alltoallw, p2p_pipelined) are not offered.
Strategy by_cpus(const std::string& exchange, bool through_host) {
  const MpiWay way{(through_host ? "host_staged_" : "mpi_device_") + exchange, exchange, through_host};
  return {way.name, [way](const auto& setup) { return make_mpi_exchange(setup, way); },
          through_host ? need_processes : need_device_mpi};
}

std::vector<Strategy> make_registry() {
  std::vector<Strategy> strategies = {
      by_peers("cuda_peer", PeerWay::chosen),
      by_peers("cuda_peer_copy", PeerWay::copies),
      by_peers("cuda_peer_store", PeerWay::stores),
      {"host_staged", make_host_staged, [](const Team&) { return std::string(); }},
      {"mixed", [](const auto& setup) { return make_mixed_exchange(setup, far_strategy(*setup.team).make); },
       [](const Team&) { return std::string(); }},
      {"mpi_device",
       [](const auto& setup) {
         return make_mpi_exchange(setup, {"mpi_device", "p2p"});
       },
       need_device_mpi},
#ifdef SHARDFFT_HAVE_NCCL
      {"nccl", make_nccl_exchange, nccl_refusal},
      {"nccl_alltoall", make_nccl_alltoall_exchange, nccl_alltoall_refusal},
#endif
  };
  // Exchanges that copy blocks themselves need them in host memory.
  for (const char* exchange : {"alltoallv", "p2p_alltoall", "ring"}) strategies.push_back(by_cpus(exchange, false));
  for (const char* exchange : {"alltoall", "alltoallv", "hierarchical", "p2p_alltoall", "pairwise_xor", "ring"})
    strategies.push_back(by_cpus(exchange, true));
  return strategies;
}

const std::vector<Strategy>& registry() {
  static const std::vector<Strategy> strategies = make_registry();
  return strategies;
}

const Strategy* find(const std::string& name) {
  for (const Strategy& s : registry())
    if (s.name == name) return &s;
  return nullptr;
}

const Strategy& known(const std::string& name) {
  if (const Strategy* found = find(name)) return *found;
  std::string names;
  for (const Strategy& s : registry()) names += " " + s.name;
  fail(Status::invalid_argument, "unknown exchange \"", name, "\" for GPUs; known:", names);
}

/// The exchange by which mixed sends to members out of reach: if possible one for which the host does not wait.
const Strategy& far_strategy(const Team& team) {
  for (const char* name : {"nccl", "mpi_device"}) {
    const Strategy* const strategy = find(name);
    if (strategy != nullptr && strategy->refusal(team).empty()) return *strategy;
  }
  return known("host_staged");
}

}  // namespace

std::vector<std::string> device_exchange_names() {
  std::vector<std::string> names;
  for (const Strategy& s : registry()) names.push_back(s.name);
  return names;
}

bool cuts_in_slices(const std::string& name) { return known(name).slices != nullptr; }
bool leaves_way_open(const std::string& name) { return known(name).any_way; }

Choice choose_device_exchange(const Team& team) {
  if (team.ranks() == 1) return {"exchange", "cuda_peer", "one GPU exchanges nothing"};
  const char* const how = team.sharing() == device::Sharing::descriptors ? ", through file descriptors" : "";
  if (team.all_peers())
    return {"exchange", "cuda_peer", std::string("all GPUs of the plan can use each other's memory") + how};
  std::string others = "not cuda_peer: " + need_peers(team);
  if (team.any_peers()) return {"exchange", "mixed", others + ", but some can"};
  for (const char* name : {"mpi_device", "nccl"}) {
    const Strategy* strategy = find(name);
    if (strategy == nullptr) continue;
    const std::string refusal = strategy->refusal(team);
    if (refusal.empty()) return {"exchange", name, others};
    others += "; not " + std::string(name) + ": " + refusal;
  }
  return {"exchange", "host_staged", others};
}

/// If all GPUs are peers, there are no others: peers pack nothing, and all others would need more memory.
std::vector<std::string> other_device_exchanges(const Team& team, const std::string& chosen) {
  std::vector<std::string> others;
  for (const char* const name : {"nccl", "nccl_alltoall", "mpi_device", "host_staged"}) {
    const Strategy* const strategy = find(name);
    if (strategy == nullptr || name == chosen || team.all_peers()) continue;
    if (strategy->refusal(team).empty()) others.push_back(name);
  }
  return others;
}

std::string why_exact(const std::string& exchange, const Team& team) {
  if (team.ranks() == 1) return "one GPU sends nothing";
  return exchange.starts_with("cuda_peer") ? "GPUs write into each other's memory" : "";
}

MemberOperations make_device_reshape(const std::string& name, const DeviceReshapeSetup& setup) {
  return std::move(make_device_messages(name, setup, {{}}).front());
}

std::vector<MemberOperations> make_device_messages(const std::string& name, const DeviceReshapeSetup& setup,
                                                   const std::vector<Pieces::Message>& messages) {
  require(setup.team != nullptr, "a reshape of GPUs needs a team");
  const Team& team = *setup.team;
  team.agree([&] {
    known(name);
    require(setup.from.ranks() == team.ranks() && setup.to.ranks() == team.ranks(), "layouts of ", setup.from.ranks(),
            " and ", setup.to.ranks(), " ranks for a team of ", team.ranks());
  });
  const std::string refusal = known(name).refusal(team);
  if (!refusal.empty()) fail(Status::unsupported, "exchange ", name, ": ", refusal);
  if (known(name).slices) return known(name).slices(setup, messages);
  require(messages.size() == 1, "exchange ", name, " does not send slices");
  std::vector<MemberOperations> one;
  one.push_back(known(name).make(setup));
  return one;
}

}  // namespace shardfft::gpu
