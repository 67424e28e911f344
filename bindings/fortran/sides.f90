! Sides of plans, buffers and reports.
module shardfft_side_module
  use shardfft_base
  use shardfft_layout_module
  implicit none
  private
  public :: shardfft_side, shardfft_buffer, shardfft_report

  ! This rank's side of a plan's input or output. Dimensions and indices count from 1.
  type :: shardfft_side
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: bounds_integer, bounds_long
    generic :: bounds => bounds_integer, bounds_long
    include 'made/side_bindings.inc'
  end type shardfft_side

  ! Memory of a plan's: c_f_pointer(buffer%data(), array, extents) makes an array of it.
  type :: shardfft_buffer
    type(c_ptr) :: handle = c_null_ptr
  contains
    include 'made/buffer_bindings.inc'
  end type shardfft_buffer

  ! The choices of a plan, and their time and memory; steps and layouts are in C's axes, which count from 0 and from
  ! the slowest.
  type :: shardfft_report
    type(c_ptr) :: handle = c_null_ptr
  contains
    include 'made/report_bindings.inc'
  end type shardfft_report

  include 'made/side_c.inc'
  include 'made/buffer_c.inc'
  include 'made/report_c.inc'

contains

  ! The number of dimensions of its arrays.
  integer function dims_of_side(self, stat, errmsg) result(n)
    class(shardfft_side), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_layout) :: layout
    n = 0
    layout = side_layout(self, stat, errmsg)
    if (.not. c_associated(layout%handle)) return
    n = layout%dims()
    call layout%free()
  end function dims_of_side

  ! The first and the last index of this rank's box along each dimension; last is first - 1 if it owns nothing. The
  ! layout's order() has the dimension that is the fastest in memory: in an output layout that the plan chose it need
  ! not be the first. Of default or 64-bit integers; an index that does not fit them is an error.
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
    layout = side_layout(self, stat, errmsg)
    if (.not. c_associated(layout%handle)) return
    set = layout%local(side_rank(self), stat, errmsg)
    first = set%first
    last = set%first + set%count - 1
    if (any(set%count > 1 .and. set%stride /= 1)) call settle_words(shardfft_invalid_argument, &
      'this rank''s indices are no box: ask the layout for its pieces', stat, errmsg)
    call layout%free()
  end subroutine bounds_long

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

  include 'made/side.inc'
  include 'made/buffer.inc'
  include 'made/report.inc'
end module shardfft_side_module
