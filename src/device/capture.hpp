#pragma once
// What work enqueues on a stream, as a graph.
#include "device/handles.hpp"
#include "shardfft/error.hpp"

namespace shardfft::device {

/// Captures what `work` enqueues on `stream`, a stream of the current device, and on streams that it joins to it.
template <class Work>
Graph captured(StreamHandle stream, Work work) {
  begin_capture(stream);
  try {
    work();
  } catch (...) {
    // A stream that stays in capture refuses everything else. What was captured is of no use, however it ends.
    try {
      const Graph unfinished(end_capture(stream));
    } catch (const Error&) {
    }
    throw;
  }
  return Graph(end_capture(stream));
}

}  // namespace shardfft::device
