! Arrays of any elements change their layout without a transform.
module shardfft_redistribution_module
  use mpi_f08, only: MPI_Comm
  use shardfft_base
  use shardfft_layout_module
  use shardfft_options_module
  use shardfft_side_module
  implicit none
  private
  public :: shardfft_redistribution, shardfft_move

  ! Arrays are given by their addresses, c_loc(array), since elements may be of any type.
  type :: shardfft_redistribution
    type(c_ptr) :: handle = c_null_ptr
  contains
    include 'made/redistribution_bindings.inc'
  end type shardfft_redistribution

  ! Moves one array, once: call shardfft_move(comm, from, to, element_bytes, c_loc(a), c_loc(b)). Collective.
  interface shardfft_move
    procedure :: shardfft_move_old, shardfft_move_f08
  end interface shardfft_move

  include 'made/redistribution_c.inc'

contains

  include 'made/redistribution.inc'
end module shardfft_redistribution_module
