! The common parts of the module: constants, errors, texts, and the two manners of counting axes.
!
! A Fortran array a(n1, n2, n3) is the C array of n3 x n2 x n1 numbers: dimension d of D is axis D - d there. Lists with
! an entry a dimension are turned round.
module shardfft_base
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real32, real64
  implicit none
  public

  ! Values of stat: the kind of the error.
  integer, parameter :: shardfft_ok = 0, shardfft_invalid_argument = 1, shardfft_mismatch = 2, &
    shardfft_unsupported = 3, shardfft_out_of_memory = 4, shardfft_mpi_failure = 5, shardfft_backend_failure = 6, &
    shardfft_internal = 7, shardfft_timed_out = 8, shardfft_corrupted = 9
  ! Kinds of plans, precisions, and transforms along a dimension.
  integer, parameter :: shardfft_c2c = 0, shardfft_r2c = 1, shardfft_c2r = 2, shardfft_r2r = 3
  integer, parameter :: shardfft_single = 0, shardfft_double = 1
  integer, parameter :: shardfft_fft = 0, shardfft_dct1 = 1, shardfft_dct2 = 2, shardfft_dct3 = 3, shardfft_dct4 = 4, &
    shardfft_dst1 = 5, shardfft_dst2 = 6, shardfft_dst3 = 7, shardfft_dst4 = 8
  integer, parameter :: shardfft_nearest = 0, shardfft_cic = 1, shardfft_tsc = 2
  ! Of solvers: the boundary at an end of a dimension, and the end; the places of points beside walls, the kernel of free
  ! space, eigenvalues, and the rule for a wrong mean.
  integer, parameter :: shardfft_periodic = 0, shardfft_dirichlet = 1, shardfft_neumann = 2, shardfft_open = 3, &
    shardfft_lower = 0, shardfft_upper = 1, shardfft_centres = 0, shardfft_nodes = 1, shardfft_truncated = 0, &
    shardfft_hockney = 1, shardfft_integrated = 2, shardfft_spectral = 0, shardfft_second_order = 1, &
    shardfft_refuse = 0, shardfft_remove = 1
  integer, parameter, private :: no_axis = 2**30

  ! The indices first, first + stride, ..., count of them, along one dimension; indices count from 1.
  type :: shardfft_progression
    integer(int64) :: first = 1, count = 0, stride = 1
  end type shardfft_progression
  ! The same as C has it: from 0.
  type, bind(C) :: c_progression
    integer(c_int64_t) :: first, count, stride
  end type c_progression
  type, bind(C) :: c_piece
    type(c_progression) :: axis(10)
    integer(c_int64_t) :: offset, stride(10)
  end type c_piece

  include 'made/base_c.inc'

contains

  ! Ends a call: gives its status to stat and, if it failed, the sentence to errmsg. Without stat an error ends the
  ! program, with the sentence. of: the number of dimensions that the call is about, in which the sentence then counts.
  subroutine settle(status, stat, errmsg, of)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer, intent(in), optional :: of
    character(len=:), allocatable :: words
    if (status /= 0) then
      words = borrowed_text(shardfft_last_error())
      if (present(of)) words = by_dimensions(words, of)
      call settle_words(int(status), words, stat, errmsg)
    end if
    if (present(stat)) stat = int(status)
  end subroutine settle

  ! C's sentence with dimensions in the place of axes: of three dimensions 'axis 0' is 'dimension 3'. The option axes keeps
  ! its name.
  recursive function by_dimensions(words, of) result(text)
    character(len=*), intent(in) :: words
    integer, intent(in) :: of
    character(len=:), allocatable :: text
    integer :: found(2), at, next, digits, axis
    text = words
    found = [index(words, 'axis'), index(words, 'axes')]
    if (of == 0 .or. all(found == 0)) return
    at = minval(found, found > 0)
    next = at + 4
    text = words(:at - 1)
    if (index(text, ' an ', back=.true.) == at - 4 .and. at > 4) text = words(:at - 3) // ' '
    if (words(at:next - 1) == 'axis') then
      text = text // 'dimension'
      digits = verify(words(next + 1:) // '.', '-0123456789') - 1
      if (digits > 0) then
        read (words(next + 1:next + digits), *) axis
        text = text // ' ' // decimal(int(dim_of(axis, of), int64))
        next = next + digits + 1
      end if
    else if (index(text, 'option ', back=.true.) == at - 7) then
      text = text // 'axes'
    else
      text = text // 'dimensions'
    end if
    text = text // by_dimensions(words(next:), of)
  end function by_dimensions

  ! The same for arguments that are refused before C is called.
  subroutine settle_words(status, words, stat, errmsg)
    integer, intent(in) :: status
    character(len=*), intent(in) :: words
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (present(errmsg)) errmsg = words
    if (present(stat)) then
      stat = status
      return
    end if
    write (error_unit, '(2a)') 'shardfft: ', words
    flush (error_unit)
    error stop 1
  end subroutine settle_words

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

  ! A C string that stays C's.
  function borrowed_text(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length, i
    interface
      integer(c_size_t) function strlen(string) bind(C)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: string
      end function strlen
    end interface
    length = 0
    if (c_associated(address)) length = int(strlen(address))
    allocate (character(len=length) :: text)
    if (length == 0) return
    call c_f_pointer(address, letters, [length])
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function borrowed_text

  ! A text that C gave, which is freed.
  function owned_text(address) result(text)
    type(c_ptr), intent(inout) :: address
    character(len=:), allocatable :: text
    text = borrowed_text(address)
    call shardfft_text_free(address)
    address = c_null_ptr
  end function owned_text

  ! The version of the library.
  function shardfft_library_version() result(text)
    character(len=:), allocatable :: text
    text = borrowed_text(shardfft_version())
  end function shardfft_library_version

  function shardfft_status_word(status) result(text)
    integer, intent(in) :: status
    character(len=:), allocatable :: text
    text = borrowed_text(shardfft_status_name(int(status, c_int)))
  end function shardfft_status_word

  ! C's lengths; of none, none.
  subroutine turn(lengths, extents)
    real(real64), intent(in), optional :: lengths(:)
    real(c_double), allocatable, intent(out) :: extents(:)
    if (present(lengths)) then
      extents = lengths(size(lengths):1:-1)
    else
      allocate (extents(0))
    end if
  end subroutine turn

  ! Numbers of the default or of 64-bit kind, turned round; none if they are of another type.
  function turned(numbers) result(result)
    class(*), intent(in) :: numbers(:)
    integer(c_int64_t), allocatable :: result(:)
    integer :: n, i
    n = size(numbers)
    allocate (result(n))
    select type (numbers)
    type is (integer)
      result = [(int(numbers(n + 1 - i), c_int64_t), i = 1, n)]
    type is (integer(int64))
      result = [(int(numbers(n + 1 - i), c_int64_t), i = 1, n)]
    class default
      deallocate (result)
      allocate (result(0))
    end select
  end function turned

  ! Dimension `dim` of `of`, as C counts it; and back. A number that is no dimension becomes one that is no axis: C also
  ! counts from the last axis, with negative numbers.
  elemental integer(c_int) function axis_of(dim, of)
    integer, intent(in) :: dim, of
    axis_of = int(merge(of - dim, no_axis + dim, dim <= of), c_int)
  end function axis_of
  elemental integer function dim_of(axis, of)
    integer, intent(in) :: axis, of
    dim_of = merge(of - axis, axis - no_axis, axis < no_axis)
  end function dim_of

  ! Dimensions from the fastest to the slowest, as C's axes from the slowest to the fastest.
  function axes_of(dims, of) result(axes)
    integer, intent(in) :: dims(:), of
    integer(c_int), allocatable :: axes(:)
    axes = axis_of(dims(size(dims):1:-1), of)
  end function axes_of
  ! And the other way.
  function dims_of(axes, of) result(dims)
    integer(c_int), intent(in) :: axes(:)
    integer, intent(in) :: of
    integer, allocatable :: dims(:)
    dims = dim_of(int(axes(size(axes):1:-1)), of)
  end function dims_of

  ! Index sets, an entry a dimension, as C's, an entry an axis; and the other way.
  function to_c(set) result(c_set)
    type(shardfft_progression), intent(in) :: set(:)
    type(c_progression), allocatable :: c_set(:)
    integer :: i, n
    n = size(set)
    allocate (c_set(n))
    do i = 1, n
      c_set(n + 1 - i) = c_progression(set(i)%first - 1, set(i)%count, set(i)%stride)
    end do
  end function to_c
  function from_c(c_set) result(set)
    type(c_progression), intent(in) :: c_set(:)
    type(shardfft_progression), allocatable :: set(:)
    integer :: i, n
    n = size(c_set)
    allocate (set(n))
    do i = 1, n
      set(n + 1 - i) = shardfft_progression(c_set(i)%first + 1, c_set(i)%count, c_set(i)%stride)
    end do
  end function from_c

  ! A list of words turned round: 'fft,dct1' is 'dct1,fft'.
  recursive function turned_words(words) result(result)
    character(len=*), intent(in) :: words
    character(len=:), allocatable :: result
    integer :: comma
    comma = index(words, ',')
    if (comma == 0) then
      result = trim(adjustl(words))
    else
      result = turned_words(words(comma + 1:)) // ',' // trim(adjustl(words(:comma - 1)))
    end if
  end function turned_words

  ! C's number of a member.
  integer(c_int) function at(member)
    integer, intent(in), optional :: member
    at = 0
    if (present(member)) at = int(member - 1, c_int)
  end function at

  ! How many members' arrays a call was given; -1, which C refuses, if the two lists differ.
  integer(c_int) function common_size(in, out)
    type(c_ptr), intent(in) :: in(:), out(:)
    common_size = -1
    if (size(in) == size(out)) common_size = size(in, kind=c_int)
  end function common_size

  pure function decimal(number) result(text)
    integer(int64), intent(in) :: number
    character(len=:), allocatable :: text
    character(len=20) :: digits
    write (digits, '(i0)') number
    text = trim(digits)
  end function decimal
end module shardfft_base
