#pragma once
// How data moves: one small class a strategy, found by name. An exchange knows messages, not axes or FFTs.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/trace.hpp"
#include "geometry/schedule.hpp"
#include "mpi/groups.hpp"
#include "mpi/watch.hpp"
#include "pack/short_numbers.hpp"

namespace shardfft {

/// What a strategy is given once, while planning.
struct ExchangeSetup {
  Communicator comm;         ///< the members of this exchange; peers in `schedule` are its ranks
  Groups* groups = nullptr;  ///< where exchanges of one plan share communicators; used while planning only
  Schedule schedule;
  std::size_t element_bytes = 16;
  ShortNumbers numbers{};  ///< where they are active, elements are one or two such numbers
  int threads = 1;
  int fake_ranks_per_host = 0;
  bool basic_types = false;  ///< MPI is given runs of plain numbers only
  Trace* trace = nullptr;
  Watch* watch = nullptr;  ///< what is looked at by who waits for messages; null: nothing
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

/// Makes the strategy called `name`; throws Error(invalid_argument) that lists the known names. Collective over comm:
/// a failure of one member is thrown on all.
std::unique_ptr<Exchange> make_exchange(const std::string& name, const ExchangeSetup& setup);

}  // namespace shardfft
