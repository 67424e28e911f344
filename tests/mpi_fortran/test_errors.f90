! Arguments that are wrong on all ranks, and the sentences about them.
program test_errors
  use kit
  implicit none
  integer :: stat
  character(len=200) :: errmsg

  call MPI_Init()
  call bad_layouts()
  call bad_dimensions()
  call finish()

contains

  subroutine bad_layouts()
    type(shardfft_layout) :: slab
    call slab%slab([4, -7], 3, stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, '-7')
    call slab%slab([4.0, 7.0], 3, stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'dimensions')
    call slab%slab([4, 7], 3, order=[1], stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'order')
    call slab%brick([4, 7], 3, grid=[3], stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the grid has 1 entries; 2 are expected')
    call slab%pencil([4, 7], 3, grid=[2], stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the grid has 2 places')
    call slab%gather(MPI_COMM_WORLD, [4, 7], [shardfft_progression(1, 4, 1)], stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, "'mine' is a null pointer")
    call check(slab%dims(stat) == 0 .and. stat == shardfft_invalid_argument, 'a layout that was not made')
  end subroutine bad_layouts

  ! Sentences count dimensions from 1, the fastest in memory first.
  subroutine bad_dimensions()
    type(shardfft_layout) :: slab, other
    type(shardfft_plan) :: plan
    type(shardfft_side) :: side
    type(shardfft_options) :: some
    type(shardfft_operator) :: op
    type(shardfft_progression), allocatable :: parts(:)
    complex(real64) :: u(4, 7, 5)
    real(real64) :: k(1)
    logical :: local
    integer :: dim
    u = 0
    do dim = 0, 4, 4
      call slab%slab([4, 7, 5], 3, dim=dim, stat=stat, errmsg=errmsg)
      call expect_dim('slab ', dim, ' is not a dimension of an array with 3 dimensions')
      call slab%pencil([4, 7, 5], 1, dim=dim, stat=stat, errmsg=errmsg)
      call expect_dim('local ', dim, ' is not a dimension')
    end do
    call slab%slab([0, 7, 5], 3, stat=stat, errmsg=errmsg)
    call expect_dim('', 1, ' has extent 0')
    call slab%boxes([4, 7, 5], reshape([shardfft_progression(1, 4, 1), shardfft_progression(1, 8, 1), &
      shardfft_progression(1, 5, 1)], [3, 1]))
    call slab%validate(stat, errmsg)
    call expect_dim('', 2, ' ')
    call slab%free()
    call slab%slab([4, 7, 5], all_ranks())
    other = slab%with_extent(4, 6_int64, stat, errmsg)
    call expect_dim('', 4, ' is not')
    local = slab%dim_is_local(0, stat, errmsg)
    call expect_dim('', 0, ' is not')
    parts = slab%parts(9, stat, errmsg)
    call expect_dim('', 9, ' is not')
    call some%set('axes', [1, 9])
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, options=some, stat=stat, errmsg=errmsg)
    call expect_dim('', 9, ' is not a dimension')
    call some%set('axes', [2, 2])
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, options=some, stat=stat, errmsg=errmsg)
    call expect_dim('', 2, ' is named twice in the dimensions to transform')
    call plan%forward(u, u, stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the plan is a null handle: create it first')
    call some%set('axes', [1, 3])
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, options=some)
    side = plan%input()
    k = side%wavenumbers(9, [1], 1.0_real64, stat, errmsg)
    call expect_dim('', 9, ' is not a dimension of an array with 3 dimensions')
    k = side%frequencies(2, [1], stat=stat, errmsg=errmsg)
    call expect_dim('', 2, ' is not transformed')
    call op%laplacian([1.0_real64, 1.0_real64, -1.0_real64])
    call plan%apply(op, u, u, stat, errmsg)
    call expect_dim('', 3, ' is -1')
    call op%free()
    call side%free()
    call plan%free()
    call some%free()
    call slab%free()
  end subroutine bad_dimensions

  subroutine expect_dim(before, dim, behind)
    character(len=*), intent(in) :: before, behind
    integer, intent(in) :: dim
    call expect(stat, errmsg, shardfft_invalid_argument, before // 'dimension ' // achar(iachar('0') + dim) // behind)
  end subroutine expect_dim
end program test_errors
