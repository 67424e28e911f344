! Poisson's and Helmholtz's equations as plans, with a boundary for each dimension. Fields are given by their addresses,
! c_loc(f).
module shardfft_poisson_module
  use mpi_f08, only: MPI_Comm
  use shardfft_base
  use shardfft_layout_module
  use shardfft_options_module
  use shardfft_side_module
  implicit none
  private
  public :: shardfft_poisson, shardfft_axis_boundary, shardfft_wall_values

  ! The boundaries at both ends of a dimension, each of which may have its own wall: shardfft_periodic, shardfft_dirichlet,
  ! shardfft_neumann or shardfft_open.
  type, bind(C) :: shardfft_axis_boundary
    integer(c_int) :: lower = 0, upper = 0
  end type shardfft_axis_boundary

  ! Of the end shardfft_lower or shardfft_upper of a dimension: the address of the solution's values on a Dirichlet wall, or
  ! of its derivatives along the outward normal on a Neumann wall, one for each point of this rank's part that is next to
  ! the wall. They are 0 at ends that are not named.
  type, bind(C) :: shardfft_wall_values
    integer(c_int) :: dim = 1, end = 0
    type(c_ptr) :: values = c_null_ptr
  end type shardfft_wall_values

  ! create: the axis `stretched_dim` between walls has cells of the widths `cells`. The values of points, kernel, eigenvalues
  ! and wrong_mean are constants such as shardfft_nodes, shardfft_hockney, shardfft_second_order, shardfft_remove.
  type :: shardfft_poisson
    type(c_ptr) :: handle = c_null_ptr
    integer, private :: of = 0
  contains
    include 'made/poisson_bindings.inc'
  end type shardfft_poisson

  ! As C has it.
  type, bind(C) :: c_poisson_options
    integer(c_int) :: axes = 0
    type(c_ptr) :: boundary = c_null_ptr
    integer(c_int) :: points = 0
    real(c_double) :: shift = 0
    integer(c_int) :: kernel = 0, eigenvalues = 0, wrong_mean = 0
    real(c_double) :: tolerance = 0
    integer(c_int) :: stretched_axis = -1
    integer(c_int64_t) :: cell_count = 0
    type(c_ptr) :: cells = c_null_ptr, plan = c_null_ptr
  end type c_poisson_options

  include 'made/poisson_c.inc'

contains

  include 'made/poisson.inc'
end module shardfft_poisson_module
