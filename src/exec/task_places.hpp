#pragma once
// Places for the arrays of a program's tasks, except those of users.
#include <cstddef>
#include <functional>
#include <vector>

#include "exec/compile.hpp"
#include "schedule/places.hpp"

namespace shardfft {

/// The places of one task. Empty for arrays that it does not have, and for those of a user.
struct TaskPlaces {
  ArrayPlace from, to;
  ArrayPlace receive_buffer;  ///< others write its results here if they cannot write to the user's array
  ArrayPlace stage;           ///< the input, for others to read
  ArrayPlace scratch;
};

struct ProgramPlaces {
  /// The host's shared memory, in which an offset means the same on every rank, and a rank's own.
  static constexpr int window = 0, workspace = 1;

  std::vector<TaskPlaces> tasks;
  ArrayPlace copy;  ///< of the input
  std::size_t window_bytes = 0, workspace_bytes = 0;
};

/// `bytes` of a state: the most of any rank if `on_host` is true, because ranks then read each other's arrays.
/// `copy_bytes`: of an input that is copied before the first task.
ProgramPlaces places_of(const std::vector<Task>& tasks, const std::function<std::size_t(const State&)>& bytes,
                        bool on_host, std::size_t copy_bytes);

}  // namespace shardfft
