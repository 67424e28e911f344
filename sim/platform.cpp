// The machine that SimGrid simulates. In a node of ranks, each rank is a host with links of its own; the network
// between nodes is a switch, a fat tree, a torus or a dragonfly. The variable SHARDFFT_SIM_PLATFORM selects it
// (sim/README.md).
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <sstream>

#include "words.hpp"

namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;
using Policy = s4u::Link::SharingPolicy;
using Numbers = std::vector<unsigned long>;

shardfft::sim::Words told() {
  shardfft::sim::Words words;
  const char* const all = std::getenv("SHARDFFT_SIM_PLATFORM");
  std::istringstream in(all == nullptr ? "" : all);
  for (std::string word; in >> word;) words.add(word);
  return words;
}

/// Makes the ranks of node `id` (hosts "n<id>r<number>") and the router to the network.
std::pair<NetPoint*, NetPoint*> make_node(s4u::NetZone* network, unsigned long id) {
  static const shardfft::sim::Words words = told();
  static const int ranks = static_cast<int>(words.number("ranks_per_node", 1));
  static const double bandwidth = words.number("near_bandwidth", 1e9), latency = words.number("near_latency", 1e-6);
  s4u::NetZone* const node = s4u::create_star_zone("node" + std::to_string(id));
  node->set_parent(network);
  NetPoint* const router = node->create_router("router" + std::to_string(id));
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string name = "n" + std::to_string(id) + "r" + std::to_string(rank);
    s4u::Host* const host = node->create_host(name, 1e9);
    host->seal();
    auto* const link = node->create_split_duplex_link("near-" + name, bandwidth);
    link->set_latency(latency / 2);  // each message inside the node passes two
    link->seal();
    node->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, s4u::LinkInRoute::Direction::UP}}, true);
    s4u::Link* const itself = node->create_link("self-" + name, bandwidth);
    itself->set_sharing_policy(Policy::FATPIPE);
    itself->seal();
    node->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr, {s4u::LinkInRoute(itself)});
  }
  node->add_route(router, nullptr, nullptr, nullptr, std::vector<s4u::LinkInRoute>{}, true);
  node->seal();
  return {node->get_netpoint(), router};
}

std::pair<NetPoint*, NetPoint*> make_leaf(s4u::NetZone* network, const Numbers&, unsigned long id) {
  return make_node(network, id);
}

/// Nodes at one switch, which is never the bottleneck.
s4u::NetZone* make_switch(unsigned long nodes, double bandwidth, double latency) {
  s4u::NetZone* const zone = s4u::create_star_zone("machine");
  for (unsigned long id = 0; id < nodes; ++id) {
    const auto [node, router] = make_node(zone, id);
    auto* const link = zone->create_split_duplex_link("nic" + std::to_string(id), bandwidth);
    link->set_latency(latency / 2);
    link->seal();
    zone->add_route(node, nullptr, router, nullptr, {{link, s4u::LinkInRoute::Direction::UP}}, true);
  }
  return zone;
}

}  // namespace

/// SimGrid calls this function by its name.
extern "C" void load_platform(const s4u::Engine&);
void load_platform(const s4u::Engine&) {
  const shardfft::sim::Words words = told();
  const std::string topology = words.text("topology", "switch");
  const double bandwidth = words.number("link_bandwidth", 1e9), latency = words.number("link_latency", 1e-6);
  const std::vector<long> shape = words.list("shape");
  const auto at = [&shape](std::size_t i) { return static_cast<unsigned>(shape.at(i)); };
  const s4u::ClusterCallbacks leaf(make_leaf);
  s4u::NetZone* zone = nullptr;
  if (topology == "torus") {
    zone = s4u::create_torus_zone("machine", nullptr, Numbers(shape.begin(), shape.end()), leaf, bandwidth, latency,
                                  Policy::SPLITDUPLEX);
  } else if (topology == "fat_tree") {  // nodes a leaf switch, leaf switches, spine switches
    zone = s4u::create_fatTree_zone("machine", nullptr, {2, {at(0), at(1)}, {1, at(2)}, {1, 1}}, leaf, bandwidth,
                                    latency, Policy::SPLITDUPLEX);
  } else if (topology == "dragonfly") {  // groups, chassis, routers, each with links among them; nodes a router
    zone = s4u::create_dragonfly_zone("machine", nullptr, {{at(0), at(1)}, {at(2), at(3)}, {at(4), at(5)}, at(6)}, leaf,
                                      bandwidth, latency, Policy::SPLITDUPLEX);
  } else {
    zone = make_switch(at(0), bandwidth, latency);
  }
  zone->seal();
}
