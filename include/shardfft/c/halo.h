#ifndef SHARDFFT_C_HALO_H
#define SHARDFFT_C_HALO_H
/* Halos: copies of the neighbours' elements around each rank's part of an array, planned once. */
#include "shardfft/c/base.h"
#include "shardfft/c/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements below and above each part, and whether the array goes on at its other end (NULL: along all axes), an entry
 * an axis of `layout`, in which each rank has a box. `corners` 0 fills the halos beside faces alone. Elements are of
 * this precision, complex or not. Options: processor, device, memory, stream, exchange, batch, threads, check_calls,
 * call_timeout. Collective. */
shardfft_status shardfft_halo_create(MPI_Comm comm, shardfft_layout layout, const int64_t* below, const int64_t* above,
                                     const int* periodic, shardfft_precision precision, int is_complex, int corners,
                                     shardfft_options options, shardfft_halo* made);
shardfft_status shardfft_halo_create_f(MPI_Fint comm, shardfft_layout layout, const int64_t* below,
                                       const int64_t* above, const int* periodic, shardfft_precision precision,
                                       int is_complex, int corners, shardfft_options options, shardfft_halo* made);
shardfft_status shardfft_halo_free(shardfft_halo* made);

/* Fills the halos of the padded array `x` from the parts of their owners. Collective. */
shardfft_status shardfft_halo_update(shardfft_halo halo, void* x);
/* The same in two halves, between which the part may be read, and written inside. Collective. */
shardfft_status shardfft_halo_begin(shardfft_halo halo, void* x);
shardfft_status shardfft_halo_end(shardfft_halo halo);
/* The adjoint: adds each halo to the part that it was filled from, and makes it 0. Collective. */
shardfft_status shardfft_halo_add_back(shardfft_halo halo, void* x);

/* These work like the functions of plans with their names. */
shardfft_status shardfft_halo_members(shardfft_halo halo, int* members);
shardfft_status shardfft_halo_device(shardfft_halo halo, int member, int* device);
shardfft_status shardfft_halo_stream(shardfft_halo halo, int member, void** stream);
shardfft_status shardfft_halo_failed_half_way(shardfft_halo halo, int* failed);
/* Elements of a member's padded array, all fields together. */
shardfft_status shardfft_halo_count(shardfft_halo halo, int member, int64_t* count);
/* Extents of a member's padded array, of one field, an entry an axis. */
shardfft_status shardfft_halo_extents(shardfft_halo halo, int member, int64_t* extents);
/* The indices of a member's part, which begins behind the elements below it; an entry an axis. */
shardfft_status shardfft_halo_owned(shardfft_halo halo, int member, shardfft_progression* set);
/* Bytes that a member sends to others in one update, the largest of this process's members. */
shardfft_status shardfft_halo_bytes_sent(shardfft_halo halo, int64_t* bytes);

#ifdef __cplusplus
}
#endif
#endif
