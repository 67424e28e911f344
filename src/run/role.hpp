#pragma once
// The share of communication in an operation.

namespace shardfft {

/// The part of an operation's time that is communication (docs/tracing.md): only waiting, everything, or everything
/// except the transform and the writing of its result.
enum class Role { computes, moves, moves_and_computes };
inline const char* role_name(Role role) {
  return role == Role::computes ? "computes" : role == Role::moves ? "moves" : "moves and computes";
}

}  // namespace shardfft
