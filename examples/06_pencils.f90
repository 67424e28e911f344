! The Fortran module, for programs that know 2DECOMP&FFT or P3DFFT: fields in x pencils, spectra in z pencils.
!   mpirun -n 4 ./example_06_pencils
!
! call decomp_2d_init(nx, ny, nz, p_row, p_col)   two layouts: call x%pencil(...), call z%pencil(...)
! call decomp_2d_fft_init                         call plan%create(MPI_COMM_WORLD, shardfft_r2c, x, output=z)
! xstart, xend; zstart, zend                      side%bounds(first, last), global indices from 1
! call decomp_2d_fft_3d(u, uh)                    call plan%forward(u, uh)
! call decomp_2d_fft_3d(uh, u)                    call plan%backward(uh, u), which divides by nx ny nz
program pencils
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use shardfft
  implicit none
  integer, parameter :: n(3) = [24, 20, 16]
  real(real64), parameter :: two_pi = 6.283185307179586_real64
  type(shardfft_layout) :: x, z
  type(shardfft_plan) :: plan
  integer :: ranks, rank, p_row, p_col, i, j, k
  integer, allocatable :: xstart(:), xend(:), zstart(:), zend(:)
  real(real64), allocatable :: u(:, :, :), dudx(:, :, :), kx(:)
  complex(real64), allocatable :: uh(:, :, :)
  real(real64) :: worst, all

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  p_row = merge(2, 1, mod(ranks, 2) == 0)
  p_col = ranks / p_row

  ! A real transform halves the first dimension: its spectrum has nx/2 + 1 modes there. x pencils are cut along y and z,
  ! z pencils along x and y.
  call x%pencil(n, ranks, grid=[p_row, p_col], dim=1)
  call z%pencil([n(1) / 2 + 1, n(2), n(3)], ranks, grid=[p_row, p_col], dim=3)
  call plan%create(MPI_COMM_WORLD, shardfft_r2c, x, output=z)
  call bounds_of(plan%input(), xstart, xend)
  call bounds_of(plan%output(), zstart, zend)
  allocate (u(xstart(1):xend(1), xstart(2):xend(2), xstart(3):xend(3)))
  allocate (uh(zstart(1):zend(1), zstart(2):zend(2), zstart(3):zend(3)))
  allocate (dudx, mold=u)

  do k = xstart(3), xend(3)
    do j = xstart(2), xend(2)
      do i = xstart(1), xend(1)
        u(i, j, k) = sin(2 * two_pi * (i - 1) / n(1)) * cos(two_pi * (j - 1) / n(2)) * cos(3 * two_pi * (k - 1) / n(3))
      end do
    end do
  end do

  ! d/dx in the spectrum: modes are the wavenumbers 0, 1, ..., nx/2 of a domain of length 2 pi.
  call plan%forward(u, uh)
  kx = [(real(i - 1, real64), i = zstart(1), zend(1))]
  do i = zstart(1), zend(1)
    uh(i, :, :) = cmplx(0, kx(i - zstart(1) + 1), real64) * uh(i, :, :)
  end do
  call plan%backward(uh, dudx)

  worst = 0
  do k = xstart(3), xend(3)
    do j = xstart(2), xend(2)
      do i = xstart(1), xend(1)
        worst = max(worst, abs(dudx(i, j, k) - 2 * cos(2 * two_pi * (i - 1) / n(1)) * cos(two_pi * (j - 1) / n(2)) &
          * cos(3 * two_pi * (k - 1) / n(3))))
      end do
    end do
  end do
  call MPI_Allreduce(worst, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(a, es8.1, a, i0, a, i0)', 'd/dx: largest error ', all, ' on ', p_row, ' x ', p_col

  call plan%free()
  call x%free()
  call z%free()
  call MPI_Finalize()
  if (all > 1e-12_real64) stop 1

contains

  subroutine bounds_of(side, first, last)
    type(shardfft_side), intent(in) :: side
    integer, allocatable, intent(out) :: first(:), last(:)
    type(shardfft_side) :: ended
    call side%bounds(first, last)
    ended = side
    call ended%free()
  end subroutine bounds_of
end program pencils
