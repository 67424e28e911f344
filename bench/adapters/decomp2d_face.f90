! The few calls of 2DECOMP&FFT that the driver needs, with C names. Its x, the fastest axis, is the driver's axis 2.
module decomp2d_face
  use, intrinsic :: iso_c_binding
  use decomp_2d
  use decomp_2d_constants
  use decomp_2d_fft
  implicit none

contains

  ! Starts the library; bounds get first and last indices (from 1) of the x pencils of the field and of the z pencils
  ! of the spectrum, x y z each.
  subroutine decomp2d_plan(n, grid, real_field, bounds) bind(C)
    integer(c_int), intent(in) :: n(3), grid(2), real_field
    integer(c_int), intent(out) :: bounds(12)
    integer :: first(3), last(3), extent(3), rows, columns
    rows = grid(1)
    columns = grid(2)
    ! The library's memory pool must be told beforehand which kind of transform will come.
    call decomp_2d_init(n(1), n(2), n(3), rows, columns, complex_pool=(real_field == 0))
    call decomp_2d_fft_init(PHYSICAL_IN_X)
    bounds(1:3) = xstart
    bounds(4:6) = xend
    if (real_field /= 0) then
      call decomp_2d_fft_get_size(first, last, extent)
      bounds(7:9) = first
      bounds(10:12) = last
    else
      bounds(7:9) = zstart
      bounds(10:12) = zend
    end if
  end subroutine decomp2d_plan

  subroutine decomp2d_c2c(from, to, from_extent, to_extent, sign) bind(C)
    integer(c_int), intent(in) :: from_extent(3), to_extent(3), sign
    complex(mytype), intent(inout) :: from(from_extent(1), from_extent(2), from_extent(3))
    complex(mytype), intent(inout) :: to(to_extent(1), to_extent(2), to_extent(3))
    call decomp_2d_fft_3d(from, to, sign)
  end subroutine decomp2d_c2c

  subroutine decomp2d_r2c(from, to, from_extent, to_extent) bind(C)
    integer(c_int), intent(in) :: from_extent(3), to_extent(3)
    real(mytype), intent(inout) :: from(from_extent(1), from_extent(2), from_extent(3))
    complex(mytype), intent(inout) :: to(to_extent(1), to_extent(2), to_extent(3))
    call decomp_2d_fft_3d(from, to)
  end subroutine decomp2d_r2c

  subroutine decomp2d_c2r(from, to, from_extent, to_extent) bind(C)
    integer(c_int), intent(in) :: from_extent(3), to_extent(3)
    complex(mytype), intent(inout) :: from(from_extent(1), from_extent(2), from_extent(3))
    real(mytype), intent(inout) :: to(to_extent(1), to_extent(2), to_extent(3))
    call decomp_2d_fft_3d(from, to)
  end subroutine decomp2d_c2r

  subroutine decomp2d_finish() bind(C)
    call decomp_2d_fft_finalize
    call decomp_2d_finalize
  end subroutine decomp2d_finish

  integer(c_int) function decomp2d_real_bytes() bind(C)
    decomp2d_real_bytes = storage_size(1.0_mytype)/8
  end function decomp2d_real_bytes

end module decomp2d_face
