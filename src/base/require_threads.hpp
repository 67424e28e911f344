#pragma once
// Threads that can be started, asked before OpenMP's library is, which ends the process where it cannot start one.

namespace shardfft {

/// OpenMP starts `threads` threads for the calling one, unless it has before. Throws Error(out_of_memory), with the
/// limits, where this process cannot have as many. Where addresses are few it asks each time: call it when what comes
/// next has its memory.
void require_threads(int threads);

}  // namespace shardfft
