! Layouts: which rank has which indices, and how its local array lies in memory.
module shardfft_layout_module
  use mpi_f08, only: MPI_Comm
  use shardfft_base
  use shardfft_c_layout
  implicit none
  private
  public :: shardfft_layout, shardfft_piece, shardfft_block_part_of, shardfft_cyclic_part_of, shardfft_common_part

  ! Indices, an entry a dimension, and where they lie in their owner's local array: the element with the first indices is
  ! number `start` (from 1), and `step` elements lie between neighbours along each dimension.
  type :: shardfft_piece
    type(shardfft_progression), allocatable :: dim(:)
    integer(int64) :: start = 1
    integer(int64), allocatable :: step(:)
  end type shardfft_piece

  ! shape: an extent a dimension, first the one that is fastest in memory, of default or 64-bit integers. order: the
  ! dimensions from the fastest in memory to the slowest; absent it is 1, 2, 3. ranks count from 0, as MPI's. grid: parts
  ! along each dimension, in their order; absent it is as square as can be.
  type :: shardfft_layout
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: slab, pencil, brick, cyclic, grid, boxes, single
    procedure, private :: gather_old, gather_f08
    generic :: gather => gather_old, gather_f08
    procedure :: dims, ranks, shape => shape_of, order => order_of, is_grid, parts, rank_stride
    procedure :: count => count_of, max_count, local, pieces, dim_is_local, same_as
    procedure :: with_extent, with_order, with_batch, without_batch, validate, fingerprint, describe
    procedure :: free => free_layout
  end type shardfft_layout

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

  ! Whether a list has as many entries as it must; else the call has failed.
  logical function fits(name, has, expected, stat, errmsg)
    character(len=*), intent(in) :: name
    integer, intent(in) :: has, expected
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    fits = has == expected
    if (.not. fits) call settle_words(shardfft_invalid_argument, name // ' has ' // decimal(int(has, int64)) // &
      ' entries; ' // decimal(int(expected, int64)) // ' are expected', stat, errmsg)
  end function fits

  ! Planes along dimension `dim` (absent: the last), dealt in near-equal runs; ranks beyond the planes own nothing.
  subroutine slab(self, shape, ranks, dim, order, stat, errmsg)
    class(shardfft_layout), intent(inout) :: self
    class(*), intent(in) :: shape(:)
    integer, intent(in) :: ranks
    integer, intent(in), optional :: dim, order(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: extents(:)
    integer(c_int), allocatable, target :: axes(:)
    integer(c_int) :: axis
    extents = turned(shape)
    axes = order_for(shape, order)
    axis = 0
    if (present(dim)) axis = int(size(shape) - dim, c_int)
    call settle(shardfft_layout_slab(size(extents, kind=c_int), c_loc(extents), int(ranks, c_int), axis, c_loc(axes), &
      self%handle), stat, errmsg)
  end subroutine slab

  ! Lines along dimension `dim` (absent: the first); the others are cut by `grid`, an entry for each of them.
  subroutine pencil(self, shape, ranks, grid, dim, order, stat, errmsg)
    class(shardfft_layout), intent(inout) :: self
    class(*), intent(in) :: shape(:)
    integer, intent(in) :: ranks
    integer, intent(in), optional :: grid(:), dim, order(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: extents(:), factors(:)
    integer(c_int), allocatable, target :: axes(:)
    type(c_ptr) :: grid_address
    integer(c_int) :: axis
    extents = turned(shape)
    axes = order_for(shape, order)
    grid_address = c_null_ptr
    if (present(grid)) then
      if (.not. fits('the grid of pencils', size(grid), size(shape) - 1, stat, errmsg)) return
      factors = turned(grid)
      grid_address = c_loc(factors)
    end if
    axis = int(size(shape) - 1, c_int)
    if (present(dim)) axis = int(size(shape) - dim, c_int)
    call settle(shardfft_layout_pencil(size(extents, kind=c_int), c_loc(extents), int(ranks, c_int), grid_address, axis, &
      c_loc(axes), self%handle), stat, errmsg)
  end subroutine pencil

  ! Dimension d is cut in grid(d) near-equal runs; the first dimension of the grid counts ranks fastest.
  subroutine brick(self, shape, ranks, grid, order, stat, errmsg)
    class(shardfft_layout), intent(inout) :: self
    class(*), intent(in) :: shape(:)
    integer, intent(in) :: ranks
    integer, intent(in), optional :: grid(:), order(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: extents(:), factors(:)
    integer(c_int), allocatable, target :: axes(:)
    type(c_ptr) :: grid_address
    extents = turned(shape)
    axes = order_for(shape, order)
    grid_address = c_null_ptr
    if (present(grid)) then
      if (.not. fits('the grid', size(grid), size(shape), stat, errmsg)) return
      factors = turned(grid)
      grid_address = c_loc(factors)
    end if
    call settle(shardfft_layout_brick(size(extents, kind=c_int), c_loc(extents), int(ranks, c_int), grid_address, &
      c_loc(axes), self%handle), stat, errmsg)
  end subroutine brick

  ! Along dimension d, grid coordinate c (from 1) owns c, c + grid(d), ...; without a grid the last one is dealt.
  subroutine cyclic(self, shape, ranks, grid, order, stat, errmsg)
    class(shardfft_layout), intent(inout) :: self
    class(*), intent(in) :: shape(:)
    integer, intent(in) :: ranks
    integer, intent(in), optional :: grid(:), order(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: extents(:), factors(:)
    integer(c_int), allocatable, target :: axes(:)
    type(c_ptr) :: grid_address
    extents = turned(shape)
    axes = order_for(shape, order)
    grid_address = c_null_ptr
    if (present(grid)) then
      if (.not. fits('the grid', size(grid), size(shape), stat, errmsg)) return
      factors = turned(grid)
      grid_address = c_loc(factors)
    end if
    call settle(shardfft_layout_cyclic(size(extents, kind=c_int), c_loc(extents), int(ranks, c_int), grid_address, &
      c_loc(axes), self%handle), stat, errmsg)
  end subroutine cyclic

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
      c_loc(cuts), stride_address, c_loc(axes), self%handle), stat, errmsg)
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
      c_loc(axes), self%handle), stat, errmsg)
  end subroutine boxes

  ! Everything on rank `owner`.
  subroutine single(self, shape, ranks, owner, order, stat, errmsg)
    class(shardfft_layout), intent(inout) :: self
    class(*), intent(in) :: shape(:)
    integer, intent(in) :: ranks
    integer, intent(in), optional :: owner, order(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: extents(:)
    integer(c_int), allocatable, target :: axes(:)
    integer(c_int) :: rank
    extents = turned(shape)
    axes = order_for(shape, order)
    rank = 0
    if (present(owner)) rank = int(owner, c_int)
    call settle(shardfft_layout_single(size(extents, kind=c_int), c_loc(extents), int(ranks, c_int), rank, c_loc(axes), &
      self%handle), stat, errmsg)
  end subroutine single

  ! The layout whose rank owns what it passes as `mine`, an entry a dimension. Collective; fails on every rank when the
  ! sets do not tile the array.
  subroutine gather_old(self, comm, shape, mine, order, stat, errmsg)
    class(shardfft_layout), intent(inout) :: self
    integer, intent(in) :: comm
    class(*), intent(in) :: shape(:)
    type(shardfft_progression), intent(in) :: mine(:)
    integer, intent(in), optional :: order(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: extents(:)
    integer(c_int), allocatable, target :: axes(:)
    type(c_progression), allocatable, target :: set(:)
    type(c_ptr) :: set_address
    extents = turned(shape)
    axes = order_for(shape, order)
    set = to_c(mine)
    set_address = c_loc(set)
    if (size(mine) /= size(shape)) set_address = c_null_ptr  ! which all ranks hear of
    call settle(shardfft_gather_layout_f(int(comm, c_int), size(extents, kind=c_int), c_loc(extents), set_address, &
      c_loc(axes), self%handle), stat, errmsg)
  end subroutine gather_old
  subroutine gather_f08(self, comm, shape, mine, order, stat, errmsg)
    class(shardfft_layout), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    class(*), intent(in) :: shape(:)
    type(shardfft_progression), intent(in) :: mine(:)
    integer, intent(in), optional :: order(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call gather_old(self, comm%mpi_val, shape, mine, order, stat, errmsg)
  end subroutine gather_f08

  include 'layout_queries.inc'

  subroutine free_layout(self, stat, errmsg)
    class(shardfft_layout), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(shardfft_layout_free(self%handle), stat, errmsg)
  end subroutine free_layout

  ! Part `index` (from 1) of `parts` near-equal runs of 1 .. extent.
  function shardfft_block_part_of(extent, parts, index, stat, errmsg) result(part)
    integer(int64), intent(in) :: extent, parts, index
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_progression) :: part
    type(c_progression), target :: c_part(1)
    integer(c_int) :: status
    c_part = c_progression(0, 0, 1)
    status = shardfft_block_part(extent, parts, index - 1, c_loc(c_part))
    part = shardfft_progression(c_part(1)%first + 1, c_part(1)%count, c_part(1)%stride)
    call settle(status, stat, errmsg)
  end function shardfft_block_part_of

  ! The indices index, index + parts, ... up to extent.
  function shardfft_cyclic_part_of(extent, parts, index, stat, errmsg) result(part)
    integer(int64), intent(in) :: extent, parts, index
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_progression) :: part
    type(c_progression), target :: c_part(1)
    integer(c_int) :: status
    c_part = c_progression(0, 0, 1)
    status = shardfft_cyclic_part(extent, parts, index - 1, c_loc(c_part))
    part = shardfft_progression(c_part(1)%first + 1, c_part(1)%count, c_part(1)%stride)
    call settle(status, stat, errmsg)
  end function shardfft_cyclic_part_of

  ! The common indices of two progressions.
  function shardfft_common_part(a, b, stat, errmsg) result(common)
    type(shardfft_progression), intent(in) :: a, b
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_progression) :: common
    type(c_progression), target :: both(2), c_common(1)
    integer(c_int) :: status
    both = to_c([b, a])
    c_common = c_progression(0, 0, 1)
    status = shardfft_intersect(c_loc(both(1)), c_loc(both(2)), c_loc(c_common))
    common = shardfft_progression(c_common(1)%first + 1, c_common(1)%count, c_common(1)%stride)
    call settle(status, stat, errmsg)
  end function shardfft_common_part
end module shardfft_layout_module
