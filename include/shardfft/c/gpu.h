#ifndef SHARDFFT_C_GPU_H
#define SHARDFFT_C_GPU_H
/* Functions of the GPU runtime for programs around plans, which then need not include its headers. */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The GPU runtime of this build, with its version; "" in builds without GPUs. */
shardfft_status shardfft_gpu_support(char** support);
/* The names of the GPUs that this process can use, one a line; line i is GPU number i. */
shardfft_status shardfft_gpu_names(char** names);
/* The memory that an address is in: "pageable", "pinned", "managed" or "device"; and the GPU of managed and device
 * memory, else -1. Either result may be NULL. */
shardfft_status shardfft_memory_place(const void* address, char** kind, int* device);
/* Makes a GPU the calling thread's current one; `before` (may be NULL) is the one before. */
shardfft_status shardfft_set_current_gpu(int device, int* before);
/* Work that is given to `stream` (of GPU `device`) from now on begins after the work that `earlier` has now. Does not
 * wait. */
shardfft_status shardfft_order_streams(int device, void* earlier, void* stream);
/* Whether the work that `stream` (of GPU `device`) has now is done: `idle` (may be NULL) is 1 or 0. Does not wait. */
shardfft_status shardfft_stream_is_idle(int device, void* stream, int* idle);
/* Returns when the work that `stream` (of GPU `device`) has now is done. */
shardfft_status shardfft_synchronize_stream(int device, void* stream);

#ifdef __cplusplus
}
#endif
#endif
