#pragma once
// Captures the work that a function enqueues on a stream as a graph.
#include "device/handles.hpp"
#include "shardfft/error.hpp"

namespace shardfft::device {

/// Captures the work that `work` enqueues on `stream`, a stream of the current device, and on streams joined to it.
template <class Work>
Graph captured(StreamHandle stream, Work work) {
  begin_capture(stream);
  try {
    work();
  } catch (...) {
    // A stream that stays in capture refuses all other calls. The unfinished graph is useless in any case.
    try {
      const Graph unfinished(end_capture(stream));
    } catch (const Error&) {
    }
    throw;
  }
  return Graph(end_capture(stream));
}

}  // namespace shardfft::device
