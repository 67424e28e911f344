! Made by make_interface.py from include/shardfft/c/layout.h, which says what these functions do.
module shardfft_c_layout
  use, intrinsic :: iso_c_binding, only: c_funptr, c_int, c_int64_t, c_ptr
  implicit none
  public

  interface
    function shardfft_layout_slab(axes, shape, ranks, axis, order, layout) bind(C, &
        name="shardfft_layout_slab")
      import :: c_int, c_ptr
      integer(c_int), value :: axes
      type(c_ptr), value :: shape
      integer(c_int), value :: ranks
      integer(c_int), value :: axis
      type(c_ptr), value :: order
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_layout_slab
    end function shardfft_layout_slab

    function shardfft_layout_pencil(axes, shape, ranks, grid, local_axis, order, &
        layout) bind(C, name="shardfft_layout_pencil")
      import :: c_int, c_ptr
      integer(c_int), value :: axes
      type(c_ptr), value :: shape
      integer(c_int), value :: ranks
      type(c_ptr), value :: grid
      integer(c_int), value :: local_axis
      type(c_ptr), value :: order
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_layout_pencil
    end function shardfft_layout_pencil

    function shardfft_layout_brick(axes, shape, ranks, grid, order, layout) bind(C, &
        name="shardfft_layout_brick")
      import :: c_int, c_ptr
      integer(c_int), value :: axes
      type(c_ptr), value :: shape
      integer(c_int), value :: ranks
      type(c_ptr), value :: grid
      type(c_ptr), value :: order
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_layout_brick
    end function shardfft_layout_brick

    function shardfft_layout_cyclic(axes, shape, ranks, grid, order, layout) bind(C, &
        name="shardfft_layout_cyclic")
      import :: c_int, c_ptr
      integer(c_int), value :: axes
      type(c_ptr), value :: shape
      integer(c_int), value :: ranks
      type(c_ptr), value :: grid
      type(c_ptr), value :: order
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_layout_cyclic
    end function shardfft_layout_cyclic

    function shardfft_layout_grid(axes, shape, ranks, parts, part, rank_stride, order, &
        layout) bind(C, name="shardfft_layout_grid")
      import :: c_int, c_ptr
      integer(c_int), value :: axes
      type(c_ptr), value :: shape
      integer(c_int), value :: ranks
      type(c_ptr), value :: parts
      type(c_ptr), value :: part
      type(c_ptr), value :: rank_stride
      type(c_ptr), value :: order
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_layout_grid
    end function shardfft_layout_grid

    function shardfft_layout_boxes(axes, shape, ranks, sets, order, layout) bind(C, &
        name="shardfft_layout_boxes")
      import :: c_int, c_ptr
      integer(c_int), value :: axes
      type(c_ptr), value :: shape
      integer(c_int), value :: ranks
      type(c_ptr), value :: sets
      type(c_ptr), value :: order
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_layout_boxes
    end function shardfft_layout_boxes

    function shardfft_layout_single(axes, shape, ranks, owner, order, layout) bind(C, &
        name="shardfft_layout_single")
      import :: c_int, c_ptr
      integer(c_int), value :: axes
      type(c_ptr), value :: shape
      integer(c_int), value :: ranks
      integer(c_int), value :: owner
      type(c_ptr), value :: order
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_layout_single
    end function shardfft_layout_single

    function shardfft_layout_from_pieces(axes, shape, ranks, pieces, piece, layout) bind(C, &
        name="shardfft_layout_from_pieces")
      import :: c_int, c_ptr
      integer(c_int), value :: axes
      type(c_ptr), value :: shape
      integer(c_int), value :: ranks
      type(c_ptr), value :: pieces
      type(c_ptr), value :: piece
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_layout_from_pieces
    end function shardfft_layout_from_pieces

    function shardfft_gather_layout_f(comm, axes, shape, mine, order, layout) bind(C, &
        name="shardfft_gather_layout_f")
      import :: c_int, c_ptr
      integer(c_int), value :: comm
      integer(c_int), value :: axes
      type(c_ptr), value :: shape
      type(c_ptr), value :: mine
      type(c_ptr), value :: order
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_gather_layout_f
    end function shardfft_gather_layout_f

    function shardfft_layout_free(layout) bind(C, name="shardfft_layout_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: shardfft_layout_free
    end function shardfft_layout_free

    function shardfft_layout_axes(layout, axes) bind(C, name="shardfft_layout_axes")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: axes
      integer(c_int) :: shardfft_layout_axes
    end function shardfft_layout_axes

    function shardfft_layout_shape(layout, shape) bind(C, name="shardfft_layout_shape")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: shape
      integer(c_int) :: shardfft_layout_shape
    end function shardfft_layout_shape

    function shardfft_layout_ranks(layout, ranks) bind(C, name="shardfft_layout_ranks")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: ranks
      integer(c_int) :: shardfft_layout_ranks
    end function shardfft_layout_ranks

    function shardfft_layout_order(layout, order) bind(C, name="shardfft_layout_order")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: order
      integer(c_int) :: shardfft_layout_order
    end function shardfft_layout_order

    function shardfft_layout_is_grid(layout, is_grid) bind(C, name="shardfft_layout_is_grid")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: is_grid
      integer(c_int) :: shardfft_layout_is_grid
    end function shardfft_layout_is_grid

    function shardfft_layout_parts(layout, axis, count, parts) bind(C, &
        name="shardfft_layout_parts")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      integer(c_int), value :: axis
      type(c_ptr), value :: count
      type(c_ptr), value :: parts
      integer(c_int) :: shardfft_layout_parts
    end function shardfft_layout_parts

    function shardfft_layout_rank_stride(layout, rank_stride) bind(C, &
        name="shardfft_layout_rank_stride")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: rank_stride
      integer(c_int) :: shardfft_layout_rank_stride
    end function shardfft_layout_rank_stride

    function shardfft_layout_count(layout, rank, count) bind(C, name="shardfft_layout_count")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      type(c_ptr), value :: count
      integer(c_int) :: shardfft_layout_count
    end function shardfft_layout_count

    function shardfft_layout_max_count(layout, count) bind(C, name="shardfft_layout_max_count")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: count
      integer(c_int) :: shardfft_layout_max_count
    end function shardfft_layout_max_count

    function shardfft_layout_local(layout, rank, set) bind(C, name="shardfft_layout_local")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      type(c_ptr), value :: set
      integer(c_int) :: shardfft_layout_local
    end function shardfft_layout_local

    function shardfft_layout_pieces(layout, rank, count, pieces) bind(C, &
        name="shardfft_layout_pieces")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      type(c_ptr), value :: count
      type(c_ptr), value :: pieces
      integer(c_int) :: shardfft_layout_pieces
    end function shardfft_layout_pieces

    function shardfft_layout_axis_is_local(layout, axis, is_local) bind(C, &
        name="shardfft_layout_axis_is_local")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      integer(c_int), value :: axis
      type(c_ptr), value :: is_local
      integer(c_int) :: shardfft_layout_axis_is_local
    end function shardfft_layout_axis_is_local

    function shardfft_layout_for_overlaps(layout, set, visit, user) bind(C, &
        name="shardfft_layout_for_overlaps")
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: set
      type(c_funptr), value :: visit
      type(c_ptr), value :: user
      integer(c_int) :: shardfft_layout_for_overlaps
    end function shardfft_layout_for_overlaps

    function shardfft_layout_same_as(layout, other, same) bind(C, &
        name="shardfft_layout_same_as")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: other
      type(c_ptr), value :: same
      integer(c_int) :: shardfft_layout_same_as
    end function shardfft_layout_same_as

    function shardfft_layout_with_axis_extent(layout, axis, extent, result) bind(C, &
        name="shardfft_layout_with_axis_extent")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: layout
      integer(c_int), value :: axis
      integer(c_int64_t), value :: extent
      type(c_ptr), intent(inout) :: result
      integer(c_int) :: shardfft_layout_with_axis_extent
    end function shardfft_layout_with_axis_extent

    function shardfft_layout_with_order(layout, order, result) bind(C, &
        name="shardfft_layout_with_order")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: order
      type(c_ptr), intent(inout) :: result
      integer(c_int) :: shardfft_layout_with_order
    end function shardfft_layout_with_order

    function shardfft_layout_with_batch(layout, fields, result) bind(C, &
        name="shardfft_layout_with_batch")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: layout
      integer(c_int64_t), value :: fields
      type(c_ptr), intent(inout) :: result
      integer(c_int) :: shardfft_layout_with_batch
    end function shardfft_layout_with_batch

    function shardfft_layout_without_batch(layout, result) bind(C, &
        name="shardfft_layout_without_batch")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), intent(inout) :: result
      integer(c_int) :: shardfft_layout_without_batch
    end function shardfft_layout_without_batch

    function shardfft_layout_validate(layout) bind(C, name="shardfft_layout_validate")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      integer(c_int) :: shardfft_layout_validate
    end function shardfft_layout_validate

    function shardfft_layout_fingerprint(layout, fingerprint) bind(C, &
        name="shardfft_layout_fingerprint")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), value :: fingerprint
      integer(c_int) :: shardfft_layout_fingerprint
    end function shardfft_layout_fingerprint

    function shardfft_layout_describe(layout, text) bind(C, name="shardfft_layout_describe")
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), intent(inout) :: text
      integer(c_int) :: shardfft_layout_describe
    end function shardfft_layout_describe

    function shardfft_block_part(extent, parts, index, part) bind(C, name="shardfft_block_part")
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: extent
      integer(c_int64_t), value :: parts
      integer(c_int64_t), value :: index
      type(c_ptr), value :: part
      integer(c_int) :: shardfft_block_part
    end function shardfft_block_part

    function shardfft_cyclic_part(extent, parts, index, part) bind(C, &
        name="shardfft_cyclic_part")
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: extent
      integer(c_int64_t), value :: parts
      integer(c_int64_t), value :: index
      type(c_ptr), value :: part
      integer(c_int) :: shardfft_cyclic_part
    end function shardfft_cyclic_part

    function shardfft_intersect(a, b, common) bind(C, name="shardfft_intersect")
      import :: c_int, c_ptr
      type(c_ptr), value :: a
      type(c_ptr), value :: b
      type(c_ptr), value :: common
      integer(c_int) :: shardfft_intersect
    end function shardfft_intersect
  end interface
end module shardfft_c_layout
