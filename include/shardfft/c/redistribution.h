#ifndef SHARDFFT_C_REDISTRIBUTION_H
#define SHARDFFT_C_REDISTRIBUTION_H
/* Arrays of any elements change their layout without a transform, planned once. */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Over the processes of a communicator or over GPUs of this process, as a plan. Elements have `element_bytes`
 * each. Both layouts have the same shape. Collective. */
shardfft_status shardfft_redistribution_create(MPI_Comm comm, shardfft_layout from, shardfft_layout to,
                                               size_t element_bytes, shardfft_options options,
                                               shardfft_redistribution* made);
shardfft_status shardfft_redistribution_create_f(MPI_Fint comm, shardfft_layout from, shardfft_layout to,
                                                 size_t element_bytes, shardfft_options options,
                                                 shardfft_redistribution* made);
shardfft_status shardfft_redistribution_create_devices(int count, const int* devices, shardfft_layout from,
                                                       shardfft_layout to, size_t element_bytes,
                                                       shardfft_options options, shardfft_redistribution* made);
shardfft_status shardfft_redistribution_free(shardfft_redistribution* made);

/* Moves `in` in layout `from` to `out` in layout `to`; backward the other way. The arrays must not overlap, unless they
 * are one that holds both. Collective. */
shardfft_status shardfft_redistribution_forward(shardfft_redistribution made, const void* in, void* out);
shardfft_status shardfft_redistribution_backward(shardfft_redistribution made, const void* in, void* out);
/* The same for any number of members: an array of each. */
shardfft_status shardfft_redistribution_forward_members(shardfft_redistribution made, int count, const void* const* in,
                                                        void* const* out);
shardfft_status shardfft_redistribution_backward_members(shardfft_redistribution made, int count, const void* const* in,
                                                         void* const* out);

/* These work like the functions of plans with their names. */
shardfft_status shardfft_redistribution_members(shardfft_redistribution made, int* members);
shardfft_status shardfft_redistribution_input_count(shardfft_redistribution made, int member, int64_t* count);
shardfft_status shardfft_redistribution_output_count(shardfft_redistribution made, int member, int64_t* count);
shardfft_status shardfft_redistribution_device(shardfft_redistribution made, int member, int* device);
shardfft_status shardfft_redistribution_stream(shardfft_redistribution made, int member, void** stream);
shardfft_status shardfft_redistribution_set_streams(shardfft_redistribution made, int count, void* const* streams);
shardfft_status shardfft_redistribution_workspace_bytes(shardfft_redistribution made, size_t* bytes);
shardfft_status shardfft_redistribution_failed_half_way(shardfft_redistribution made, int* failed);
shardfft_status shardfft_redistribution_allocate_input(shardfft_redistribution made, int member,
                                                       shardfft_buffer* buffer);
shardfft_status shardfft_redistribution_allocate_output(shardfft_redistribution made, int member,
                                                        shardfft_buffer* buffer);
/* Bytes that a member sends to others in one `forward`, the largest of this process's members. */
shardfft_status shardfft_redistribution_bytes_sent(shardfft_redistribution made, int64_t* bytes);
/* The name of the exchange that moves the data. */
shardfft_status shardfft_redistribution_exchange(shardfft_redistribution made, char** name);

/* The same for one array and one call. Collective. */
shardfft_status shardfft_redistribute(MPI_Comm comm, shardfft_layout from, shardfft_layout to, size_t element_bytes,
                                      const void* in, void* out, shardfft_options options);
shardfft_status shardfft_redistribute_f(MPI_Fint comm, shardfft_layout from, shardfft_layout to, size_t element_bytes,
                                        const void* in, void* out, shardfft_options options);

#ifdef __cplusplus
}
#endif
#endif
