#pragma once
// The places of a program's arrays while it runs on GPUs: in the user's arrays, or in the workspace.
#include <memory>
#include <vector>

#include "gpu/plan/divided_array.hpp"
#include "gpu/plan/offer.hpp"
#include "schedule/compile.hpp"
#include "schedule/places.hpp"

namespace shardfft::gpu {

/// The rooms of a run: the user's input and output, and the workspace. An offset in a room is the same on every rank.
enum ArrayRooms : int { in_input, in_output, in_workspace };

/// An array of a program, and its life in turns. A fused task has three turns: one for the transform before a reshape,
/// one for the messages, and one for the transform behind. A step that runs alone takes all three.
struct ArrayLife {
  std::vector<State> states{};  ///< that the array holds, one after the other
  int born = 0, dies = -1;
  int room = in_workspace;                        ///< in any other room it begins at offset 0, if it is not divided
  std::shared_ptr<const DividedArray> divided{};  ///< between `room` and the workspace
};

/// The first and the last turn of a fused task.
inline int first_turn(std::size_t task) { return 3 * static_cast<int>(task); }
inline int last_turn(std::size_t task) { return first_turn(task) + 2; }
inline std::size_t task_of(int turn) { return static_cast<std::size_t>(turn / 3); }

/// The arrays of a program by number, each with its life and its room: those that need the least workspace. Collective.
/// `begins`: the first transform of a plan in place runs in one pass over its input.
std::vector<ArrayLife> place_lives(const Lowered& lowered, const ExecutorSetup& setup, const Team& team, Offers& offers,
                                   bool begins);
/// Whether outgoing data of the first task may wait in the output instead of the workspace, because nothing else is
/// there.
bool waits_in_free_output(const Lowered& lowered, const std::vector<ArrayLife>& arrays, std::size_t task);
/// The bytes of each array in the workspace on the rank that has most, and its turns.
std::vector<TimedArray> timed(const std::vector<ArrayLife>& arrays, Precision precision);

}  // namespace shardfft::gpu
