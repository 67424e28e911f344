#pragma once
// How data moves: one small class a strategy, found by name. An exchange knows messages, not axes or FFTs.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exchange/run_context.hpp"
#include "geometry/schedule.hpp"

namespace shardfft {

/// What a strategy is given once, while planning. Peers in `schedule` are ranks of `comm`, the members.
struct ExchangeSetup : RunContext {
  Schedule schedule{};
  std::size_t element_bytes = 16;
};

/// The arrays of one run. `workspace` holds at least workspace_bytes() bytes. Source and destination are distinct.
struct ExchangeBuffers {
  const std::byte* source = nullptr;
  std::byte* destination = nullptr;
  std::byte* workspace = nullptr;
};

/// A strategy. It moves schedule.send from `source` to the peers and schedule.recv into `destination`; schedule.self
/// is not its business (the reshape copies it between start and finish). Collective over the members, who start and
/// finish the exchanges they share in the same order. The same buffers are given to all calls of one run.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual std::size_t workspace_bytes() const = 0;
  /// Begins; the source may be read, and the destination written, until finish returns.
  virtual void start(const ExchangeBuffers& buffers) = 0;
  /// Moves on as far as is possible without waiting. Optional, not collective: callers with work to do between start
  /// and finish call it now and then, because most MPI libraries move data only inside their calls.
  virtual void progress(const ExchangeBuffers& buffers) { static_cast<void>(buffers); }
  virtual void finish(const ExchangeBuffers& buffers) = 0;
  /// What rounding this rank's messages to fewer bytes cost since the exchange was made.
  virtual Loss loss() const { return {}; }
};

/// For strategies that cannot do without derived datatypes where a block has more elements than MPI counts: throws
/// Error(unsupported) where those were not allowed.
void require_derived_types(const ExchangeSetup& setup);

using ExchangeFactory = std::function<std::unique_ptr<Exchange>(const ExchangeSetup&)>;

/// Whether members of the strategy called `name` talk to each other while they make it.
bool meets_while_made(const std::string& name);
/// Makes the strategy called `name`; throws Error(invalid_argument) that lists the known names. Collective over comm: a
/// failure of one member is thrown on all, unless setup.alone tells it and they do not meet.
std::unique_ptr<Exchange> make_exchange(const std::string& name, const ExchangeSetup& setup);

}  // namespace shardfft
