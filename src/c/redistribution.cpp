// Redistributions and the GPU runtime in the C interface.
#include "shardfft/c/redistribution.h"

#include "c/wall.hpp"
#include "shardfft/c/gpu.h"

using namespace shardfft;
using namespace shardfft::c;

namespace {

struct WantedMove {
  Layout from;
  Layout to;
  Options options;
};

WantedMove wanted(shardfft_layout from, shardfft_layout to, shardfft_options options) {
  return {*get(from), *get(to), options_of(options)};
}

void create(MPI_Comm comm, shardfft_layout from, shardfft_layout to, std::size_t bytes, shardfft_options options,
            shardfft_redistribution* made) {
  WantedMove all;
  agreed(comm, [&] {
    place(made, "redistribution");
    all = wanted(from, to, options);
  });
  give(made, Redistribution(comm, all.from, all.to, bytes, all.options));
}

void move(MPI_Comm comm, shardfft_layout from, shardfft_layout to, std::size_t bytes, const void* in, void* out,
          shardfft_options options) {
  WantedMove all;
  agreed(comm, [&] { all = wanted(from, to, options); });
  redistribute(comm, all.from, all.to, bytes, in, out, all.options);
}

}  // namespace

shardfft_status shardfft_redistribution_create(MPI_Comm comm, shardfft_layout from, shardfft_layout to,
                                               size_t element_bytes, shardfft_options options,
                                               shardfft_redistribution* made) {
  return guarded([&] { create(comm, from, to, element_bytes, options, made); });
}
shardfft_status shardfft_redistribution_create_f(MPI_Fint comm, shardfft_layout from, shardfft_layout to,
                                                 size_t element_bytes, shardfft_options options,
                                                 shardfft_redistribution* made) {
  return guarded([&] { create(MPI_Comm_f2c(comm), from, to, element_bytes, options, made); });
}
shardfft_status shardfft_redistribution_create_devices(int count, const int* devices, shardfft_layout from,
                                                       shardfft_layout to, size_t element_bytes,
                                                       shardfft_options options, shardfft_redistribution* made) {
  return guarded([&] {
    place(made, "redistribution");
    const WantedMove all = wanted(from, to, options);
    give(made, Redistribution(Devices(devices_of(count, devices)), all.from, all.to, element_bytes, all.options));
  });
}
shardfft_status shardfft_redistribution_free(shardfft_redistribution* made) { return end(made); }

shardfft_status shardfft_redistribution_forward(shardfft_redistribution made, const void* in, void* out) {
  return guarded([&] { get(made)->forward(in, out); });
}
shardfft_status shardfft_redistribution_backward(shardfft_redistribution made, const void* in, void* out) {
  return guarded([&] { get(made)->backward(in, out); });
}
shardfft_status shardfft_redistribution_forward_members(shardfft_redistribution made, int count, const void* const* in,
                                                        void* const* out) {
  return guarded([&] { get(made)->forward(arrays(in, count), arrays(out, count)); });
}
shardfft_status shardfft_redistribution_backward_members(shardfft_redistribution made, int count, const void* const* in,
                                                         void* const* out) {
  return guarded([&] { get(made)->backward(arrays(in, count), arrays(out, count)); });
}

shardfft_status shardfft_redistribution_members(shardfft_redistribution made, int* members) {
  return asked(made, members, "members", [](const Redistribution& r) { return r.members(); });
}
shardfft_status shardfft_redistribution_input_count(shardfft_redistribution made, int member, int64_t* count) {
  return asked(made, count, "count", [&](const Redistribution& r) { return r.input_count(member); });
}
shardfft_status shardfft_redistribution_output_count(shardfft_redistribution made, int member, int64_t* count) {
  return asked(made, count, "count", [&](const Redistribution& r) { return r.output_count(member); });
}
shardfft_status shardfft_redistribution_device(shardfft_redistribution made, int member, int* device) {
  return asked(made, device, "device", [&](const Redistribution& r) { return r.device(member); });
}
shardfft_status shardfft_redistribution_stream(shardfft_redistribution made, int member, void** stream) {
  return asked(made, stream, "stream", [&](const Redistribution& r) { return r.stream(member); });
}
shardfft_status shardfft_redistribution_set_streams(shardfft_redistribution made, int count, void* const* streams) {
  return guarded([&] { get(made)->set_streams(arrays(streams, count)); });
}
shardfft_status shardfft_redistribution_workspace_bytes(shardfft_redistribution made, size_t* bytes) {
  return asked(made, bytes, "bytes", [](const Redistribution& r) { return r.workspace_bytes(); });
}
shardfft_status shardfft_redistribution_failed_half_way(shardfft_redistribution made, int* failed) {
  return asked(made, failed, "failed", [](const Redistribution& r) { return r.failed_half_way(); });
}
shardfft_status shardfft_redistribution_allocate_input(shardfft_redistribution made, int member,
                                                       shardfft_buffer* buffer) {
  return guarded([&] { give(buffer, get(made)->allocate_input(member)); });
}
shardfft_status shardfft_redistribution_allocate_output(shardfft_redistribution made, int member,
                                                        shardfft_buffer* buffer) {
  return guarded([&] { give(buffer, get(made)->allocate_output(member)); });
}
shardfft_status shardfft_redistribution_bytes_sent(shardfft_redistribution made, int64_t* bytes) {
  return asked(made, bytes, "bytes", [](const Redistribution& r) { return r.bytes_sent(); });
}
shardfft_status shardfft_redistribution_exchange(shardfft_redistribution made, char** name) {
  return guarded([&] { give_text(name, get(made)->exchange()); });
}

shardfft_status shardfft_redistribute(MPI_Comm comm, shardfft_layout from, shardfft_layout to, size_t element_bytes,
                                      const void* in, void* out, shardfft_options options) {
  return guarded([&] { move(comm, from, to, element_bytes, in, out, options); });
}
shardfft_status shardfft_redistribute_f(MPI_Fint comm, shardfft_layout from, shardfft_layout to, size_t element_bytes,
                                        const void* in, void* out, shardfft_options options) {
  return guarded([&] { move(MPI_Comm_f2c(comm), from, to, element_bytes, in, out, options); });
}

shardfft_status shardfft_gpu_support(char** support) {
  return guarded([&] { give_text(support, gpu_support()); });
}
shardfft_status shardfft_gpu_names(char** names) {
  return guarded([&] { give_names(names, gpu_names(), '\n'); });
}
shardfft_status shardfft_memory_place(const void* address, char** kind, int* device) {
  return guarded([&] {
    const MemoryPlace found = memory_place(address);
    if (kind != nullptr) give_text(kind, found.kind);
    if (device != nullptr) *device = found.device;
  });
}
shardfft_status shardfft_set_current_gpu(int device, int* before) {
  return guarded([&] {
    const int earlier = set_current_gpu(device);
    if (before != nullptr) *before = earlier;
  });
}
shardfft_status shardfft_order_streams(int device, void* earlier, void* stream) {
  return guarded([&] { order_streams(device, earlier, stream); });
}
shardfft_status shardfft_stream_is_idle(int device, void* stream, int* idle) {
  return guarded([&] {
    const bool done = stream_is_idle(device, stream);
    if (idle != nullptr) *idle = done ? 1 : 0;
  });
}

shardfft_status shardfft_synchronize_stream(int device, void* stream) {
  return guarded([&] { synchronize_stream(device, stream); });
}
