! The Fortran module beside transforms: layouts, options, redistributions, reports; and bad input, which sets
! stat on every rank.
program test_parts
  use kit
  use, intrinsic :: iso_c_binding, only: c_associated, c_loc, c_null_ptr, c_ptr
  implicit none
  integer :: stat
  character(len=200) :: errmsg

  call MPI_Init()
  call layouts()
  call options()
  call redistributions()
  call reports()
  call bad_calls()
  call sections()
  call freed_options()
  call large_indices()
  call wisdom()
  call finish()

contains

  ! Of 4 x 7 in 3 slabs along dimension 2: 3, 2 and 2 columns.
  subroutine layouts()
    type(shardfft_layout) :: slab, other
    type(shardfft_progression), allocatable :: set(:), parts(:)
    type(shardfft_piece), allocatable :: pieces(:)
    type(shardfft_progression) :: sets(2, 3), part
    integer, allocatable :: strides(:)
    integer :: r
    call slab%slab([4_int64, 7_int64], 3, order=[2, 1])
    call check(slab%dims() == 2 .and. slab%ranks() == 3 .and. all(slab%shape() == [4, 7]), 'the slab')
    call check(all(slab%order() == [2, 1]), 'dimension 2 is the fastest in memory')
    call check(slab%count(1) == 8 .and. slab%max_count() == 12 .and. slab%is_grid(), 'counts')
    set = slab%local(2)
    call check(all(set%first == [1, 6]) .and. all(set%count == [4, 2]), 'the last two columns')
    parts = slab%parts(2)
    call check(all(parts%first == [1, 4, 6]) .and. all(parts%count == [3, 2, 2]), 'parts')
    strides = slab%rank_stride()
    call check(strides(2) == 1, 'rank strides')
    pieces = slab%pieces(2)
    call check(size(pieces) == 1, 'pieces')
    call check(pieces(1)%start == 1 .and. all(pieces(1)%step == [2, 1]), 'steps')
    call check(slab%dim_is_local(1) .and. .not. slab%dim_is_local(2), 'dimension 1 is local')
    do r = 1, 3
      sets(1, r) = shardfft_progression(1, 4, 1)
      sets(2, r) = shardfft_block_part_of(7_int64, 3_int64, int(r, int64))
    end do
    call other%boxes([4, 7], sets, order=[2, 1])
    call check(slab%same_as(other), 'the same by boxes')
    call other%free()
    call other%grid([4, 7], 3, [1, 3], [shardfft_progression(1, 4, 1), parts], order=[2, 1])
    call check(slab%same_as(other), 'the same by parts')
    call check(slab%fingerprint() == other%fingerprint(), 'fingerprints')
    call other%free()
    other = slab%with_order([1, 2])
    call check(.not. slab%same_as(other), 'another order')
    call other%validate()
    call other%free()
    other = slab%with_extent(1, 9_int64)
    call check(all(other%shape() == [9, 7]), 'another extent')
    call other%free()
    other = slab%with_batch(5_int64)
    call check(all(other%shape() == [4, 7, 5]), 'fields are the last dimension')
    call other%free()
    part = shardfft_cyclic_part_of(10_int64, 3_int64, 2_int64)
    call check(part%first == 2 .and. part%count == 3 .and. part%stride == 3, 'cyclic part: 2, 5, 8')
    part = shardfft_common_part(part, shardfft_progression(4, 2, 1))
    call check(part%first == 5 .and. part%count == 1, 'what is common with 4, 5')
    call check(index(slab%describe(), '7x4') > 0, 'in words')
    call slab%free()
    call slab%cyclic([4, 7], 2)
    set = slab%local(1)
    call check(set(2)%first == 2 .and. set(2)%stride == 2, 'cyclic along the last dimension')
    call slab%free()
    call slab%single([4, 7], 2, owner=1)
    call check(slab%count(0) == 0 .and. slab%count(1) == 28, 'everything on one rank')
    call slab%free()
    call other%slab([4, 7], all_ranks())
    call slab%gather(MPI_COMM_WORLD, [4, 7], other%local(my_rank()))
    call check(slab%same_as(other), 'gathered')
    call slab%free()
    call slab%gather(MPI_COMM_WORLD%mpi_val, [4, 7], other%local(my_rank()))
    call check(slab%same_as(other), 'gathered over an old communicator')
    call slab%free()
    call other%free()
  end subroutine layouts

  subroutine options()
    type(shardfft_options) :: some, copy
    character(len=24), parameter :: no_dims(8) = [character(len=24) :: 'one', '1 3', '1;2', '3,,1', ',1', '1,', '1-3', &
                                                  '100000000000000000000001']
    integer :: i
    call some%set('norm', 'ortho')
    call some%set('batch', 3)
    call some%set('batch', 4_int64)
    call some%set('verify', .true.)
    call some%set('call_timeout', 2.5_real64)
    call some%set('axes', '1,3')
    call some%set('transforms', 'fft,dct1')
    call some%set('grid', [2, 3])
    call some%set('stream', c_null_ptr)
    call check(some%get('norm') == 'ortho' .and. some%get('batch') == '4' .and. some%get('verify') == 'yes', 'options')
    call check(some%get('axes') == '1,3' .and. some%get('transforms') == 'fft,dct1' .and. some%get('grid') == '2,3', &
      'lists')
    call some%copy(copy)
    call some%set('norm', 'none')
    call check(copy%get('norm') == 'ortho' .and. copy%get('axes') == '1,3', 'a copy')
    call copy%free()
    call check(index(shardfft_names('options'), 'norm,axes') == 1, 'names of options')
    call check(index(shardfft_names('exchange'), 'alltoallv') > 0, 'names of exchanges')
    call check(index(shardfft_names('algorithm'), 'pencil') > 0, 'names of algorithms')
    call check(index(shardfft_names('local_fft'), 'reference') > 0, 'names of libraries')
    call check(index(shardfft_option_words('batch'), 'Fields') == 1, 'what an option does')
    call check(len(shardfft_library_version()) >= 5, 'the version')
    call some%set('bacth', 2, stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, "unknown option 'bacth'")
    do i = 1, size(no_dims)
      call some%set('axes', trim(no_dims(i)), stat, errmsg)
      call expect(stat, errmsg, shardfft_invalid_argument, "option axes takes dimensions, '1,3', not '" // &
        trim(no_dims(i)) // "'")
    end do
    call some%set('axes', ' 3, 01 ')
    call check(some%get('axes') == '3,1', 'dimensions between blanks')
    call some%set('norm', 'north', stat)
    call check(stat == shardfft_invalid_argument, 'stat without errmsg')
    call some%free()
  end subroutine options

  subroutine redistributions()
    type(shardfft_layout) :: from, to
    type(shardfft_redistribution) :: moved
    type(shardfft_options) :: some
    type(shardfft_progression), allocatable :: set(:)
    integer, allocatable, target :: a(:, :), b(:, :)
    integer :: i, j
    call from%slab([4, 7], all_ranks())
    call to%slab([4, 7], all_ranks(), dim=1)
    set = from%local(my_rank())
    allocate (a(set(1)%count, set(2)%count))
    do j = 1, size(a, 2); do i = 1, size(a, 1)
      a(i, j) = 100 * (i + int(set(1)%first) - 1) + j + int(set(2)%first) - 1
    end do; end do
    set = to%local(my_rank())
    allocate (b(set(1)%count, set(2)%count))
    call some%set('exchange', 'alltoallv')
    call moved%create(MPI_COMM_WORLD, from, to, 4, some)
    call check(moved%exchange() == 'alltoallv' .and. moved%input_count() == size(a), 'the redistribution')
    call moved%forward(c_loc(a), c_loc(b))
    call expect_moved(b, set)
    a = 0
    call moved%backward(c_loc(b), c_loc(a))
    b = 0
    call shardfft_move(MPI_COMM_WORLD, from, to, 4, c_loc(a), c_loc(b))
    call expect_moved(b, set)
    call check((moved%bytes_sent() > 0) .eqv. (all_ranks() > 1), 'bytes sent')
    call moved%create(MPI_COMM_WORLD%mpi_val, from, to, -4, stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'bytes')
    call moved%free()
    call some%free()
    call from%free()
    call to%free()
  end subroutine redistributions

  subroutine expect_moved(b, set)
    integer, intent(in) :: b(:, :)
    type(shardfft_progression), intent(in) :: set(:)
    integer :: i, j
    do j = 1, size(b, 2); do i = 1, size(b, 1)
      call check(b(i, j) == 100 * (i + int(set(1)%first) - 1) + j + int(set(2)%first) - 1, 'a moved element')
    end do; end do
  end subroutine expect_moved

  subroutine reports()
    type(shardfft_layout) :: slab
    type(shardfft_plan) :: plan
    type(shardfft_report) :: report
    call slab%slab([8, 6], all_ranks())
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab)
    call check(plan%ranks() == all_ranks() .and. plan%members() == 1 .and. plan%device() == -1, 'the plan')
    call check(.not. plan%failed_half_way() .and. .not. c_associated(plan%stream()), 'a plan on CPUs')
    call check(plan%workspace_bytes() >= 0, 'workspace')
    report = plan%report()
    call check(index(report%to_text(), 'c2c') > 0 .and. index(report%to_json(), '{') == 1, 'the report')
    call report%free()
    call plan%free()
    call slab%free()
    if (shardfft_gpu_runtime() == '') then
      call plan%create([0], shardfft_c2c, slab, stat=stat, errmsg=errmsg)
      call check(stat /= 0, 'no GPUs')
      stat = shardfft_use_gpu(0, stat, errmsg)
    end if
  end subroutine reports

  ! A wrong argument on the last rank is the error of all.
  subroutine bad_calls()
    type(shardfft_layout) :: slab
    type(shardfft_plan) :: plan, same
    type(shardfft_options) :: some
    type(shardfft_operator) :: none
    complex(real64) :: u(48), uh(24), few(1)
    real(real64) :: real_u(24)
    logical :: last
    last = my_rank() == all_ranks() - 1
    u = 0
    real_u = 0
    call slab%slab([4, 6], all_ranks())
    call plan%create(MPI_COMM_WORLD, 9, slab, stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, '9')
    if (last) call some%set('batch', 2)
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, options=some, stat=stat, errmsg=errmsg)
    if (all_ranks() > 1) then
      call expect(stat, errmsg, shardfft_mismatch, 'batch')
    else
      call plan%free()
    end if
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, natural=.true.)
    same = plan
    if (last) then
      call plan%forward(real_u, uh, stat, errmsg)
    else
      call plan%forward(u, uh, stat, errmsg)
    end if
    call expect(stat, errmsg, shardfft_invalid_argument, 'the input is an array of real64; complex64 is expected')
    call plan%forward(u, few, stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the output has 1 elements')
    call plan%forward_in_place(few, stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the array has 16 bytes')
    call plan%forward(u(:2 * int(plan%input_count()) - 1:2), uh, stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'is not contiguous')
    call plan%apply(none, u, uh, stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the operator is a null handle')
    call plan%refuse('this rank has no data', stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'this rank has no data')
    call plan%forward(u, uh)
    call plan%free()
    call same%forward(u, uh, stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the plan was freed')
    call some%free()
    call slab%free()
  end subroutine bad_calls

  ! Sections whose first and last elements lie as far apart as those of an array without gaps.
  subroutine sections()
    type(shardfft_layout) :: slab
    type(shardfft_plan) :: plan
    type(shardfft_operator) :: op
    complex(real64) :: u(4, 2), uh(2, 2), wide(2, 2, 2)
    logical :: last
    last = my_rank() == all_ranks() - 1
    u = 1
    uh = 0
    wide = 0
    call slab%slab([2, 2 * all_ranks()], all_ranks())
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, natural=.true.)
    if (last) then
      call plan%forward(u(2:1:-1, :), uh, stat, errmsg)
    else
      call plan%forward(wide(:, :, 1), uh, stat, errmsg)
    end if
    call expect(stat, errmsg, shardfft_invalid_argument, 'the input is not contiguous')
    call plan%forward(uh, u(2:1:-1, :), stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the output is not contiguous')
    call plan%forward(wide(:, 2:1:-1, :), wide(:, :, 2:1:-1), stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the input is not contiguous')
    call plan%forward_in_place(u(2:1:-1, :), stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'without gaps')
    call op%array(u(2:1:-1, :), stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the array of factors is not contiguous')
    call op%array([1, 2], stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the array of factors is an array of other type')
    call plan%forward(wide(:, :, 2:2), wide(:, :, 1:1))
    call plan%free()
    call slab%free()
  end subroutine sections

  ! Options that were freed through a copy are an error of all ranks.
  subroutine freed_options()
    type(shardfft_layout) :: slab
    type(shardfft_plan) :: plan
    type(shardfft_redistribution) :: moved
    type(shardfft_options) :: some, copy
    real(real64), target :: u(4)
    u = 0
    call slab%slab([2, 2 * all_ranks()], all_ranks())
    call some%set('batch', 1)
    copy = some
    call copy%free()
    if (my_rank() < all_ranks() - 1) some = copy
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, options=some, stat=stat, errmsg=errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the set of options was freed')
    call moved%create(MPI_COMM_WORLD, slab, slab, 8, some, stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the set of options was freed')
    call shardfft_move(MPI_COMM_WORLD, slab, slab, 8, c_loc(u), c_loc(u), some, stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'the set of options was freed')
    call slab%free()
  end subroutine freed_options

  ! Of 3000000000 rows the last rank's do not end within default integers.
  subroutine large_indices()
    integer(int64), parameter :: rows = 3000000000_int64
    type(shardfft_layout) :: slab
    type(shardfft_options) :: some
    type(shardfft_plan) :: plan
    type(shardfft_side) :: side
    integer, allocatable :: first(:), last(:)
    integer(int64), allocatable :: from(:), to(:)
    logical :: at_the_end
    at_the_end = my_rank() == all_ranks() - 1
    call slab%slab([rows, 2_int64], all_ranks(), dim=1)
    call some%set('axes', [2])
    call some%set('effort', 'estimate')
    call some%set('local_fft', 'reference')
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, natural=.true., options=some)
    side = plan%input()
    call side%bounds(from, to)
    if (at_the_end) call check(to(1) == rows .and. to(2) == 2, 'bounds of 64 bits')
    call side%bounds(first, last, stat, errmsg)
    if (at_the_end) then
      call expect(stat, errmsg, shardfft_invalid_argument, "3000000000, does not fit a default integer")
      call check(size(first) == 0 .and. size(last) == 0, 'no bounds')
    else if (all(to <= huge(first))) then
      call check(stat == 0 .and. all(first == from) .and. all(last == to), 'bounds that fit')
    end if
    call check(all(abs(side%coordinates(1, [rows, 1_int64]) - [2999999999.0_real64, 0.0_real64]) < 0.5_real64), &
      'a coordinate of 64 bits')
    call check(all(nint(side%coordinates(2, to(2:1:-1) / to(2:1:-1))) == 0), 'a section of indices')
    errmsg = ''
    call check(size(side%coordinates(1, [1.0], stat=stat, errmsg=errmsg)) == 1, 'an index that is no integer')
    call expect(stat, errmsg, shardfft_invalid_argument, 'the indices are no integers')
    call side%free()
    call plan%free()
    call some%free()
    call slab%free()
  end subroutine large_indices

  ! A way that a plan took is taken by another one, as an option and as wisdom.
  subroutine wisdom()
    type(shardfft_layout) :: slab
    type(shardfft_plan) :: plan
    type(shardfft_options) :: some
    character(len=:), allocatable :: way, text
    integer :: taken
    call shardfft_forget_wisdom()
    call slab%slab([8, 2 * all_ranks()], all_ranks())
    call some%set('wisdom', 'none')
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, options=some)
    way = plan%way()
    call check(index(way, 'algorithm=') > 0, 'the way of a plan')
    call plan%free()
    text = shardfft_export_wisdom()
    taken = shardfft_import_wisdom(text)
    call check(taken == merge(1, 0, my_rank() == 0), 'what rank 0 measured')
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, options=some)
    call check(plan%way() == way, 'the way that is remembered')
    call plan%free()
    call some%set('way', way)
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, options=some)
    call check(plan%way() == way, 'the way that was given')
    call plan%free()
    taken = shardfft_import_wisdom('{}', stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'no member "format"')
    call shardfft_keep_wisdom(text, '/no folder/wisdom.json', stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'there is no folder /no folder')
    call shardfft_keep_wisdom(text, '/proc/wisdom.json', stat, errmsg)
    call expect(stat, errmsg, shardfft_invalid_argument, 'may not write in the folder /proc')
    call check(len(shardfft_wisdom_file()) >= 0, 'the file of this machine')
    call shardfft_forget_wisdom()
    call some%free()
    call slab%free()
  end subroutine wisdom
end program test_parts
