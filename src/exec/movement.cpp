#include "exec/movement.hpp"

#include "base/available_memory.hpp"
#include "base/check.hpp"
#include "geometry/schedule.hpp"

namespace shardfft {

std::string refusal(const Communicator& comm, const HostMemory& host, std::size_t bytes, std::size_t room) {
  // Two work arrays and a copy of the input, in one window; besides, the callers' arrays for input and output.
  constexpr double in_window = 3, mapped = 5;
  const auto each = static_cast<double>(bytes);
  const int ranks = host.host().size();
  if (mapped * each * comm.size() <= static_cast<double>(room)) return {};
  return failure_of([&] {
           agree(comm, [&] {
             try {
               require_window_room(mapped * each, in_window * each, ranks);
             } catch (const Error& e) {
               fail(e.code(), "three arrays of ", in_mebibytes(each), " of each of the ", ranks,
                    " ranks of a host cannot lie in memory that they share: ", e.what());
             }
           });
         })
      .text;
}

bool has_messages(const Layout& from, const Layout& to) {
  for (int rank = 0; rank < from.ranks(); ++rank)
    if (exchange_group(from, to, rank).size() > 1) return true;
  return false;
}

bool stays_on_hosts(const Communicator& comm, const HostMemory& host, const Layout& from, const Layout& to) {
  if (host.host().size() == comm.size()) return true;
  const bool here = host.holds(exchange_group(from, to, comm.rank()));
  return comm.min(std::int64_t{here ? 1 : 0}) == 1;
}

bool reads_on_hosts(const Communicator& comm, const HostMemory& host, const Program& program) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Layout &from = program.states[i].layout, &to = program.states[i + 1].layout;
    if (std::holds_alternative<ReshapeStep>(program.steps[i]) && has_messages(from, to) &&
        stays_on_hosts(comm, host, from, to))
      return true;
  }
  return false;
}

std::string Movement::why_exact(const Communicator& comm) const {
  if (comm.size() == 1) return "one rank sends nothing";
  if (host && host->host().size() == comm.size()) return "the ranks of this host read each other's memory";
  return {};
}

namespace {

/// For ranks on several hosts: they read data that stays inside a host. If all data leaves hosts, machine and network
/// decide whether reading one part and sending the other beats one collective.
Movement across_hosts(const Communicator& comm, const Options& options, const Program& program, std::size_t bytes,
                      const std::shared_ptr<HostMemory>& host, const RankFacts& ranks) {
  const auto told = [&host](const std::string& why) {
    return host->apart().empty() || why == host->apart() ? why : why + "; " + host->apart();
  };
  const auto messages = [&told](const std::string& why, std::vector<std::string> others = {}) {
    return Movement{"alltoallv", nullptr, Choice{"exchange", "alltoallv", told(why)}, std::move(others)};
  };
  if (comm.max(std::int64_t{host->host().size()}) == 1)
    return messages(host->apart().empty() ? "each rank is on a host of its own" : host->apart());
  const std::string why_not = refusal(comm, *host, bytes, ranks.window_room);
  if (!why_not.empty()) return messages(why_not, {"hierarchical"});
  if (options.chunks > 1) return messages("option chunks cuts messages", {reading, "hierarchical"});
  if (!reads_on_hosts(comm, *host, program))
    return messages("no change of layout stays inside hosts", {reading, "hierarchical"});
  return {reading,
          host,
          Choice{"exchange", reading,
                 told("a change of layout stays inside hosts, whose ranks can read each other's memory")},
          {"alltoallv", "hierarchical"}};
}

}  // namespace

Movement choose_movement(const Communicator& comm, const Options& options, const Program& program, std::size_t bytes,
                         std::shared_ptr<HostMemory> host, const RankFacts& ranks) {
  const auto chosen = [](const char* exchange, const std::string& why, std::shared_ptr<HostMemory> read = nullptr) {
    return Movement{exchange, std::move(read), Choice{"exchange", exchange, why}, {}};
  };
  const bool open = options.exchange == "auto";
  if (open && options.workspace == Workspace::least)
    return chosen("p2p", "workspace = least moves an array in rounds of messages");
  if (!open && options.exchange != reading) return {options.exchange, nullptr, {}, {}};
  if (!host) host = std::make_shared<HostMemory>(comm, options.fake_ranks_per_host);
  if (!open) {
    if (!host->apart().empty())
      fail(Status::unsupported, "exchange ", reading, ": ", host->apart(), "; exchange auto sends messages then");
    return {reading, std::move(host), {}, {}};
  }
  if (host->host().size() != comm.size()) return across_hosts(comm, options, program, bytes, host, ranks);
  const std::string why = refusal(comm, *host, bytes, ranks.window_room);
  if (!why.empty()) return chosen("alltoallv", why);
  return chosen(reading, "all ranks are on this host and can read each other's memory", std::move(host));
}

}  // namespace shardfft
