#ifndef SHARDFFT_C_BASE_H
#define SHARDFFT_C_BASE_H
/* The base of every part of the C interface: statuses, words, handles.
 *
 * Every call returns a status, and shardfft_last_error() gives the text of an error. Results come through pointers,
 * which are written to only if the call succeeds. Handles are made by calls whose last argument is a pointer to one,
 * and ended by shardfft_..._free(), which sets the handle to NULL; freeing NULL does nothing. A handle that was freed
 * is known as such for ever: using it is SHARDFFT_INVALID_ARGUMENT. Layouts, options and operators may be freed while
 * plans that were made of them live. `char**` results are texts of the caller's own, which shardfft_text_free() frees.
 *
 * A communicator that is 0 is SHARDFFT_INVALID_ARGUMENT, and with Open MPI also a number that stands for none in
 * Fortran. So is MPI_COMM_NULL, except in the sums of spectra.h. Any other handle that is no communicator ends the
 * program, as in calls of MPI itself.
 *
 * Arrays are in row-major (C) order unless a layout has another axis order: axis 0 is the slowest. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "shardfft/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call failed. */
typedef int shardfft_status;
enum {
  SHARDFFT_OK = 0,
  SHARDFFT_INVALID_ARGUMENT = 1, /* a size, layout, name, handle or pointer is wrong */
  SHARDFFT_MISMATCH = 2,         /* the ranks were given different arguments */
  SHARDFFT_UNSUPPORTED = 3,      /* valid, but this build or machine cannot do it */
  SHARDFFT_OUT_OF_MEMORY = 4,
  SHARDFFT_MPI_FAILURE = 5,
  SHARDFFT_BACKEND_FAILURE = 6, /* a local FFT library or the GPU runtime failed */
  SHARDFFT_INTERNAL = 7,
  SHARDFFT_TIMED_OUT = 8, /* other ranks did not make the same call in time */
  SHARDFFT_CORRUPTED = 9  /* the option verify found a wrong result */
};

/* The numbers that `forward` reads and writes, and their precision. */
typedef int shardfft_kind;
enum { SHARDFFT_C2C = 0, SHARDFFT_R2C = 1, SHARDFFT_C2R = 2, SHARDFFT_R2R = 3 };
typedef int shardfft_precision;
enum { SHARDFFT_F32 = 0, SHARDFFT_F64 = 1 };
/* The transform along one axis: Fourier, or cosine and sine transforms of types I to IV. */
typedef int shardfft_axis_transform;
enum {
  SHARDFFT_FFT = 0,
  SHARDFFT_DCT1 = 1,
  SHARDFFT_DCT2 = 2,
  SHARDFFT_DCT3 = 3,
  SHARDFFT_DCT4 = 4,
  SHARDFFT_DST1 = 5,
  SHARDFFT_DST2 = 6,
  SHARDFFT_DST3 = 7,
  SHARDFFT_DST4 = 8
};
/* How a particle is spread: to the nearest point, to 2 along each axis (cloud in cell), to 3 (triangular-shaped cloud).
 */
typedef int shardfft_assignment;
enum { SHARDFFT_NEAREST = 0, SHARDFFT_CIC = 1, SHARDFFT_TSC = 2 };
/* Of solvers: the boundary at an end of an axis, and the end; the places of points beside walls, the kernel of free
 * space, the eigenvalues of modes, and the rule for a right-hand side whose mean no solution has. */
typedef int shardfft_boundary;
enum { SHARDFFT_PERIODIC = 0, SHARDFFT_DIRICHLET = 1, SHARDFFT_NEUMANN = 2, SHARDFFT_OPEN = 3 };
typedef int shardfft_end;
enum { SHARDFFT_LOWER = 0, SHARDFFT_UPPER = 1 };
typedef int shardfft_wall_points;
enum { SHARDFFT_CENTRES = 0, SHARDFFT_NODES = 1 };
typedef int shardfft_open_kernel;
enum { SHARDFFT_TRUNCATED = 0, SHARDFFT_HOCKNEY = 1, SHARDFFT_INTEGRATED = 2 };
typedef int shardfft_eigenvalues;
enum { SHARDFFT_SPECTRAL = 0, SHARDFFT_SECOND_ORDER = 1 };
typedef int shardfft_wrong_mean;
enum { SHARDFFT_REFUSE = 0, SHARDFFT_REMOVE = 1 };

/* A handle: NULL before it is made and after it was freed. */
typedef struct shardfft_layout_handle* shardfft_layout;
typedef struct shardfft_options_handle* shardfft_options;
typedef struct shardfft_plan_handle* shardfft_plan;
typedef struct shardfft_operator_handle* shardfft_operator;
typedef struct shardfft_redistribution_handle* shardfft_redistribution;
typedef struct shardfft_halo_handle* shardfft_halo;
typedef struct shardfft_particle_mesh_handle* shardfft_particle_mesh;
typedef struct shardfft_migration_handle* shardfft_migration;
typedef struct shardfft_poisson_handle* shardfft_poisson;
typedef struct shardfft_side_handle* shardfft_side;
typedef struct shardfft_buffer_handle* shardfft_buffer;
typedef struct shardfft_report_handle* shardfft_report;

/* "0.2.0": the version of the library. */
const char* shardfft_version(void);
/* "invalid_argument" and so on. */
const char* shardfft_status_name(shardfft_status status);
/* The error of the last call that failed on this thread, and the expected value; "" before any failed. Valid until
 * another call of this thread fails. */
const char* shardfft_last_error(void);
/* Frees a text that a call gave; NULL is allowed. */
void shardfft_text_free(char* text);

/* Memory that a plan or redistribution allocated. It may outlive the plan; memory that ranks share is freed when all of
 * them have freed theirs and the plan ends. */
shardfft_status shardfft_buffer_data(shardfft_buffer buffer, void** data);
shardfft_status shardfft_buffer_bytes(shardfft_buffer buffer, size_t* bytes);
shardfft_status shardfft_buffer_free(shardfft_buffer* buffer);

#ifdef __cplusplus
}
#endif
#endif
