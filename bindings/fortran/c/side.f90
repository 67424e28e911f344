! Made by make_interface.py from include/shardfft/c/side.h, which says what these functions do.
module shardfft_c_side
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_ptr
  implicit none
  public

  interface
    function shardfft_side_layout(side, layout) bind(C, name="shardfft_side_layout")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_side_layout
    end function shardfft_side_layout

    function shardfft_side_element(side, precision, is_complex) bind(C, &
        name="shardfft_side_element")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), value :: precision
      type(c_ptr), value :: is_complex
      integer(c_int) :: shardfft_side_element
    end function shardfft_side_element

    function shardfft_side_fields(side, fields) bind(C, name="shardfft_side_fields")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), value :: fields
      integer(c_int) :: shardfft_side_fields
    end function shardfft_side_fields

    function shardfft_side_rank(side, rank) bind(C, name="shardfft_side_rank")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), value :: rank
      integer(c_int) :: shardfft_side_rank
    end function shardfft_side_rank

    function shardfft_side_axes(side, count, axes) bind(C, name="shardfft_side_axes")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), value :: count
      type(c_ptr), value :: axes
      integer(c_int) :: shardfft_side_axes
    end function shardfft_side_axes

    function shardfft_side_transforms(side, count, transforms) bind(C, &
        name="shardfft_side_transforms")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), value :: count
      type(c_ptr), value :: transforms
      integer(c_int) :: shardfft_side_transforms
    end function shardfft_side_transforms

    function shardfft_side_points(side, count, points) bind(C, name="shardfft_side_points")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), value :: count
      type(c_ptr), value :: points
      integer(c_int) :: shardfft_side_points
    end function shardfft_side_points

    function shardfft_side_real_extent(side, extent) bind(C, name="shardfft_side_real_extent")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), value :: extent
      integer(c_int) :: shardfft_side_real_extent
    end function shardfft_side_real_extent

    function shardfft_side_halved_axis(side, axis) bind(C, name="shardfft_side_halved_axis")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), value :: axis
      integer(c_int) :: shardfft_side_halved_axis
    end function shardfft_side_halved_axis

    function shardfft_side_transform_of(side, axis, transform) bind(C, &
        name="shardfft_side_transform_of")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      integer(c_int), value :: axis
      type(c_ptr), value :: transform
      integer(c_int) :: shardfft_side_transform_of
    end function shardfft_side_transform_of

    function shardfft_side_count(side, count) bind(C, name="shardfft_side_count")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), value :: count
      integer(c_int) :: shardfft_side_count
    end function shardfft_side_count

    function shardfft_side_bytes(side, bytes) bind(C, name="shardfft_side_bytes")
      import :: c_int, c_ptr
      type(c_ptr), value :: side
      type(c_ptr), value :: bytes
      integer(c_int) :: shardfft_side_bytes
    end function shardfft_side_bytes

    function shardfft_side_frequencies(side, axis, spacing, count, index, values) bind(C, &
        name="shardfft_side_frequencies")
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: side
      integer(c_int), value :: axis
      real(c_double), value :: spacing
      integer(c_int64_t), value :: count
      type(c_ptr), value :: index
      type(c_ptr), value :: values
      integer(c_int) :: shardfft_side_frequencies
    end function shardfft_side_frequencies

    function shardfft_side_wavenumbers(side, axis, length, count, index, values) bind(C, &
        name="shardfft_side_wavenumbers")
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: side
      integer(c_int), value :: axis
      real(c_double), value :: length
      integer(c_int64_t), value :: count
      type(c_ptr), value :: index
      type(c_ptr), value :: values
      integer(c_int) :: shardfft_side_wavenumbers
    end function shardfft_side_wavenumbers

    function shardfft_side_coordinates(side, axis, spacing, count, index, values) bind(C, &
        name="shardfft_side_coordinates")
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: side
      integer(c_int), value :: axis
      real(c_double), value :: spacing
      integer(c_int64_t), value :: count
      type(c_ptr), value :: index
      type(c_ptr), value :: values
      integer(c_int) :: shardfft_side_coordinates
    end function shardfft_side_coordinates

    function shardfft_side_slopes(side, axis, length, count, index, values) bind(C, &
        name="shardfft_side_slopes")
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: side
      integer(c_int), value :: axis
      real(c_double), value :: length
      integer(c_int64_t), value :: count
      type(c_ptr), value :: index
      type(c_ptr), value :: values
      integer(c_int) :: shardfft_side_slopes
    end function shardfft_side_slopes

    function shardfft_side_positions(side, axis, length, count, index, values) bind(C, &
        name="shardfft_side_positions")
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: side
      integer(c_int), value :: axis
      real(c_double), value :: length
      integer(c_int64_t), value :: count
      type(c_ptr), value :: index
      type(c_ptr), value :: values
      integer(c_int) :: shardfft_side_positions
    end function shardfft_side_positions

    function shardfft_side_weights(side, axis, count, index, weights) bind(C, &
        name="shardfft_side_weights")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: side
      integer(c_int), value :: axis
      integer(c_int64_t), value :: count
      type(c_ptr), value :: index
      type(c_ptr), value :: weights
      integer(c_int) :: shardfft_side_weights
    end function shardfft_side_weights

    function shardfft_side_free(side) bind(C, name="shardfft_side_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: side
      integer(c_int) :: shardfft_side_free
    end function shardfft_side_free
  end interface
end module shardfft_c_side
