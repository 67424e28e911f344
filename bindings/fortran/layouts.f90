! Layouts: which rank has which indices, and how its local array lies in memory.
module shardfft_layout_module
  use mpi_f08, only: MPI_Comm
  use shardfft_base
  implicit none
  private
  public :: shardfft_layout, shardfft_piece, shardfft_block_part_of, shardfft_cyclic_part_of, shardfft_common_part

  ! Indices, an entry a dimension, and their place in their owner's local array: the element with the first indices is
  ! number `start` (from 1), and `step` elements lie between neighbours along each dimension.
  type :: shardfft_piece
    type(shardfft_progression), allocatable :: dim(:)
    integer(int64) :: start = 1
    integer(int64), allocatable :: step(:)
  end type shardfft_piece

  ! shape: an extent a dimension, first the one that is fastest in memory, of default or 64-bit integers. order: the
  ! dimensions from the fastest in memory to the slowest; absent it is 1, 2, 3. ranks count from 0, as MPI's. grid: parts
  ! along each dimension, in their order; absent it is as square as can be. dim: absent it is the last dimension of slabs
  ! and the first of pencils. owner: absent it is rank 0.
  type :: shardfft_layout
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: grid, boxes, parts, pieces
    include 'made/layout_bindings.inc'
  end type shardfft_layout

  include 'made/layout_c.inc'

contains

  ! C's order; an order of another length than the shape is none, which C refuses.
  function order_for(shape, order) result(axes)
    class(*), intent(in) :: shape(:)
    integer, intent(in), optional :: order(:)
    integer(c_int), allocatable :: axes(:)
    integer :: i
    axes = [(int(i - 1, c_int), i = 1, size(shape))]
    if (.not. present(order)) return
    if (size(order) == size(shape)) then
      axes = axes_of(order, size(shape))
    else
      axes = -1
    end if
  end function order_for

  ! Explicit parts: number(d) of dimension d, all behind each other in `part`, dimension by dimension. The rank of a part
  ! is the sum of (coordinate(d) - 1) * rank_stride(d); absent, the first dimension counts ranks fastest.
  subroutine grid(self, shape, ranks, number, part, rank_stride, order, stat, errmsg)
    class(shardfft_layout), intent(inout) :: self
    class(*), intent(in) :: shape(:)
    integer, intent(in) :: ranks, number(:)
    type(shardfft_progression), intent(in) :: part(:)
    integer, intent(in), optional :: rank_stride(:), order(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: extents(:)
    integer(c_int), allocatable, target :: axes(:), numbers(:), strides(:)
    type(c_progression), allocatable, target :: cuts(:)
    type(c_ptr) :: stride_address
    integer :: d, last
    extents = turned(shape)
    axes = order_for(shape, order)
    if (.not. fits('the numbers of parts', size(number), size(shape), stat, errmsg)) return
    if (.not. fits('the list of parts', size(part), sum(number), stat, errmsg)) return
    numbers = int(turned(number), c_int)
    allocate (cuts(0))
    last = size(part)
    do d = size(number), 1, -1
      cuts = [cuts, turned_set(to_c(part(last - number(d) + 1:last)))]
      last = last - number(d)
    end do
    stride_address = c_null_ptr
    if (present(rank_stride)) then
      if (.not. fits('the rank strides', size(rank_stride), size(shape), stat, errmsg)) return
      strides = int(turned(rank_stride), c_int)
      stride_address = c_loc(strides)
    end if
    call settle(shardfft_layout_grid(size(extents, kind=c_int), c_loc(extents), int(ranks, c_int), c_loc(numbers), &
      c_loc(cuts), stride_address, c_loc(axes), self%handle), stat, errmsg, size(shape))
  end subroutine grid

  ! Parts of one dimension keep their order.
  function turned_set(set) result(result)
    type(c_progression), intent(in) :: set(:)
    type(c_progression), allocatable :: result(:)
    result = set(size(set):1:-1)
  end function turned_set

  ! One index set for each rank: sets(dimension, rank + 1). A set with count 0 is empty.
  subroutine boxes(self, shape, sets, order, stat, errmsg)
    class(shardfft_layout), intent(inout) :: self
    class(*), intent(in) :: shape(:)
    type(shardfft_progression), intent(in) :: sets(:, :)
    integer, intent(in), optional :: order(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: extents(:)
    integer(c_int), allocatable, target :: axes(:)
    type(c_progression), allocatable, target :: all(:, :)
    integer :: r
    extents = turned(shape)
    axes = order_for(shape, order)
    if (.not. fits('an index set', size(sets, 1), size(shape), stat, errmsg)) return
    allocate (all(size(sets, 1), size(sets, 2)))
    do r = 1, size(sets, 2)
      all(:, r) = to_c(sets(:, r))
    end do
    call settle(shardfft_layout_boxes(size(extents, kind=c_int), c_loc(extents), size(sets, 2, kind=c_int), c_loc(all), &
      c_loc(axes), self%handle), stat, errmsg, size(shape))
  end subroutine boxes

  ! Grid layouts: the parts of a dimension.
  function parts(self, dim, stat, errmsg) result(cuts)
    class(shardfft_layout), intent(in) :: self
    integer, intent(in) :: dim
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_progression), allocatable :: cuts(:)
    type(c_progression), allocatable, target :: c_cuts(:)
    integer(c_int), target :: count
    integer(c_int) :: axis, status
    integer :: of
    of = layout_axes(self, stat, errmsg)
    axis = axis_of(dim, of)
    count = 0
    status = shardfft_layout_parts(self%handle, axis, c_loc(count), c_null_ptr)
    allocate (c_cuts(max(count, 1)))
    if (status == 0) status = shardfft_layout_parts(self%handle, axis, c_loc(count), c_loc(c_cuts))
    cuts = from_c(turned_set(c_cuts(:count)))
    call settle(status, stat, errmsg, of)
  end function parts

  ! All pieces of a rank, with their places.
  function pieces(self, rank, stat, errmsg) result(all)
    class(shardfft_layout), intent(in) :: self
    integer, intent(in) :: rank
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_piece), allocatable :: all(:)
    type(c_piece), allocatable, target :: c_pieces(:)
    integer(c_int), target :: count
    integer(c_int) :: status
    integer :: n, p
    n = layout_axes(self, stat, errmsg)
    count = 0
    status = shardfft_layout_pieces(self%handle, int(rank, c_int), c_loc(count), c_null_ptr)
    allocate (c_pieces(max(count, 1)), all(count))
    if (status == 0) status = shardfft_layout_pieces(self%handle, int(rank, c_int), c_loc(count), c_loc(c_pieces))
    do p = 1, count
      all(p)%dim = from_c(c_pieces(p)%axis(:n))
      all(p)%start = c_pieces(p)%offset + 1
      all(p)%step = turned(c_pieces(p)%stride(:n))
    end do
    call settle(status, stat, errmsg)
  end function pieces

  include 'made/layout.inc'
end module shardfft_layout_module
