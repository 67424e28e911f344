! GPUs in the Fortran module: plans and redistributions over GPUs of this process, and operators over their lists of arrays.
! The arrays are small and on the host: everything else is tested in C++.
program test_fortran
  use kit
  use, intrinsic :: iso_c_binding, only: c_associated, c_loc, c_ptr
  implicit none
  integer, parameter :: n(2) = [6, 4], gpus = 2, part = 12
  character(len=*), parameter :: twice = &
    '__device__ double factor(const double* k, const long long* i) { return 2; }'

  call MPI_Init()
  if (index(shardfft_gpu_list(), new_line('a')) == 0) then
    print '(3a)', 'skipped: two GPUs are needed (', shardfft_gpu_runtime(), ')'
  else
    call transforms_and_operators()
    call redistributions()
  end if
  call finish()

contains

  ! A delta at the first point has ones as its spectrum, and comes back multiplied by an operator's factor.
  subroutine transforms_and_operators()
    type(shardfft_layout) :: planes
    type(shardfft_plan) :: plan
    type(shardfft_operator) :: op
    complex(real64), target :: u(part, gpus), uh(part, gpus), v(part, gpus)
    real(real64), target :: threes(part)
    character(len=400) :: errmsg
    integer :: stat
    call planes%slab(n, gpus)
    call plan%create([1, 0], shardfft_c2c, planes, natural=.true.)
    call check(plan%ranks() == gpus .and. plan%members() == gpus, 'ranks and members')
    call check(plan%device(1) == 1 .and. plan%device(2) == 0, 'each member has its GPU')
    u = 0
    u(1, 1) = 1
    uh = 0
    call plan%forward_members(list(u), list(uh))
    call check(all(abs(uh - 1) < 1e-14_real64), 'the spectrum of a delta')
    v = 0
    call plan%backward_members(list(uh), list(v))
    call check(all(abs(v - u) < 1e-14_real64), 'and back')

    threes = 3
    call op%arrays(shardfft_double, .false., [c_loc(threes), c_loc(threes)], [12_int64, 12_int64])
    call expect_times(plan, op, u, 3.0_real64, 'an array for each GPU')
    call op%of_indices(half)
    call expect_times(plan, op, u, 0.5_real64, 'a function of indices')
    call op%gaussian(0.0_real64)
    call expect_times(plan, op, u, 1.0_real64, 'an operator by name')
    v = 2 * u
    call plan%convolution_members(list(v), op)
    call expect_times(plan, op, u, 2.0_real64, 'convolution')
    if (index(shardfft_gpu_runtime(), 'CUDA') == 1) then
      call op%cuda(twice)
      call expect_times(plan, op, u, 2.0_real64, 'CUDA text')
    end if
    call op%arrays(shardfft_double, .false., [c_loc(threes)], [12_int64])
    call plan%apply_members(op, list(u), list(v), stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'has arrays of factors for 1 ranks of this process, but the plan has 2')
    call op%free()
    call plan%forward_members(list(u), [c_loc(v)], stat=stat, errmsg=errmsg)
    call check(stat == shardfft_invalid_argument, 'too few arrays')
    call plan%free()
    call planes%free()
  end subroutine transforms_and_operators

  subroutine expect_times(plan, op, u, factor, what)
    type(shardfft_plan), intent(inout) :: plan
    type(shardfft_operator), intent(inout) :: op
    complex(real64), intent(in), target :: u(:, :)
    real(real64), intent(in) :: factor
    character(len=*), intent(in) :: what
    complex(real64), target :: v(part, gpus)
    v = 0
    call plan%apply_members(op, list(u), list(v))
    call check(all(abs(v - factor * u) < 1e-13_real64), what)
    call op%free()
  end subroutine expect_times

  ! Rows become columns: whole numbers, each 1000 times its second index and once its first.
  subroutine redistributions()
    type(shardfft_layout) :: rows, columns
    type(shardfft_redistribution) :: move
    integer, target :: a(n(1), n(2)), b(n(1) / 2, n(2), gpus), c(n(1), n(2))
    integer :: i, j
    call rows%slab(n, gpus)
    call columns%slab(n, gpus, dim=1)
    call move%create([0, 1], rows, columns, 4)
    do j = 1, n(2)
      do i = 1, n(1)
        a(i, j) = 1000 * j + i
      end do
    end do
    b = 0
    c = 0
    call move%forward_members([c_loc(a(1, 1)), c_loc(a(1, 3))], [c_loc(b(1, 1, 1)), c_loc(b(1, 1, 2))])
    call check(all(b(:, :, 1) == a(:3, :)) .and. all(b(:, :, 2) == a(4:, :)), 'columns')
    call move%backward_members([c_loc(b(1, 1, 1)), c_loc(b(1, 1, 2))], [c_loc(c(1, 1)), c_loc(c(1, 3))])
    call check(all(c == a), 'and rows again')
    call check(move%device(2) == 1 .and. c_associated(move%stream(2)), 'the GPU and stream of a member')
    call move%free()
    call rows%free()
    call columns%free()
  end subroutine redistributions

  function list(arrays)
    complex(real64), intent(in), target :: arrays(:, :)
    type(c_ptr) :: list(size(arrays, 2))
    integer :: member
    list = [(c_loc(arrays(1, member)), member = 1, size(arrays, 2))]
  end function list

  function half(index) result(factor)
    integer(int64), intent(in) :: index(:)
    complex(real64) :: factor
    factor = 0.5_real64
    if (size(index) /= 2) factor = 0
  end function half
end program test_fortran
