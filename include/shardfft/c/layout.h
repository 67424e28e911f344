#ifndef SHARDFFT_C_LAYOUT_H
#define SHARDFFT_C_LAYOUT_H
/* Layouts: which rank has which indices, and how its local array lies in memory. */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Axes of users' arrays, and of any layout. */
#define SHARDFFT_MAX_USER_AXES 4
#define SHARDFFT_MAX_AXES 10

/* The indices first, first + stride, ..., `count` of them, along one axis. The stride of a single index is not read. */
typedef struct shardfft_progression {
  int64_t first;
  int64_t count;
  int64_t stride;
} shardfft_progression;

/* Indices, one progression an axis, and their place in their owner's local array, in elements. */
typedef struct shardfft_piece {
  shardfft_progression axis[SHARDFFT_MAX_AXES];
  int64_t offset;
  int64_t stride[SHARDFFT_MAX_AXES];
} shardfft_piece;

/* In all functions that make a layout, `shape` has `axes` extents; `order` has the axes from slowest to fastest in
 * memory, or is NULL for 0, 1, 2, .... A `grid` of NULL means one as square as can be, the larger factors first. */

/* Planes along `axis`, dealt in near-equal runs; ranks beyond the planes own nothing. */
shardfft_status shardfft_layout_slab(int axes, const int64_t* shape, int ranks, int axis, const int* order,
                                     shardfft_layout* layout);
/* Lines along `local_axis` (-1: the last); the other axes are cut by `grid`, a factor for each in their order. */
shardfft_status shardfft_layout_pencil(int axes, const int64_t* shape, int ranks, const int64_t* grid, int local_axis,
                                       const int* order, shardfft_layout* layout);
/* Axis a is cut in grid[a] near-equal runs; ranks count fastest along the axis that is fastest in row-major order. */
shardfft_status shardfft_layout_brick(int axes, const int64_t* shape, int ranks, const int64_t* grid, const int* order,
                                      shardfft_layout* layout);
/* Along axis a, grid coordinate c owns the indices c, c + grid[a], ...; without a grid the slowest axis in row-major
 * order is dealt to the ranks. */
shardfft_status shardfft_layout_cyclic(int axes, const int64_t* shape, int ranks, const int64_t* grid, const int* order,
                                       shardfft_layout* layout);
/* Explicit parts: parts[a] of axis a, all behind each other in `part`, axis by axis. The rank of a part is the sum of
 * coordinate[a] * rank_stride[a] (NULL: row-major). */
shardfft_status shardfft_layout_grid(int axes, const int64_t* shape, int ranks, const int* parts,
                                     const shardfft_progression* part, const int* rank_stride, const int* order,
                                     shardfft_layout* layout);
/* One index set for each rank: sets[rank * axes + axis]. A set with count 0 is empty. */
shardfft_status shardfft_layout_boxes(int axes, const int64_t* shape, int ranks, const shardfft_progression* sets,
                                      const int* order, shardfft_layout* layout);
/* Everything on rank `owner`. */
shardfft_status shardfft_layout_single(int axes, const int64_t* shape, int ranks, int owner, const int* order,
                                       shardfft_layout* layout);
/* Any pieces: pieces[r] of rank r, all behind each other in `piece`, rank by rank. */
shardfft_status shardfft_layout_from_pieces(int axes, const int64_t* shape, int ranks, const int* pieces,
                                            const shardfft_piece* piece, shardfft_layout* layout);
/* The layout whose rank r owns the set that rank r passes as `mine`, a progression an axis. Collective; fails on every
 * rank if the sets do not tile the array. The second form takes a communicator of Fortran's, as all functions in _f
 * do. */
shardfft_status shardfft_gather_layout(MPI_Comm comm, int axes, const int64_t* shape, const shardfft_progression* mine,
                                       const int* order, shardfft_layout* layout);
shardfft_status shardfft_gather_layout_f(MPI_Fint comm, int axes, const int64_t* shape,
                                         const shardfft_progression* mine, const int* order, shardfft_layout* layout);
shardfft_status shardfft_layout_free(shardfft_layout* layout);

/* The number of axes, that of a batch included. */
shardfft_status shardfft_layout_axes(shardfft_layout layout, int* axes);
/* The extents, an entry an axis. */
shardfft_status shardfft_layout_shape(shardfft_layout layout, int64_t* shape);
shardfft_status shardfft_layout_ranks(shardfft_layout layout, int* ranks);
shardfft_status shardfft_layout_order(shardfft_layout layout, int* order);
/* 1 or 0: whether it is made of parts an axis. */
shardfft_status shardfft_layout_is_grid(shardfft_layout layout, int* is_grid);
/* Grid layouts: the number of parts of an axis, and the parts if `parts` is not NULL. */
shardfft_status shardfft_layout_parts(shardfft_layout layout, int axis, int* count, shardfft_progression* parts);
shardfft_status shardfft_layout_rank_stride(shardfft_layout layout, int* rank_stride);
/* Elements that a rank owns, and the most that any owns. */
shardfft_status shardfft_layout_count(shardfft_layout layout, int rank, int64_t* count);
shardfft_status shardfft_layout_max_count(shardfft_layout layout, int64_t* count);
/* The index set of a rank, a progression an axis. */
shardfft_status shardfft_layout_local(shardfft_layout layout, int rank, shardfft_progression* set);
/* The number of pieces of a rank, and the pieces if `pieces` is not NULL. */
shardfft_status shardfft_layout_pieces(shardfft_layout layout, int rank, int* count, shardfft_piece* pieces);
/* 1 if every rank that owns anything owns all of `axis`. */
shardfft_status shardfft_layout_axis_is_local(shardfft_layout layout, int axis, int* is_local);
/* Calls `visit` for every rank whose set meets `set`, with the common indices; `user` is handed on. */
typedef void (*shardfft_overlap_visit)(void* user, int rank, const shardfft_progression* common);
shardfft_status shardfft_layout_for_overlaps(shardfft_layout layout, const shardfft_progression* set,
                                             shardfft_overlap_visit visit, void* user);
/* 1 if both place every element at the same rank and address. */
shardfft_status shardfft_layout_same_as(shardfft_layout layout, shardfft_layout other, int* same);
/* The same cuts over another extent of one axis; with another order in memory; with a slowest axis of `fields` before
 * the others; without that axis. */
shardfft_status shardfft_layout_with_axis_extent(shardfft_layout layout, int axis, int64_t extent,
                                                 shardfft_layout* result);
shardfft_status shardfft_layout_with_order(shardfft_layout layout, const int* order, shardfft_layout* result);
shardfft_status shardfft_layout_with_batch(shardfft_layout layout, int64_t fields, shardfft_layout* result);
shardfft_status shardfft_layout_without_batch(shardfft_layout layout, shardfft_layout* result);
/* Fails unless the sets tile the array exactly once. */
shardfft_status shardfft_layout_validate(shardfft_layout layout);
/* Differs, with near certainty, between different layouts. */
shardfft_status shardfft_layout_fingerprint(shardfft_layout layout, uint64_t* fingerprint);
/* For people. Axes are named in row-major order, the slowest first, as number 0. */
shardfft_status shardfft_layout_describe(shardfft_layout layout, char** text);

/* Part `index` of `parts` near-equal runs of all indices of an axis; and the indices index, index + parts, .... */
shardfft_status shardfft_block_part(int64_t extent, int64_t parts, int64_t index, shardfft_progression* part);
shardfft_status shardfft_cyclic_part(int64_t extent, int64_t parts, int64_t index, shardfft_progression* part);
/* The common indices of two progressions. */
shardfft_status shardfft_intersect(const shardfft_progression* a, const shardfft_progression* b,
                                   shardfft_progression* common);

#ifdef __cplusplus
}
#endif
#endif
