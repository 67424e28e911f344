! What all parts of the module share: constants, errors, texts, and the two manners of counting axes.
!
! A Fortran array a(n1, n2, n3) is the C array of n3 x n2 x n1 numbers: dimension d of D is axis D - d there. Lists with
! an entry a dimension are turned round.
module shardfft_base
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real32, real64
  use shardfft_c_base
  implicit none
  public

  ! What went wrong: values of stat.
  integer, parameter :: shardfft_ok = 0, shardfft_invalid_argument = 1, shardfft_mismatch = 2, &
    shardfft_unsupported = 3, shardfft_out_of_memory = 4, shardfft_mpi_failure = 5, shardfft_backend_failure = 6, &
    shardfft_internal = 7, shardfft_timed_out = 8, shardfft_corrupted = 9
  ! Kinds of plans, precisions, and what is done along a dimension.
  integer, parameter :: shardfft_c2c = 0, shardfft_r2c = 1, shardfft_c2r = 2, shardfft_r2r = 3
  integer, parameter :: shardfft_single = 0, shardfft_double = 1
  integer, parameter :: shardfft_fft = 0, shardfft_dct1 = 1, shardfft_dct2 = 2, shardfft_dct3 = 3, shardfft_dct4 = 4, &
    shardfft_dst1 = 5, shardfft_dst2 = 6, shardfft_dst3 = 7, shardfft_dst4 = 8

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

contains

  ! Ends a call: gives its status to stat and, where it failed, the sentence to errmsg. Without stat an error ends the
  ! program, with the sentence.
  subroutine settle(status, stat, errmsg)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (status /= 0) call settle_words(int(status), borrowed_text(shardfft_last_error()), stat, errmsg)
    if (present(stat)) stat = int(status)
  end subroutine settle

  ! The same for what is refused before C is called.
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

  ! Numbers of the default or of 64-bit kind, turned round; none where they are of another type.
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

  ! Dimensions from the fastest to the slowest, as C's axes from the slowest to the fastest.
  function axes_of(dims, of) result(axes)
    integer, intent(in) :: dims(:), of
    integer(c_int), allocatable :: axes(:)
    integer :: i
    axes = [(int(of - dims(size(dims) + 1 - i), c_int), i = 1, size(dims))]
  end function axes_of
  ! And the other way.
  function dims_of(axes, of) result(dims)
    integer(c_int), intent(in) :: axes(:)
    integer, intent(in) :: of
    integer, allocatable :: dims(:)
    integer :: i
    dims = [(of - int(axes(size(axes) + 1 - i)), i = 1, size(axes))]
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

  pure function decimal(number) result(text)
    integer(int64), intent(in) :: number
    character(len=:), allocatable :: text
    character(len=20) :: digits
    write (digits, '(i0)') number
    text = trim(digits)
  end function decimal
end module shardfft_base
