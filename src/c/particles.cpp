// Particles on a mesh in the C interface.
#include "shardfft/c/particles.h"

#include "c/wall.hpp"

using namespace shardfft;
using namespace shardfft::c;

shardfft_status shardfft_particle_mesh_create(MPI_Comm comm, shardfft_layout layout, shardfft_assignment assignment,
                                              shardfft_precision precision, int axes, const double* lengths, int wrap,
                                              int64_t reach, int last_axis_first, shardfft_particle_mesh* made) {
  return guarded([&] {
    Layout cut;
    ParticleOptions options;
    agreed(comm, [&] {
      place(made, "mesh");
      cut = *get(layout);
      options = {lengths_of(axes, lengths), wrap != 0, reach, last_axis_first != 0};
    });
    give(made,
         ParticleMesh(comm, cut, static_cast<Assignment>(assignment), element_of(precision, 0).precision, options));
  });
}
shardfft_status shardfft_particle_mesh_create_f(MPI_Fint comm, shardfft_layout layout, shardfft_assignment assignment,
                                                shardfft_precision precision, int axes, const double* lengths, int wrap,
                                                int64_t reach, int last_axis_first, shardfft_particle_mesh* made) {
  return shardfft_particle_mesh_create(MPI_Comm_f2c(comm), layout, assignment, precision, axes, lengths, wrap, reach,
                                       last_axis_first, made);
}
shardfft_status shardfft_particle_mesh_free(shardfft_particle_mesh* made) { return end(made); }

shardfft_status shardfft_particle_mesh_deposit(shardfft_particle_mesh mesh, int64_t count, const void* positions,
                                               const void* weights, void* field) {
  return guarded([&] { get(mesh)->deposit(count, positions, weights, field); });
}
shardfft_status shardfft_particle_mesh_interpolate(shardfft_particle_mesh mesh, int64_t count, const void* positions,
                                                   const void* field, void* values) {
  return guarded([&] { get(mesh)->interpolate(count, positions, field, values); });
}
shardfft_status shardfft_particle_mesh_gradient(shardfft_particle_mesh mesh, int64_t count, const void* positions,
                                                const void* field, void* slopes) {
  return guarded([&] { get(mesh)->gradient(count, positions, field, slopes); });
}
shardfft_status shardfft_particle_mesh_migration(shardfft_particle_mesh mesh, int64_t count, const void* positions,
                                                 shardfft_migration* made) {
  return guarded([&] { give(made, get(mesh)->migration(count, positions)); });
}

shardfft_status shardfft_migration_sent(shardfft_migration migration, int64_t* count) {
  return asked(migration, count, "count", [](const Migration& m) { return m.sent(); });
}
shardfft_status shardfft_migration_received(shardfft_migration migration, int64_t* count) {
  return asked(migration, count, "count", [](const Migration& m) { return m.received(); });
}
shardfft_status shardfft_migration_move(shardfft_migration migration, const void* records, size_t bytes, void* moved) {
  return guarded([&] { get(migration)->move(records, bytes, moved); });
}
shardfft_status shardfft_migration_back(shardfft_migration migration, const void* moved, size_t bytes, void* records) {
  return guarded([&] { get(migration)->back(moved, bytes, records); });
}
shardfft_status shardfft_migration_free(shardfft_migration* made) { return end(made); }
