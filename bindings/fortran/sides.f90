! Sides of plans, buffers and reports: what plans give.
module shardfft_side_module
  use shardfft_base
  use shardfft_c_plan, only: shardfft_report_to_text, shardfft_report_to_json, shardfft_report_free
  use shardfft_c_side
  use shardfft_layout_module
  implicit none
  private
  public :: shardfft_side, shardfft_buffer, shardfft_report

  ! This rank's side of a plan's input or output. Dimensions and indices count from 1.
  type :: shardfft_side
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: layout => layout_of, element, fields, rank, dims => transformed_dims, transforms, points
    procedure :: real_extent, halved_dim, transform_of, count => count_of, bytes, frequencies, wavenumbers
    procedure :: coordinates, slopes, positions, weights
    procedure, private :: bounds_integer, bounds_long
    generic :: bounds => bounds_integer, bounds_long
    procedure :: free => free_side
  end type shardfft_side

  ! Memory of a plan's: c_f_pointer(buffer%data(), array, extents) makes an array of it.
  type :: shardfft_buffer
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: data => data_of, bytes => buffer_bytes
    procedure :: free => free_buffer
  end type shardfft_buffer

  ! What a plan chose and what it took; steps and layouts are in C's axes, which count from 0 and from the slowest.
  type :: shardfft_report
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: to_text, to_json
    procedure :: free => free_report
  end type shardfft_report

  abstract interface
    integer(c_int) function c_values(side, axis, unit, count, index, values) bind(C)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: side
      integer(c_int), value :: axis
      real(c_double), value :: unit
      integer(c_int64_t), value :: count
      type(c_ptr), value :: index
      type(c_ptr), value :: values
    end function c_values
  end interface

contains

  function layout_of(self, stat, errmsg) result(layout)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_layout) :: layout
    call settle(shardfft_side_layout(self%handle, layout%handle), stat, errmsg)
  end function layout_of

  ! The number of dimensions of its arrays.
  integer function rank_of_arrays(self, stat, errmsg) result(n)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_layout) :: layout
    n = 0
    layout = layout_of(self, stat, errmsg)
    if (.not. c_associated(layout%handle)) return
    n = layout%dims()
    call layout%free()
  end function rank_of_arrays

  ! The type of one number: shardfft_single or shardfft_double, and whether it is complex.
  subroutine element(self, precision, is_complex, stat, errmsg)
    class(shardfft_side), intent(in) :: self
    integer, intent(out) :: precision
    logical, intent(out) :: is_complex
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int), target :: number, complex_number
    integer(c_int) :: status
    number = 0
    complex_number = 0
    status = shardfft_side_element(self%handle, c_loc(number), c_loc(complex_number))
    precision = int(number)
    is_complex = complex_number /= 0
    call settle(status, stat, errmsg)
  end subroutine element

  ! Fields of the batch; the rank (from 0) whose side it is; elements and bytes of its array, all fields together.
  integer(int64) function fields(self, stat, errmsg)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: number
    number = 0
    call settle(shardfft_side_fields(self%handle, c_loc(number)), stat, errmsg)
    fields = number
  end function fields
  integer function rank(self, stat, errmsg)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int), target :: number
    number = 0
    call settle(shardfft_side_rank(self%handle, c_loc(number)), stat, errmsg)
    rank = int(number)
  end function rank
  integer(int64) function count_of(self, stat, errmsg)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: number
    number = 0
    call settle(shardfft_side_count(self%handle, c_loc(number)), stat, errmsg)
    count_of = number
  end function count_of
  integer(int64) function bytes(self, stat, errmsg)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_size_t), target :: number
    number = 0
    call settle(shardfft_side_bytes(self%handle, c_loc(number)), stat, errmsg)
    bytes = int(number, int64)
  end function bytes

  ! The first and the last index of this rank's box along each dimension; last is first - 1 where it owns nothing. Which
  ! dimension is the fastest in memory is what the layout's order() says: a plan that may choose its output layout may
  ! choose another than the first. Of default or 64-bit integers; an index that does not fit them is an error.
  subroutine bounds_integer(self, first, last, stat, errmsg)
    class(shardfft_side), intent(in) :: self
    integer, allocatable, intent(out) :: first(:), last(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: from(:), to(:)
    allocate (first(0), last(0))
    call bounds_long(self, from, to, stat, errmsg)
    if (any(to > huge(first))) then
      call settle_words(shardfft_invalid_argument, 'the last index of this rank''s box, ' // decimal(maxval(to)) // &
        ', does not fit a default integer; bounds of integer(int64) are expected', stat, errmsg)
      return
    end if
    first = int(from)
    last = int(to)
  end subroutine bounds_integer
  subroutine bounds_long(self, first, last, stat, errmsg)
    class(shardfft_side), intent(in) :: self
    integer(int64), allocatable, intent(out) :: first(:), last(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_layout) :: layout
    type(shardfft_progression), allocatable :: set(:)
    allocate (first(0), last(0))
    layout = layout_of(self, stat, errmsg)
    if (.not. c_associated(layout%handle)) return
    set = layout%local(rank(self), stat, errmsg)
    first = set%first
    last = set%first + set%count - 1
    if (any(set%count > 1 .and. set%stride /= 1)) call settle_words(shardfft_invalid_argument, &
      'this rank''s indices are no box: ask the layout for its pieces', stat, errmsg)
    call layout%free()
  end subroutine bounds_long

  ! The transformed dimensions; what is done along each of them; the number of points along each.
  function transformed_dims(self, stat, errmsg) result(dims)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer, allocatable :: dims(:)
    integer(c_int), target :: count, axes(10)
    integer(c_int) :: status
    count = 0
    status = shardfft_side_axes(self%handle, c_loc(count), c_loc(axes))
    dims = dims_of(axes(:count), rank_of_arrays(self, stat, errmsg))
    call settle(status, stat, errmsg)
  end function transformed_dims
  function transforms(self, stat, errmsg) result(words)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer, allocatable :: words(:)
    integer(c_int), target :: count, kinds(10)
    integer(c_int) :: status
    count = 0
    status = shardfft_side_transforms(self%handle, c_loc(count), c_loc(kinds))
    words = int(turned(int(kinds(:count))))
    call settle(status, stat, errmsg)
  end function transforms
  function points(self, stat, errmsg) result(numbers)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: numbers(:)
    integer(c_int64_t), target :: extents(10)
    integer(c_int), target :: count
    integer(c_int) :: status
    count = 0
    status = shardfft_side_points(self%handle, c_loc(count), c_loc(extents))
    numbers = turned(extents(:count))
    call settle(status, stat, errmsg)
  end function points

  ! Half spectra: extent of the halved dimension in the real array, and that dimension; else 0 and 0.
  integer(int64) function real_extent(self, stat, errmsg)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: number
    number = 0
    call settle(shardfft_side_real_extent(self%handle, c_loc(number)), stat, errmsg)
    real_extent = number
  end function real_extent
  integer function halved_dim(self, stat, errmsg)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int), target :: axis
    integer(c_int) :: status
    axis = -1
    status = shardfft_side_halved_axis(self%handle, c_loc(axis))
    halved_dim = 0
    if (axis >= 0) halved_dim = rank_of_arrays(self) - int(axis)
    call settle(status, stat, errmsg)
  end function halved_dim

  ! What the plan does along a dimension, which it must transform: shardfft_fft and so on.
  integer function transform_of(self, dim, stat, errmsg)
    class(shardfft_side), intent(in) :: self
    integer, intent(in) :: dim
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int), target :: number
    number = 0
    call settle(shardfft_side_transform_of(self%handle, int(rank_of_arrays(self, stat, errmsg) - dim, c_int), &
      c_loc(number)), stat, errmsg)
    transform_of = int(number)
  end function transform_of

  ! A number for each index of a dimension, of default or 64-bit integers: frequencies in cycles per unit of `spacing`; wavenumbers on a domain of
  ! `length`, also along dimensions with cosine and sine transforms; slopes, the wavenumbers of odd derivatives, which are 0
  ! for the mode that stands for both k and -k; coordinates, of which index 1 has 0; positions, where the dimension's
  ! transform has its points in a domain of `length`.
  function frequencies(self, dim, index, spacing, stat, errmsg) result(values)
    class(shardfft_side), intent(in) :: self
    integer, intent(in) :: dim
    class(*), intent(in) :: index(:)
    real(real64), intent(in), optional :: spacing
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(real64) :: values(size(index)), unit
    unit = 1
    if (present(spacing)) unit = spacing
    call ask(shardfft_side_frequencies, self, dim, index, unit, values, stat, errmsg)
  end function frequencies
  function wavenumbers(self, dim, index, length, stat, errmsg) result(values)
    class(shardfft_side), intent(in) :: self
    integer, intent(in) :: dim
    class(*), intent(in) :: index(:)
    real(real64), intent(in) :: length
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(real64) :: values(size(index))
    call ask(shardfft_side_wavenumbers, self, dim, index, length, values, stat, errmsg)
  end function wavenumbers
  function coordinates(self, dim, index, spacing, stat, errmsg) result(values)
    class(shardfft_side), intent(in) :: self
    integer, intent(in) :: dim
    class(*), intent(in) :: index(:)
    real(real64), intent(in), optional :: spacing
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(real64) :: values(size(index)), unit
    unit = 1
    if (present(spacing)) unit = spacing
    call ask(shardfft_side_coordinates, self, dim, index, unit, values, stat, errmsg)
  end function coordinates
  function slopes(self, dim, index, length, stat, errmsg) result(values)
    class(shardfft_side), intent(in) :: self
    integer, intent(in) :: dim
    class(*), intent(in) :: index(:)
    real(real64), intent(in) :: length
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(real64) :: values(size(index))
    call ask(shardfft_side_slopes, self, dim, index, length, values, stat, errmsg)
  end function slopes
  function positions(self, dim, index, length, stat, errmsg) result(values)
    class(shardfft_side), intent(in) :: self
    integer, intent(in) :: dim
    class(*), intent(in) :: index(:)
    real(real64), intent(in) :: length
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(real64) :: values(size(index))
    call ask(shardfft_side_positions, self, dim, index, length, values, stat, errmsg)
  end function positions

  ! How many waves the number at each index of a spectrum's dimension stands for.
  function weights(self, dim, index, stat, errmsg) result(values)
    class(shardfft_side), intent(in) :: self
    integer, intent(in) :: dim
    class(*), intent(in) :: index(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(real64) :: values(size(index))
    real(c_double), target :: found(max(size(index), 1))
    integer(c_int64_t), allocatable, target :: from_zero(:)
    values = 0
    if (.not. counted(index, from_zero, stat, errmsg)) return
    found = 0
    call settle(shardfft_side_weights(self%handle, int(rank_of_arrays(self, stat, errmsg) - dim, c_int), &
      size(index, kind=c_int64_t), c_loc(from_zero), c_loc(found)), stat, errmsg)
    values = found(:size(index))
  end function weights

  subroutine ask(what, self, dim, index, unit, values, stat, errmsg)
    procedure(c_values) :: what
    class(shardfft_side), intent(in) :: self
    integer, intent(in) :: dim
    class(*), intent(in) :: index(:)
    real(real64), intent(in) :: unit
    real(real64), intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: from_zero(:)
    real(c_double), target :: numbers(max(size(index), 1))
    integer(c_int) :: status
    values = 0
    if (.not. counted(index, from_zero, stat, errmsg)) return
    numbers = 0
    status = what(self%handle, int(rank_of_arrays(self, stat, errmsg) - dim, c_int), unit, &
      size(index, kind=c_int64_t), c_loc(from_zero), c_loc(numbers))
    values = numbers(:size(index))
    call settle(status, stat, errmsg)
  end subroutine ask

  ! C's indices; whether these are integers of a kind that is taken, else the call has failed.
  logical function counted(index, from_zero, stat, errmsg)
    class(*), intent(in) :: index(:)
    integer(c_int64_t), allocatable, intent(out) :: from_zero(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    allocate (from_zero(max(size(index), 1)), source=0_c_int64_t)
    counted = size(turned(index)) == size(index)
    if (counted) then
      from_zero(size(index):1:-1) = turned(index) - 1
    else
      call settle_words(shardfft_invalid_argument, 'the indices are no integers of default or 64-bit kind', stat, errmsg)
    end if
  end function counted

  subroutine free_side(self, stat, errmsg)
    class(shardfft_side), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(shardfft_side_free(self%handle), stat, errmsg)
  end subroutine free_side

  type(c_ptr) function data_of(self, stat, errmsg)
    class(shardfft_buffer), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    data_of = c_null_ptr
    call settle(shardfft_buffer_data(self%handle, data_of), stat, errmsg)
  end function data_of
  integer(int64) function buffer_bytes(self, stat, errmsg)
    class(shardfft_buffer), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_size_t), target :: number
    number = 0
    call settle(shardfft_buffer_bytes(self%handle, c_loc(number)), stat, errmsg)
    buffer_bytes = int(number, int64)
  end function buffer_bytes
  subroutine free_buffer(self, stat, errmsg)
    class(shardfft_buffer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(shardfft_buffer_free(self%handle), stat, errmsg)
  end subroutine free_buffer

  function to_text(self, stat, errmsg) result(text)
    class(shardfft_report), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: text
    type(c_ptr) :: address
    integer(c_int) :: status
    address = c_null_ptr
    status = shardfft_report_to_text(self%handle, address)
    text = owned_text(address)
    call settle(status, stat, errmsg)
  end function to_text
  function to_json(self, stat, errmsg) result(text)
    class(shardfft_report), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: text
    type(c_ptr) :: address
    integer(c_int) :: status
    address = c_null_ptr
    status = shardfft_report_to_json(self%handle, address)
    text = owned_text(address)
    call settle(status, stat, errmsg)
  end function to_json
  subroutine free_report(self, stat, errmsg)
    class(shardfft_report), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(shardfft_report_free(self%handle), stat, errmsg)
  end subroutine free_report
end module shardfft_side_module
