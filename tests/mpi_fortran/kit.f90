! The common part of tests of the Fortran module: checks that count failures.
module kit
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08
  use shardfft
  implicit none

  integer :: failures = 0
  real(real64), parameter :: pi = 3.14159265358979323846_real64

contains

  integer function my_rank()
    call MPI_Comm_rank(MPI_COMM_WORLD, my_rank)
  end function my_rank
  integer function all_ranks()
    call MPI_Comm_size(MPI_COMM_WORLD, all_ranks)
  end function all_ranks

  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    failures = failures + 1
    print '(a, i0, 2a)', '[rank ', my_rank(), '] wrong: ', what
  end subroutine check

  ! A call must have failed so, with words that contain these.
  subroutine expect(stat, errmsg, status, words)
    integer, intent(in) :: stat, status
    character(len=*), intent(in) :: errmsg, words
    if (stat == status .and. index(errmsg, words) > 0) return
    call check(.false., words)
    print '(5a)', '  status ', shardfft_status_word(stat), ' instead of ', shardfft_status_word(status), ': ' // trim(errmsg)
  end subroutine expect

  subroutine finish()
    integer :: all
    call MPI_Allreduce(failures, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (my_rank() == 0 .and. all == 0) print '(a)', 'all passed'
    call MPI_Finalize()
    if (all > 0) stop 1
  end subroutine finish
end module kit
