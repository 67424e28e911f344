#pragma once
// Ways to move data: one small class a strategy, found by name. An exchange knows messages, not axes or FFTs.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exchange/operation_context.hpp"
#include "geometry/schedule.hpp"

namespace shardfft {

/// The arguments of a strategy's constructor. Peers in `schedule` are ranks of `comm`, the members.
struct ExchangeSetup : OperationContext {
  Schedule schedule{};
  std::size_t element_bytes = 16;
};

/// The arrays of one run. `workspace` has at least workspace_bytes() bytes. Source and destination are distinct.
struct ExchangeBuffers {
  const std::byte* source = nullptr;
  std::byte* destination = nullptr;
  std::byte* workspace = nullptr;
};

/// A strategy. It moves schedule.send from `source` to the peers, and messages of schedule.recv into `destination`. The
/// reshape copies schedule.self itself, between start and finish. Collective over the members, which start and finish
/// the exchanges that they share in the same order. All calls of one run get the same buffers.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual std::size_t workspace_bytes() const = 0;
  /// Begins. Until finish returns, the source may be read and the destination written.
  virtual void start(const ExchangeBuffers& buffers) = 0;
  /// Continues as far as possible without waiting. Optional, not collective. Callers that work between start and finish
  /// call it now and then, because most MPI libraries move data only inside their calls.
  virtual void progress(const ExchangeBuffers& buffers) { static_cast<void>(buffers); }
  virtual void finish(const ExchangeBuffers& buffers) = 0;
  /// The error of this rank's messages, rounded to fewer bytes, since the exchange was made.
  virtual Loss loss() const { return {}; }
};

/// For strategies that need derived datatypes if a block has more elements than MPI can count: throws
/// Error(unsupported) if derived datatypes are not allowed.
void require_derived_types(const ExchangeSetup& setup);

using ExchangeFactory = std::function<std::unique_ptr<Exchange>(const ExchangeSetup&)>;

/// Whether the members of the strategy called `name` communicate while they make it.
bool meets_while_made(const std::string& name);
/// Makes the strategy called `name`; throws Error(invalid_argument) with the known names. Collective over comm: if one
/// member fails, all throw. If setup.alone is set and the members do not meet, only that member throws.
std::unique_ptr<Exchange> make_exchange(const std::string& name, const ExchangeSetup& setup);

}  // namespace shardfft
