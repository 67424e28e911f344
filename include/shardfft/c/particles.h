#ifndef SHARDFFT_C_PARTICLES_H
#define SHARDFFT_C_PARTICLES_H
/* Particles, and a periodic array as their mesh. */
#include "shardfft/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The points of an array in `layout`, in which each rank has a box. `lengths` are those of the domain, an entry an axis
 * (`axes` of them); NULL: the extents. `wrap` 0 refuses positions outside the domain. `reach` is the number of points
 * that a particle may be beyond the part of its rank. With `last_axis_first` the coordinates of a position are in the
 * order of axes from the last to the first. Collective. */
shardfft_status shardfft_particle_mesh_create(MPI_Comm comm, shardfft_layout layout, shardfft_assignment assignment,
                                              shardfft_precision precision, int axes, const double* lengths, int wrap,
                                              int64_t reach, int last_axis_first, shardfft_particle_mesh* made);
shardfft_status shardfft_particle_mesh_create_f(MPI_Fint comm, shardfft_layout layout, shardfft_assignment assignment,
                                                shardfft_precision precision, int axes, const double* lengths, int wrap,
                                                int64_t reach, int last_axis_first, shardfft_particle_mesh* made);
shardfft_status shardfft_particle_mesh_free(shardfft_particle_mesh* made);

/* Writes to `field` the sum of the weights (NULL: 1 each) that particles spread there. Positions have one coordinate an
 * axis, particle by particle. All numbers are real, of the mesh's precision, in host memory. Collective. */
shardfft_status shardfft_particle_mesh_deposit(shardfft_particle_mesh mesh, int64_t count, const void* positions,
                                               const void* weights, void* field);
/* Writes the `count` values of a field at the positions. Collective. */
shardfft_status shardfft_particle_mesh_interpolate(shardfft_particle_mesh mesh, int64_t count, const void* positions,
                                                   const void* field, void* values);
/* Writes the derivatives of these values by the positions, which have as many numbers. Collective. */
shardfft_status shardfft_particle_mesh_gradient(shardfft_particle_mesh mesh, int64_t count, const void* positions,
                                                const void* field, void* slopes);
/* The move of particles to the ranks of their positions. Collective. */
shardfft_status shardfft_particle_mesh_migration(shardfft_particle_mesh mesh, int64_t count, const void* positions,
                                                 shardfft_migration* made);

/* Records that this rank had, and those that it has afterwards. */
shardfft_status shardfft_migration_sent(shardfft_migration migration, int64_t* count);
shardfft_status shardfft_migration_received(shardfft_migration migration, int64_t* count);
/* Moves records of `bytes` each to their ranks; back the other way, to their old places. Collective. */
shardfft_status shardfft_migration_move(shardfft_migration migration, const void* records, size_t bytes, void* moved);
shardfft_status shardfft_migration_back(shardfft_migration migration, const void* moved, size_t bytes, void* records);
shardfft_status shardfft_migration_free(shardfft_migration* made);

#ifdef __cplusplus
}
#endif
#endif
