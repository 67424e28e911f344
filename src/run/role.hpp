#pragma once
// Which part of an operation is communication.

namespace shardfft {

/// Which part of an operation's time is communication (docs/tracing.md): waiting only, everything, or everything but
/// the transform and the writing of its result.
enum class Role { computes, moves, moves_and_computes };
inline const char* role_name(Role role) {
  return role == Role::computes ? "computes" : role == Role::moves ? "moves" : "moves and computes";
}

}  // namespace shardfft
