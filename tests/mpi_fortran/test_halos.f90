! Halos, particles and spectra in Fortran: dimension 1 is the fastest, and coordinates and components are in its order.
program test_halos
  use kit
  use, intrinsic :: iso_c_binding, only: c_loc, c_null_ptr
  implicit none
  integer :: rank, ranks

  call MPI_Init()
  rank = my_rank()
  ranks = all_ranks()
  call halos()
  call particles()
  call spectra()
  call finish()

contains

  ! Columns of 3 x (2 a rank): one halo column below and none above, nothing beside dimension 1.
  subroutine halos()
    type(shardfft_layout) :: layout
    type(shardfft_halo) :: halo
    type(shardfft_progression), allocatable :: own(:)
    real(real64), target :: x(3, 3)
    integer :: stat
    character(len=200) :: errmsg
    call layout%slab([3, 2 * ranks], ranks)
    call halo%create(MPI_COMM_WORLD, layout, [0, 1], [0, 0], precision=shardfft_double, is_complex=.false.)
    call check(all(halo%extents() == [3, 3]) .and. halo%count() == 9, 'the padded array')
    own = halo%owned()
    call check(own(2)%first == 2 * rank + 1 .and. own(2)%count == 2, 'the part')
    x = rank
    call halo%update(c_loc(x))
    call check(all(x(:, 1) == modulo(rank - 1, ranks)) .and. all(x(:, 2:) == rank), 'update')
    call halo%begin(c_loc(x))
    call halo%end()
    x = 1
    call halo%add_back(c_loc(x))
    call check(all(x(:, 1) == 0) .and. all(x(:, 2) == 1) .and. all(x(:, 3) == 2), 'add_back')
    call halo%free()
    call halo%create(MPI_COMM_WORLD, layout, [0, 1], [0], precision=shardfft_double, is_complex=.false., stat=stat, &
      errmsg=errmsg)
    call check(stat == shardfft_invalid_argument .and. index(errmsg, 'above') > 0, 'a width for each dimension')
    call layout%free()
  end subroutine halos

  subroutine particles()
    type(shardfft_layout) :: layout
    type(shardfft_particle_mesh) :: mesh
    type(shardfft_migration) :: move
    real(real64), target :: given(2, 1), mine(2, 1), field(2, 2), mass(1), value(1), slopes(2, 1)
    call layout%slab([2, 2 * ranks], ranks)
    call mesh%create(MPI_COMM_WORLD, layout, shardfft_cic, shardfft_double)
    ! Dimension 2 is cut over the ranks.
    given(:, 1) = [1.0_real64, 2 * modulo(rank + 1, ranks) + 0.25_real64]
    call mesh%migration(1_int64, c_loc(given), move)
    call check(move%sent() == 1 .and. move%received() == 1, 'one particle a rank')
    call move%move(c_loc(given), 16_int64, c_loc(mine))
    call check(mine(1, 1) == 1 .and. mine(2, 1) == 2 * rank + 0.25_real64, 'its position')
    call move%back(c_loc(mine), 16_int64, c_loc(given))
    mass = 4
    call mesh%deposit(1_int64, c_loc(mine), c_loc(mass), c_loc(field))
    call check(all(field(1, :) == 0) .and. all(field(2, :) == [3, 1]), 'deposit')
    call mesh%interpolate(1_int64, c_loc(mine), c_loc(field), c_loc(value))
    call mesh%gradient(1_int64, c_loc(mine), c_loc(field), c_loc(slopes))
    call check(value(1) == 2.5_real64 .and. slopes(2, 1) == -2, 'interpolation and its slope')
    call move%free()
    call mesh%free()
    call layout%free()
  end subroutine particles

  ! cos(x1) + 2 in all components: of dimension 1 alone the first one has a divergence.
  subroutine spectra()
    type(shardfft_layout) :: layout
    type(shardfft_options) :: options
    type(shardfft_plan) :: plan
    type(shardfft_side) :: input, output
    real(real64), allocatable, target :: u(:)
    complex(real64), allocatable, target :: s(:), w(:)
    real(real64) :: sums(8), numbers(18)
    integer(int64) :: shells
    integer :: i
    call layout%slab([4, 4, 4], ranks)
    call options%set('batch', 3)
    call options%set('norm', 'forward')
    call plan%create(MPI_COMM_WORLD, shardfft_r2c, layout, options=options)
    input = plan%input()
    output = plan%output()
    allocate (u(input%count()), s(output%count()), w(output%count()))
    do i = 1, 4
      u(i::4) = 2 + cos(acos(-1.0_real64) / 2 * (i - 1))
    end do
    call plan%forward(u, s)
    call shardfft_energy_shells(MPI_COMM_WORLD, output, c_loc(s), sums=sums, shells=shells)
    call check(shells >= 4 .and. abs(sums(1) - 6) < 1e-14_real64 .and. abs(sums(2) - 0.75_real64) < 1e-14_real64, 'energy')
    call shardfft_cross_shells(MPI_COMM_WORLD, output, c_loc(s), c_loc(s), sums=sums, shells=shells)
    call check(abs(sums(2) - 1.5_real64) < 1e-14_real64, 'cross')
    call shardfft_moments_of(MPI_COMM_WORLD, input, c_loc(u), numbers)
    call check(abs(numbers(1) - 2) < 1e-14_real64 .and. abs(numbers(8) - 0.5_real64) < 1e-14_real64, 'moments')
    call shardfft_projection_of(output, c_loc(s), c_loc(s))
    i = int(output%count() / 3)
    call shardfft_energy_shells(MPI_COMM_WORLD, output, c_loc(s), sums=sums, shells=shells)
    call check(abs(sums(2) - 0.5_real64) < 1e-14_real64, 'the part along dimension 1 is gone')
    call shardfft_divergence_of(output, c_loc(s), c_loc(w))
    call check(all(abs(w(:i)) < 1e-14_real64), 'no divergence')
    call shardfft_curl_of(output, c_loc(s), c_loc(s))
    call shardfft_gradient_of(output, c_loc(s), c_loc(w))
    call shardfft_energy_shells(MPI_COMM_WORLD, output, c_loc(s), sums=sums, shells=shells)
    call check(abs(sums(1)) < 1e-14_real64 .and. abs(sums(2) - 0.5_real64) < 1e-14_real64, 'curl')
    call plan%free()
    call options%free()
    call layout%free()
    call input%free()
    call output%free()
  end subroutine spectra
end program test_halos
