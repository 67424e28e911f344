#ifndef SHARDFFT_C_SIDE_H
#define SHARDFFT_C_SIDE_H
/* One side of a plan, its input or its output, and the meaning of its indices. */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The layout of this side. The caller frees it. */
shardfft_status shardfft_side_layout(shardfft_side side, shardfft_layout* layout);
/* The type of one number: its precision, and whether it is complex (1 or 0). */
shardfft_status shardfft_side_element(shardfft_side side, shardfft_precision* precision, int* is_complex);
shardfft_status shardfft_side_fields(shardfft_side side, int64_t* fields);
shardfft_status shardfft_side_rank(shardfft_side side, int* rank);
/* The axes that the plan transforms, the transform along each of them, and the number of points along each: `count`
 * entries, which are written if the pointer is not NULL. */
shardfft_status shardfft_side_axes(shardfft_side side, int* count, int* axes);
shardfft_status shardfft_side_transforms(shardfft_side side, int* count, shardfft_axis_transform* transforms);
shardfft_status shardfft_side_points(shardfft_side side, int* count, int64_t* points);
/* Half spectra: the extent of the halved axis in the real array; else 0. */
shardfft_status shardfft_side_real_extent(shardfft_side side, int64_t* extent);
/* Half spectra: the halved axis; else -1. */
shardfft_status shardfft_side_halved_axis(shardfft_side side, int* axis);
/* The transform along `axis`, which the plan must transform. */
shardfft_status shardfft_side_transform_of(shardfft_side side, int axis, shardfft_axis_transform* transform);
/* Elements and bytes of this rank's array, all fields together. */
shardfft_status shardfft_side_count(shardfft_side side, int64_t* count);
shardfft_status shardfft_side_bytes(shardfft_side side, size_t* bytes);

/* A number for each of some global indices of an axis. Frequencies are in cycles per unit of `spacing`, k / (n spacing)
 * with k = 0, 1, ..., -2, -1, or 0, 1, ..., n/2 on the halved axis; wavenumbers are those of a domain of `length`, also
 * along axes with cosine and sine transforms; slopes are those of odd derivatives, 0 for the mode that stands for both
 * k and -k; coordinates are those of a grid that begins at 0; positions are those of the axis's transform in a domain
 * of `length`. */
shardfft_status shardfft_side_frequencies(shardfft_side side, int axis, double spacing, int64_t count,
                                          const int64_t* index, double* values);
shardfft_status shardfft_side_wavenumbers(shardfft_side side, int axis, double length, int64_t count,
                                          const int64_t* index, double* values);
shardfft_status shardfft_side_coordinates(shardfft_side side, int axis, double spacing, int64_t count,
                                          const int64_t* index, double* values);
shardfft_status shardfft_side_slopes(shardfft_side side, int axis, double length, int64_t count, const int64_t* index,
                                     double* values);
shardfft_status shardfft_side_positions(shardfft_side side, int axis, double length, int64_t count,
                                        const int64_t* index, double* values);
/* How many waves the number at each of these indices of a spectrum's axis stands for: the weights of sums over modes
 * are the products over all transformed axes. */
shardfft_status shardfft_side_weights(shardfft_side side, int axis, int64_t count, const int64_t* index,
                                      double* weights);
shardfft_status shardfft_side_free(shardfft_side* side);

#ifdef __cplusplus
}
#endif
#endif
