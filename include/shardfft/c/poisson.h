#ifndef SHARDFFT_C_POISSON_H
#define SHARDFFT_C_POISSON_H
/* Poisson's and Helmholtz's equations as plans, with a boundary for each axis. */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The boundaries at both ends of an axis, each of which may have its own wall. */
typedef struct shardfft_axis_boundary {
  shardfft_boundary lower, upper;
} shardfft_axis_boundary;

/* Choices of a solver; those that are 0 or NULL are the defaults. */
typedef struct shardfft_poisson_options {
  int axes;                               /* entries of `boundary` */
  const shardfft_axis_boundary* boundary; /* an entry an axis; NULL and 0: all are periodic */
  shardfft_wall_points points;
  double shift; /* not negative */
  shardfft_open_kernel kernel;
  shardfft_eigenvalues eigenvalues;
  shardfft_wrong_mean wrong_mean;
  double tolerance;   /* of a mean that must vanish, beside the mean of |f|; 0: 1e-8, in single precision 1e-4 */
  int stretched_axis; /* one between walls whose cells have the widths `cells`; their sum is its length */
  int64_t cell_count;
  const double* cells;   /* NULL and 0: no axis is stretched */
  shardfft_options plan; /* NULL: defaults. Not: norm, axes, transforms, modes, padded, lone_mode, batch, real_extent,
                          * workspace; on GPUs no axis is stretched */
} shardfft_poisson_options;

/* Of one end of an axis: the solution's values on a Dirichlet wall, its derivatives along the outward normal on a
 * Neumann wall. They are 0 at ends that are not named. */
typedef struct shardfft_wall_values {
  int axis;
  shardfft_end end;
  const void* values; /* one for each point of this rank's part that is next to the wall, in row-major order of the
                       * other axes; of ranks without such points it may be NULL */
} shardfft_wall_values;

/* A solver of div grad u - shift u = f for real fields of this precision in `layout`, of which each rank has a box, in
 * host memory, or on GPUs in device memory but for values at walls. `lengths` are those of the domain, an entry an axis
 * (`axes` of them); `options` (may be NULL) say the rest. If no end is open or Dirichlet and the shift is 0, f must
 * have the mean of the derivatives given at walls, and u has the mean 0. Collective. */
shardfft_status shardfft_poisson_create(MPI_Comm comm, shardfft_layout layout, shardfft_precision precision, int axes,
                                        const double* lengths, const shardfft_poisson_options* options,
                                        shardfft_poisson* made);
shardfft_status shardfft_poisson_create_f(MPI_Fint comm, shardfft_layout layout, shardfft_precision precision, int axes,
                                          const double* lengths, const shardfft_poisson_options* options,
                                          shardfft_poisson* made);
/* Ends it. Collective. */
shardfft_status shardfft_poisson_free(shardfft_poisson* made);

/* Writes u for f, both this rank's parts in the layout; they may be one array. `values`: those at walls, `count` of
 * them. `gradient`: an array an axis for the derivatives of u at its points, which must differ from f and need walls
 * without values; NULL: none. Collective. */
shardfft_status shardfft_poisson_solve(shardfft_poisson solver, const void* f, void* u, int count,
                                       const shardfft_wall_values* values, void* const* gradient);
/* The adjoint without values: from derivatives by the points of u to those by the points of f. Collective. */
shardfft_status shardfft_poisson_adjoint(shardfft_poisson solver, const void* by_u, void* by_f);

/* The layout of f and u. */
shardfft_status shardfft_poisson_layout(shardfft_poisson solver, shardfft_layout* layout);
/* The GPU, -1 on CPUs, and the stream (a cudaStream_t) that its work is enqueued on, null on CPUs. */
shardfft_status shardfft_poisson_device(shardfft_poisson solver, int* device);
shardfft_status shardfft_poisson_stream(shardfft_poisson solver, void** stream);
/* An array like f, in memory of the solver's processor. Collective. */
shardfft_status shardfft_poisson_allocate(shardfft_poisson solver, shardfft_buffer* buffer);
/* Coordinates of the points of an axis, one for each index of the array; `room` of them are written at most. */
shardfft_status shardfft_poisson_points(shardfft_poisson solver, int axis, int64_t room, double* points);
/* The share of each point of an axis in sums over the domain, likewise. */
shardfft_status shardfft_poisson_weights(shardfft_poisson solver, int axis, int64_t room, double* weights);
/* 1 or 0: whether solutions differ by a constant, so that f must have a mean that some solution has. */
shardfft_status shardfft_poisson_is_singular(shardfft_poisson solver, int* singular);
/* Bytes of this rank beside the arrays: workspace, memory shared with others, and the kernel of open axes. */
shardfft_status shardfft_poisson_workspace_bytes(shardfft_poisson solver, size_t* bytes);
/* Program, strategies and bytes of every step of a solve, as shardfft_plan_report(). Collective. */
shardfft_status shardfft_poisson_report(shardfft_poisson solver, shardfft_report* report);

#ifdef __cplusplus
}
#endif
#endif
