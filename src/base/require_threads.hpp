#pragma once
// Whether threads can be started, found out before OpenMP's library tries, which ends the process if it cannot.

namespace shardfft {

/// OpenMP starts `threads` threads for the calling one, unless it has before. Throws Error(out_of_memory), with the
/// limits, if this process cannot have as many. If addresses are few it tries each time: call it when the next work has
/// its memory.
void require_threads(int threads);

}  // namespace shardfft
