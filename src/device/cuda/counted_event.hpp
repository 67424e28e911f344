#pragma once
// Events for Sharing::descriptors by CUDA: counters in host memory that processes share, which streams write and await.
// CUDA's IPC has no part in them.
#include "device/runtime.hpp"

namespace shardfft::device::counted {

/// Whether an event is of this kind. Such handles are odd, unlike all of the runtime.
inline bool is(EventHandle event) { return (reinterpret_cast<std::uintptr_t>(event) & 1) != 0; }
EventHandle create();
void destroy(EventHandle event) noexcept;
void record(EventHandle event, StreamHandle stream);
void wait(StreamHandle stream, EventHandle event);
bool done(EventHandle event);
IpcHandle export_event(EventHandle event);
/// Null if the handle is none of these.
EventHandle import(const IpcHandle& handle);

}  // namespace shardfft::device::counted
