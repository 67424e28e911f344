! Solvers in Fortran: dimension 1 is the fastest, lists have an entry a dimension in this order, and so have sentences.
program test_poisson
  use kit
  use, intrinsic :: iso_c_binding, only: c_loc, c_null_ptr, c_ptr
  implicit none
  integer :: rank, ranks, stat
  character(len=200) :: errmsg
  type(shardfft_axis_boundary), parameter :: rising = shardfft_axis_boundary(shardfft_dirichlet, shardfft_neumann), &
    periodic = shardfft_axis_boundary(), open = shardfft_axis_boundary(shardfft_open, shardfft_open), &
    closed = shardfft_axis_boundary(shardfft_dirichlet, shardfft_dirichlet), &
    insulated = shardfft_axis_boundary(shardfft_neumann, shardfft_neumann)

  call MPI_Init()
  rank = my_rank()
  ranks = all_ranks()
  call manufactured([8, 7, 6], [periodic, periodic, periodic], 1e-11_real64, 1e-10_real64)
  call manufactured([8, 7, 6], [rising, closed, insulated], 1e-11_real64, 1e-10_real64, shift=2.5_real64)
  call manufactured([8, 7, 6], [closed, rising, periodic], 1e-11_real64, 1e-10_real64, points=shardfft_nodes)
  call manufactured([36, 7, 6], [open, rising, periodic], 1e-10_real64, 1e-8_real64)
  call manufactured([36, 36, 36], [open, open, open], 1e-10_real64, 1e-8_real64)
  call walls()
  call bad_solvers()
  call bad_calls()
  call finish()

contains

  ! A function that the ends of a dimension allow, its derivative, and its second derivative.
  function along(ends, x, length) result(of)
    type(shardfft_axis_boundary), intent(in) :: ends
    real(real64), intent(in) :: x, length
    real(real64) :: of(3), turn, y
    turn = pi / length * merge(2.0_real64, 1.5_real64, ends%lower == ends%upper)
    select case (ends%lower)
    case (shardfft_open)
      y = 16 * (x / length - 0.5_real64)
      of = exp(-y**2 / 2) * [1.0_real64, -16 / length * y, (16 / length)**2 * (y**2 - 1)]
    case (shardfft_neumann)
      of = [cos(turn * x), -turn * sin(turn * x), -turn**2 * cos(turn * x)]
    case default
      of = [sin(turn * x), turn * cos(turn * x), -turn**2 * sin(turn * x)]
    end select
  end function along

  ! The product of these functions comes back with its gradient, on slabs of the last dimension.
  subroutine manufactured(shape, boundary, most, most_slope, shift, points)
    integer, intent(in) :: shape(3)
    type(shardfft_axis_boundary), intent(in) :: boundary(3)
    real(real64), intent(in) :: most, most_slope
    real(real64), intent(in), optional :: shift
    integer, intent(in), optional :: points
    real(real64), parameter :: lengths(3) = [1.0_real64, 1.2_real64, 0.9_real64]
    type(shardfft_layout) :: layout
    type(shardfft_poisson) :: solver
    type(shardfft_progression), allocatable :: own(:)
    real(real64), allocatable, target :: f(:, :, :), u(:, :, :), slopes(:, :, :, :), expected(:, :, :, :)
    real(real64) :: x(maxval(shape), 3), of(3, 3)
    integer :: d, i, j, k, count
    call layout%slab(shape, ranks)
    call solver%create(MPI_COMM_WORLD, layout, shardfft_double, lengths, boundary, shift=shift, points=points)
    call layout%free()
    do d = 1, 3
      call solver%points(d, x(:shape(d), d))
    end do
    layout = solver%layout()
    own = layout%local(rank)
    count = int(own(3)%count)
    allocate (f(shape(1), shape(2), count), u(shape(1), shape(2), count), slopes(shape(1), shape(2), count, 3), &
      expected(shape(1), shape(2), count, 0:3))
    do k = 1, count
      do j = 1, shape(2)
        do i = 1, shape(1)
          of(:, 1) = along(boundary(1), x(i, 1), lengths(1))
          of(:, 2) = along(boundary(2), x(j, 2), lengths(2))
          of(:, 3) = along(boundary(3), x(int(own(3)%first) + k - 1, 3), lengths(3))
          expected(i, j, k, :) = [product(of(1, :)), of(2, 1) * of(1, 2) * of(1, 3), of(1, 1) * of(2, 2) * of(1, 3), &
            of(1, 1) * of(1, 2) * of(2, 3)]
          f(i, j, k) = of(3, 1) * of(1, 2) * of(1, 3) + of(1, 1) * of(3, 2) * of(1, 3) + of(1, 1) * of(1, 2) * of(3, 3)
          if (present(shift)) f(i, j, k) = f(i, j, k) - shift * expected(i, j, k, 0)
        end do
      end do
    end do
    call solver%solve(address(f), address(u), gradient=[(address(slopes(:, :, :, d)), d = 1, 3)])
    call check(all(abs(u - expected(:, :, :, 0)) < most), 'the solution')
    call check(all(abs(slopes - expected(:, :, :, 1:)) < most_slope), 'its gradient')
    call solver%solve(address(f), address(f))
    call check(all(abs(u - f) < most), 'in one array')
    call solver%free()
    call layout%free()
  end subroutine manufactured

  ! Of an array that may have no elements.
  type(c_ptr) function address(array)
    real(real64), intent(in), target, contiguous :: array(:, :, :)
    address = c_null_ptr
    if (size(array) > 0) address = c_loc(array)
  end function address

  ! u = 3 - 2 y between walls along dimension 1, of cells of one width and of several; and means.
  subroutine walls()
    real(real64), parameter :: cells(7) = [1, 2, 3, 4, 5, 6, 7] / 10.0_real64, lengths(2) = [2.8_real64, 1.0_real64]
    type(shardfft_layout) :: layout
    type(shardfft_poisson) :: solver
    type(shardfft_report) :: report
    type(shardfft_progression), allocatable :: own(:)
    real(real64), target :: f(7, 6), u(7, 6), below(6), above(6), y(7)
    type(shardfft_wall_values) :: values(2)
    integer :: i
    call layout%slab([7, 6], ranks)
    own = layout%local(rank)
    f = 0
    below = 3
    above = -2
    values = [shardfft_wall_values(1, shardfft_lower, c_loc(below)), shardfft_wall_values(1, shardfft_upper, c_loc(above))]
    call solver%create(MPI_COMM_WORLD, layout, shardfft_double, lengths, [rising, periodic])
    call solver%solve(c_loc(f), c_loc(u), values)
    call solver%points(1, y)
    do i = 1, int(own(2)%count)
      call check(all(abs(u(:, i) - (3 - 2 * y)) < 1e-12_real64), 'values at walls')
    end do
    report = solver%report()
    call check(index(report%to_text(), 'apply') > 0 .and. solver%workspace_bytes() > 0, 'the report')
    call report%free()
    call solver%free()
    call solver%create(MPI_COMM_WORLD, layout, shardfft_double, lengths, [rising, periodic], stretched_dim=1, cells=cells)
    call solver%solve(c_loc(f), c_loc(u), values)
    call solver%points(1, y)
    call check(abs(y(2) - 0.2_real64) < 1e-14_real64 .and. .not. solver%is_singular(), 'the centres of cells')
    do i = 1, int(own(2)%count)
      call check(all(abs(u(:, i) - (3 - 2 * y)) < 1e-12_real64), 'values at stretched walls')
    end do
    call solver%free()
    call solver%create(MPI_COMM_WORLD, layout, shardfft_double, lengths, [insulated, periodic], &
      wrong_mean=shardfft_remove, stretched_dim=1, cells=cells)
    call solver%weights(1, y)
    call check(solver%is_singular() .and. all(abs(y - cells) < 1e-15_real64), 'the shares of cells')
    f = spread(cells, 2, 6)
    call solver%adjoint(c_loc(f), c_loc(u))
    call check(all(abs(u(:, :int(own(2)%count))) < 1e-12_real64), 'the adjoint')
    call solver%free()
    call layout%free()
  end subroutine walls

  ! Dimension 3 is axis 0 of C.
  subroutine bad_solvers()
    type(shardfft_layout) :: layout
    type(shardfft_poisson) :: solver
    type(shardfft_options) :: options
    real(real64), parameter :: ones(3) = 1
    call layout%slab([7, 6, 5], ranks)
    call refused(layout, [periodic, periodic], 'boundaries for 2 dimensions, but the array has 3')
    call refused(layout, [shardfft_axis_boundary(shardfft_open, shardfft_dirichlet), periodic, periodic], &
      'dimension 1 is periodic or')
    call solver%create(MPI_COMM_WORLD, layout, shardfft_double, ones(:2), stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'lengths for 2 dimensions, but the array has 3')
    call solver%create(MPI_COMM_WORLD, layout, shardfft_double, [1.0_real64, 1.0_real64, -2.0_real64], stat=stat, &
      errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'along dimension 3 is -2')
    call solver%create(MPI_COMM_WORLD, layout, shardfft_double, ones, stretched_dim=4, stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'dimension 4 is to be stretched, but the array has 3 dimensions')
    call solver%create(MPI_COMM_WORLD, layout, shardfft_double, ones, [closed, periodic, periodic], stretched_dim=1, &
      cells=ones, stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, '3 widths of cells, but dimension 1 has 7')
    call options%set('norm', 'ortho')
    call solver%create(MPI_COMM_WORLD, layout, shardfft_double, ones, options=options, stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, "option norm is the solver's own")
    call solver%solve(c_null_ptr, c_null_ptr, stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the solver is a null handle')
    call options%free()
    call layout%free()
  end subroutine bad_solvers

  ! A boundary of the last rank alone.
  subroutine refused(layout, boundary, words)
    type(shardfft_layout), intent(in) :: layout
    type(shardfft_axis_boundary), intent(in) :: boundary(:)
    character(len=*), intent(in) :: words
    real(real64), parameter :: ones(3) = 1
    type(shardfft_poisson) :: solver
    if (rank == ranks - 1) then
      call solver%create(MPI_COMM_WORLD, layout, shardfft_double, ones, boundary, stat=stat, errmsg=errmsg)
    else
      call solver%create(MPI_COMM_WORLD, layout, shardfft_double, ones, stat=stat, errmsg=errmsg)
    end if
    call expect(stat, errmsg, shardfft_invalid_argument, words)
  end subroutine refused

  subroutine bad_calls()
    type(shardfft_layout) :: layout
    type(shardfft_poisson) :: solver
    real(real64), target :: f(42), u(42)
    f = 1
    call layout%slab([7, 6], ranks)
    call solver%create(MPI_COMM_WORLD, layout, shardfft_double, [1.0_real64, 1.0_real64])
    call solver%solve(c_loc(f), c_loc(u), stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the mean of f is 1')
    call solver%solve(c_loc(f), c_loc(u), [shardfft_wall_values(3, shardfft_lower, c_loc(f))], stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'dimension 3, but the array has 2 dimensions')
    call solver%solve(c_loc(f), c_loc(u), [shardfft_wall_values(2, shardfft_lower, c_loc(f))], stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'dimension 2 has no wall')
    call solver%solve(c_loc(f), c_loc(u), gradient=[c_loc(u)], stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'an array for the gradient is a null pointer')
    call solver%points(3, u, stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'dimension 3 is not a dimension of an array with 2 dimensions')
    call solver%free()
    call layout%free()
  end subroutine bad_calls
end program test_poisson
