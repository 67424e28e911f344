#pragma once
// Where the arrays of a program lie while it runs on GPUs: in the user's arrays, or in the workspace.
#include <vector>

#include "schedule/compile.hpp"
#include "schedule/places.hpp"

namespace shardfft::gpu {

/// The rooms of a run: the user's input and output, and the workspace. An offset means the same on every rank.
enum ArrayRooms : int { in_input, in_output, in_workspace };

/// An array of a program, and its turns: a stretch has three of them, for the transform before a reshape, for the
/// messages, and for the transform behind; what runs alone takes all three.
struct ArrayLife {
  std::vector<State> states{};  ///< one behind the other
  int born = 0, dies = -1;
  int room = in_workspace;  ///< the others hold it from their beginning on

  bool meets(const ArrayLife& other) const { return born <= other.dies && other.born <= dies; }
};

/// The turn in which a stretch begins.
inline int first_turn(std::size_t stretch) { return 3 * static_cast<int>(stretch); }
inline int last_turn(std::size_t stretch) { return first_turn(stretch) + 2; }

/// By number.
std::vector<ArrayLife> lives_of(const Lowered& lowered);

}  // namespace shardfft::gpu
