#pragma once
// Changes of layout between GPUs: one factory a strategy, found by name.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/schedule.hpp"
#include "gpu/operation.hpp"
#include "gpu/team.hpp"
#include "schedule/pieces.hpp"
#include "schedule/places.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/report.hpp"

namespace shardfft::gpu {

/// The messages of a reshape that an operation moves: all, those between members that reach each other's memory, or the
/// others. Data that stays on its rank does not belong to `near`.
enum class Peers { all, near, far };

struct DeviceReshapeSetup {
  Team* team = nullptr;  ///< outlives the operations
  Layout from, to;
  std::size_t element_bytes = 16;
  Peers peers = Peers::all;
  bool stored = false;  ///< passes store all data at its destination if a run permits: little is left to move
  std::shared_ptr<const DividedArray> result{};  ///< the array behind the reshape if it is divided, else null
  std::vector<std::optional<Layout>> sources{};  ///< by message: the layout of the data for other ranks, if it is not
                                                 ///< `from`
};

/// One operation for each member here, in the team's order.
using MemberOperations = std::vector<std::unique_ptr<DeviceOperation>>;

/// cuda_peer: straight into the peers' memory, by copy engines or by kernels, whichever is faster for the block sizes;
/// cuda_peer_copy and cuda_peer_store force one of the two.
/// mpi_device: messages from device memory (a GPU-aware MPI). host_staged: messages through pinned host memory.
/// mpi_device_NAME, host_staged_NAME: likewise, by the exchange of CPUs called NAME.
/// nccl: grouped sends and receives; nccl_alltoall: the collective. Only in builds with NCCL.
/// mixed: cuda_peer between members that reach each other's memory, messages to the others, in one reshape.
std::vector<std::string> device_exchange_names();
/// The exchange that "auto" chooses on this team. Collective.
Choice choose_device_exchange(const Team& team);
/// Others that may be faster on this team, which only a measurement can tell; the best guess first. Collective.
std::vector<std::string> other_device_exchanges(const Team& team, const std::string& chosen);
/// Why messages may not carry short numbers; empty if they may. The same on all ranks.
std::string why_exact(const std::string& exchange, const Team& team);
/// Throws Error on all processes alike: invalid_argument for an unknown name (lists those known), unsupported if this
/// team cannot use the exchange (says why). Collective.
MemberOperations make_device_reshape(const std::string& name, const DeviceReshapeSetup& setup);
/// The same in several messages, which together are the reshape and are sent one after the other. Returns the
/// operations by message. More than one message only if cuts_in_slices().
std::vector<MemberOperations> make_device_messages(const std::string& name, const DeviceReshapeSetup& setup,
                                                   const std::vector<Pieces::Message>& messages);
/// Whether this exchange moves slices, so that transforms can run beside them.
bool cuts_in_slices(const std::string& name);
/// Whether the name of this exchange leaves open how it writes into peers' memory: then passes may store the data there
/// themselves. Other names say exactly how data moves.
bool leaves_way_open(const std::string& name);
/// Whether this MPI library takes device pointers: it is asked, then tried with a short and a long message. Collective.
bool mpi_takes_device_memory(const Communicator& comm, int device);

}  // namespace shardfft::gpu
