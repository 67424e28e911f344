#pragma once
// The seam to the GPU runtime: every runtime call of the library outside of kernels goes through these functions.
// device_cuda.cpp implements them with CUDA; a stand-in without a GPU implements the same header, with streams that
// reorder whatever no event orders. Handles are opaque; failures throw Error(backend_failure).
#include <array>
#include <cstddef>

namespace shardfft::cuda {

using StreamHandle = void*;
using EventHandle = void*;
using GraphHandle = void*;
/// What one process sends another so that it can open its memory or event; plain bytes, fit for any transport.
using IpcHandle = std::array<unsigned char, 64>;

int device_count();
int current_device();
void set_device(int device);
/// Lets `device` use memory of `peer` directly; no harm when it may already. Throws unsupported where it cannot.
void enable_peer(int device, int peer);

void* allocate(std::size_t bytes);
void release(void* memory) noexcept;
IpcHandle export_memory(void* memory);
void* import_memory(const IpcHandle& handle);
void close_memory(void* memory) noexcept;

StreamHandle create_stream();
void destroy_stream(StreamHandle stream) noexcept;
void synchronize(StreamHandle stream);

/// `shared` events can be exported to other processes and keep no time.
enum class EventUse { order, timing, shared };
EventHandle create_event(EventUse use);
void destroy_event(EventHandle event) noexcept;
void record(EventHandle event, StreamHandle stream);
/// Later work of `stream` waits for what `event` recorded last (recorded by a call that came before this one).
void wait(StreamHandle stream, EventHandle event);
double elapsed_ms(EventHandle begin, EventHandle end);
IpcHandle export_event(EventHandle event);
EventHandle import_event(const IpcHandle& handle);

/// One side of a copy: rows `pitch` bytes apart, slices `slice` bytes apart (a multiple of the pitch).
struct CopySide {
  void* base;
  std::size_t pitch, slice;
};
/// `slices` times `rows` rows of `bytes` bytes, between any two devices, by the copy engines.
struct BoxCopy {
  CopySide to, from;
  std::size_t bytes, rows, slices;
};
void copy_box(const BoxCopy& copy, StreamHandle stream);

/// Work enqueued between the two calls on `stream`, and on streams joined to it by events, becomes a graph.
void begin_capture(StreamHandle stream);
GraphHandle end_capture(StreamHandle stream);
void launch(GraphHandle graph, StreamHandle stream);
void destroy_graph(GraphHandle graph) noexcept;

}  // namespace shardfft::cuda
