#pragma once
// Threads that can be started, asked before OpenMP's library is, which ends the process where it cannot start one.

namespace shardfft {

/// OpenMP starts `threads` threads for the calling one, unless it has before, and keeps them. Throws
/// Error(out_of_memory), with the limits, where this process cannot have as many.
void require_threads(int threads);

}  // namespace shardfft
