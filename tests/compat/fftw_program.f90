! FFTW's MPI interface as Fortran programs call it.
program fftw_program
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none
  include 'fftw3-mpi.f03'
  integer(c_intptr_t), parameter :: n0 = 10, n1 = 6
  integer(c_intptr_t) :: allocated, local_n1, start
  type(c_ptr) :: memory, plan
  complex(c_double_complex), pointer :: field(:, :)
  integer :: ierr, failures

  call MPI_Init(ierr)
  call fftw_mpi_init()
  ! Fortran's last index is the first one of C.
  allocated = fftw_mpi_local_size_2d(n1, n0, MPI_COMM_WORLD, local_n1, start)
  memory = fftw_alloc_complex(allocated)
  call c_f_pointer(memory, field, [n0, local_n1])
  plan = fftw_mpi_plan_dft_2d(n1, n0, field, field, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE)
  failures = 0
  if (.not. c_associated(plan)) then
    failures = 1
  else
    field = (1.0_c_double, 0.0_c_double)
    call fftw_mpi_execute_dft(plan, field, field)
    if (start == 0 .and. local_n1 > 0) then
      if (abs(field(1, 1) - n0 * n1) > 1e-10_c_double) failures = 1
      field(1, 1) = 0
    end if
    if (local_n1 > 0) then
      if (maxval(abs(field)) > 1e-10_c_double) failures = 1
    end if
    call fftw_destroy_plan(plan)
  end if
  call fftw_free(memory)
  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (failures /= 0) print *, 'wrong numbers, or no plan'
  call MPI_Finalize(ierr)
  if (failures /= 0) stop 1
end program fftw_program
