// Strategies by name.
#include <algorithm>
#include <map>

#include "exchange/shortened.hpp"
#include "exchange/strategies.hpp"
#include "mpi/datatype.hpp"
#include "shardfft/options.hpp"

namespace shardfft {

namespace {

/// Not a strategy for messages: the ranks of a host read each other's arrays, if src/exec/movement decides so.
[[noreturn]] std::unique_ptr<Exchange> make_shared_window(const ExchangeSetup& /*setup*/) {
  fail(Status::unsupported, "the exchange shared_window sends no messages: ranks of one host read each other's memory");
}

const std::map<std::string, ExchangeFactory>& registry() {
  static const std::map<std::string, ExchangeFactory> strategies = {
      {"alltoall", make_alltoall},
      {"alltoallv", make_alltoallv},
      {"alltoallw", make_alltoallw},
      {"hierarchical", make_hierarchical},
      {"p2p", make_p2p},
      {"p2p_alltoall", make_p2p_alltoall},
      {"p2p_pipelined", make_p2p_pipelined},
      {"pairwise_xor", make_pairwise_xor},
      {"ring", make_ring},
      {"shared_window", make_shared_window},
  };
  return strategies;
}

const ExchangeFactory& factory_of(const std::string& name) {
  const auto found = registry().find(name);
  if (found == registry().end()) {
    std::string known;
    for (const std::string& n : exchange_names()) known += " " + n;
    fail(Status::invalid_argument, "unknown exchange \"", name, "\"; known:", known);
  }
  return found->second;
}

void check_messages(const std::vector<Message>& messages, const ExchangeSetup& setup) {
  int last = -1;
  for (const Message& m : messages) {
    if (m.peer <= last || m.peer >= setup.comm.size() || m.peer == setup.comm.rank())
      fail(Status::internal, "a schedule names peer ", m.peer, " after ", last, " of ", setup.comm.size());
    last = m.peer;
    std::int64_t elements = 0;
    for (const Box& box : m.boxes) elements += box.elements();
    if (elements != m.count) fail(Status::internal, "a message of ", m.count, " elements has boxes of ", elements);
  }
}

}  // namespace

std::vector<std::string> exchange_names() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : registry()) names.push_back(name);
  return names;
}

void require_derived_types(const ExchangeSetup& setup) {
  if (setup.basic_types)
    fail(Status::unsupported, "a block of more than ", mpi_count_limit(),
         " elements cannot be sent by this exchange with ", "datatypes = basic: p2p can");
}

bool meets_while_made(const std::string& name) { return name == "hierarchical" || name == "p2p_alltoall"; }

std::unique_ptr<Exchange> make_exchange(const std::string& name, const ExchangeSetup& setup) {
  require(setup.comm.valid(), "an exchange needs a communicator");
  Alone members(setup.comm);
  members.run([&] {
    factory_of(name);
    check_messages(setup.schedule.send, setup);
    check_messages(setup.schedule.recv, setup);
  });
  const bool agrees = setup.alone == nullptr || meets_while_made(name);
  if (agrees) members.settle();
  std::unique_ptr<Exchange> made;
  members.run([&] {
    const ExchangeFactory& make = factory_of(name);
    made = setup.numbers.active() ? make_shortened(make, setup) : make(setup);
  });
  if (agrees) members.settle();
  throw_failure(members.failure());
  return made;
}

}  // namespace shardfft
