#pragma once
// Whose arrays a plan works on: the processes of a communicator, of which each is one member, or GPUs of this one.
#include <functional>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"
#include "shardfft/ranks.hpp"
#include "shardfft/typed_array.hpp"

namespace shardfft {

/// What the types of a call tell of its arrays.
struct CallFacts {
  detail::ArrayFacts in{}, out{};
};

/// Empty over a communicator. Throws Error for GPUs that do not exist.
std::vector<int> devices_of(const Ranks& ranks);
/// The ranks' own communicator; none over devices. Who was told that others gave up makes no plans that they would not
/// make. Collective.
Communicator communicator_of(const Ranks& ranks);
/// Processes agree on failures; the devices of one have nobody else to tell.
void together(const Communicator& comm, const std::function<void()>& work);

/// The arrays of a call, one a member.
std::vector<const std::byte*> as_bytes(std::span<const void* const> arrays);
std::vector<std::byte*> as_bytes(std::span<void* const> arrays);

}  // namespace shardfft
