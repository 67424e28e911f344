! Halos: copies of the neighbours' elements around each rank's part of an array.
module shardfft_halo_module
  use mpi_f08, only: MPI_Comm
  use shardfft_base
  use shardfft_layout_module
  use shardfft_options_module
  implicit none
  private
  public :: shardfft_halo

  ! Padded arrays are given by their addresses, c_loc(x).
  type :: shardfft_halo
    type(c_ptr) :: handle = c_null_ptr
    integer, private :: of = 0
  contains
    include 'made/halo_bindings.inc'
  end type shardfft_halo

  include 'made/halo_c.inc'

contains

  include 'made/halo.inc'
end module shardfft_halo_module
