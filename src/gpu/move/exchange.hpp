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
#include "shardfft/layout.hpp"
#include "shardfft/report.hpp"

namespace shardfft::gpu {

/// Which messages of a reshape: all, those to and from members that reach each other's memory, or the others. What
/// stays on its rank is no part of the near ones.
enum class Part { all, near, far };

struct DeviceReshapeSetup {
  Team* team = nullptr;  ///< outlives the operations
  Layout from, to;
  std::size_t element_bytes = 16;
  Part part = Part::all;
  bool stored = false;  ///< passes store all of it where it belongs, wherever a run lets them: what it moves is little
  std::vector<std::optional<Layout>> sources{};  ///< by message: where the elements of `from` lie that go to other
                                                 ///< ranks, if not as there
};

/// One operation for each member here, in the team's order.
using MemberOperations = std::vector<std::unique_ptr<DeviceOperation>>;

/// cuda_peer: straight into the peers' memory, by the copy engines or by kernels, as is faster for the block sizes;
/// cuda_peer_copy and cuda_peer_store force one of the two.
/// mpi_device: messages from device memory (a GPU-aware MPI). host_staged: messages through pinned host memory.
/// mpi_device_NAME, host_staged_NAME: likewise by the exchange of CPUs called NAME.
/// nccl: grouped sends and receives; nccl_alltoall: the collective. Where NCCL was built in.
/// mixed: cuda_peer between members that reach each other's memory, messages to the others, in one reshape.
std::vector<std::string> device_exchange_names();
/// What "auto" stands for on this team. Collective.
Choice choose_device_exchange(const Team& team);
/// Others that only a measurement could tell to be faster on this team, the most promising first. Collective.
std::vector<std::string> other_device_exchanges(const Team& team, const std::string& chosen);
/// Why no messages with short numbers are sent; empty where they may be. The same on all ranks.
std::string why_exact(const std::string& exchange, const Team& team);
/// Throws Error on all processes alike: invalid_argument for unknown names (listing those known), unsupported where
/// this team cannot use it, saying why. Collective.
MemberOperations make_device_reshape(const std::string& name, const DeviceReshapeSetup& setup);
/// The same in messages, which together are the reshape, and of which each is sent behind the one before it: operations
/// by message. Of several only where cuts_in_slices().
std::vector<MemberOperations> make_device_messages(const std::string& name, const DeviceReshapeSetup& setup,
                                                   const std::vector<Pieces::Message>& messages);
/// Whether the exchange of that name moves slices, beside which transforms can run.
bool cuts_in_slices(const std::string& name);
/// Whether the exchange of that name leaves open how it writes into peers' memory: then passes may store there what it
/// would move. Other names say exactly how data moves.
bool leaves_way_open(const std::string& name);
/// Whether this MPI library takes device pointers: asked of the library, then tried with a small message. Collective.
bool mpi_takes_device_memory(const Communicator& comm, int device);

}  // namespace shardfft::gpu
