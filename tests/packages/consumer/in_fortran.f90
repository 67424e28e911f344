! The spectrum of a delta is 1 everywhere.
program in_fortran
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use shardfft
  implicit none
  type(shardfft_layout) :: layout
  type(shardfft_plan) :: plan
  complex(real64) :: in(24), out(24)
  integer :: rank, ranks, n
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  in = 0
  if (rank == 0) in(1) = 1
  call layout%slab([4, 6], ranks)
  call plan%create(MPI_COMM_WORLD, shardfft_c2c, layout)
  call plan%forward(in, out)
  n = int(plan%output_count())
  if (any(abs(out(:n) - 1) > 1e-14_real64)) error stop 1
  call plan%free()
  call layout%free()
  call MPI_Finalize()
end program in_fortran
