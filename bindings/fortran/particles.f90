! Particles on the mesh that a periodic array is. Positions are x(dims, particles); arrays are given by their addresses.
module shardfft_particles_module
  use mpi_f08, only: MPI_Comm
  use shardfft_base
  use shardfft_arrays
  use shardfft_layout_module
  implicit none
  private
  public :: shardfft_particle_mesh, shardfft_migration

  ! A move of particles to the ranks of their positions: mesh%migration().
  type :: shardfft_migration
    type(c_ptr) :: handle = c_null_ptr
  contains
    include 'made/migration_bindings.inc'
  end type shardfft_migration

  ! The points of an array as a mesh, which shardfft_create() makes: all its procedures are collective.
  type :: shardfft_particle_mesh
    type(c_ptr) :: handle = c_null_ptr
  contains
    include 'made/particle_mesh_bindings.inc'
  end type shardfft_particle_mesh

  include 'made/migration_c.inc'
  include 'made/particle_mesh_c.inc'

contains

  include 'made/migration.inc'
  include 'made/particle_mesh.inc'
end module shardfft_particles_module
