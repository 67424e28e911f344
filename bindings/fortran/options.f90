! Options by name.
module shardfft_options_module
  use shardfft_base
  implicit none
  private
  public :: shardfft_options, shardfft_names, shardfft_option_words

  ! Options at their defaults, of which any can be set. Lists with an entry a dimension begin with the first dimension of
  ! Fortran, which is the fastest in memory: set('axes', [1, 3]), set('modes', [8, 8, 0]), set('grid', [2, 2]). The
  ! library's last axis (the halved one) is the first entry here.
  type :: shardfft_options
    type(c_ptr), private :: handle = c_null_ptr
    integer, allocatable, private :: dims(:)
  contains
    procedure, private :: set_text, set_integer, set_flag, set_integers
    generic :: set => set_text, set_integer, set_flag, set_integers
    include 'made/options_bindings.inc'
    procedure :: get => get_text
    procedure :: copy => copy_options
    procedure :: for_array
    procedure, nopass :: drop
    procedure :: free => free_options
  end type shardfft_options

  include 'made/options_c.inc'

contains

  subroutine ready(self)
    class(shardfft_options), intent(inout) :: self
    integer(c_int) :: status
    if (.not. c_associated(self%handle)) status = shardfft_options_create(self%handle)
  end subroutine ready

  logical function has_an_entry_a_dimension(name)
    character(len=*), intent(in) :: name
    has_an_entry_a_dimension = name == 'transforms' .or. name == 'modes' .or. name == 'padded' .or. name == 'grid'
  end function has_an_entry_a_dimension

  ! From text: 'yes' and 'no' for flags, '2,4' or 'fft,dct2' for lists.
  subroutine set_text(self, name, value, stat, errmsg)
    class(shardfft_options), intent(inout) :: self
    character(len=*), intent(in) :: name, value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: text
    integer(c_int) :: status
    integer, allocatable :: dims(:)
    if (name == 'axes' .and. len_trim(value) > 0) then
      call read_integers(value, dims)
      if (.not. allocated(dims)) then
        call settle_words(shardfft_invalid_argument, "option axes takes dimensions, '1,3', not '" // value // "'", stat, &
          errmsg)
        return
      end if
      call set_integers(self, name, dims, stat, errmsg)
      return
    end if
    text = trim(value)
    if (has_an_entry_a_dimension(name)) text = turned_words(text)
    call ready(self)
    status = shardfft_options_set(self%handle, trim(name) // c_null_char, text // c_null_char)
    if (status == 0 .and. name == 'axes' .and. allocated(self%dims)) deallocate (self%dims)
    call settle(status, stat, errmsg)
  end subroutine set_text

  ! The integers between the commas of a text; not allocated if the text has anything else, or nothing.
  subroutine read_integers(text, numbers)
    character(len=*), intent(in) :: text
    integer, allocatable, intent(out) :: numbers(:)
    character(len=:), allocatable :: part
    integer :: list(len(text) + 1), i, from, comma, status
    from = 1
    do i = 1, size(list)
      comma = index(text(from:) // ',', ',')
      part = trim(adjustl(text(from:from + comma - 2)))
      if (part == '' .or. verify(part, '-0123456789') > 0) return
      read (part, '(i' // decimal(len(part, int64)) // ')', iostat=status) list(i)
      if (status /= 0) return
      from = from + comma
      if (from > len(text) + 1) exit
    end do
    numbers = list(:i)
  end subroutine read_integers

  subroutine set_integer(self, name, value, stat, errmsg)
    class(shardfft_options), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer, intent(in) :: value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call options_set_integer(self, name, int(value, int64), stat, errmsg)
  end subroutine set_integer

  subroutine set_flag(self, name, value, stat, errmsg)
    class(shardfft_options), intent(inout) :: self
    character(len=*), intent(in) :: name
    logical, intent(in) :: value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call options_set_integer(self, name, merge(1_int64, 0_int64, value), stat, errmsg)
  end subroutine set_flag

  subroutine set_integers(self, name, value, stat, errmsg)
    class(shardfft_options), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer, intent(in) :: value(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: numbers(max(size(value), 1))
    call ready(self)
    if (name == 'axes') then  ! which axes they are depends on the array
      self%dims = value
      call settle(0_c_int, stat)
      return
    end if
    numbers(:size(value)) = value
    if (has_an_entry_a_dimension(name)) numbers(:size(value)) = turned(value)
    call settle(shardfft_options_set_integers(self%handle, trim(name) // c_null_char, size(value, kind=c_int), &
      c_loc(numbers)), stat, errmsg)
  end subroutine set_integers

  ! The text that set() would take.
  function get_text(self, name, stat, errmsg) result(text)
    class(shardfft_options), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: text
    type(c_ptr) :: address
    integer(c_int) :: status
    integer :: i
    text = ''
    if (name == 'axes' .and. allocated(self%dims)) then
      do i = 1, size(self%dims)
        text = text // merge(',', ' ', i > 1) // decimal(int(self%dims(i), int64))
      end do
      text = trim(adjustl(text))
    end if
    address = c_null_ptr
    call ready(self)
    status = shardfft_options_get(self%handle, trim(name) // c_null_char, address)
    if (status == 0 .and. text == '') then
      text = owned_text(address)
      if (has_an_entry_a_dimension(name)) text = turned_words(text)
    else
      call shardfft_text_free(address)
    end if
    call settle(status, stat, errmsg)
  end function get_text

  ! Options of their own, equal to these.
  subroutine copy_options(self, copy, stat, errmsg)
    class(shardfft_options), intent(inout) :: self
    type(shardfft_options), intent(out) :: copy
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    call ready(self)
    status = shardfft_options_copy(self%handle, copy%handle)
    if (status == 0 .and. allocated(self%dims)) copy%dims = self%dims
    call settle(status, stat, errmsg)
  end subroutine copy_options

  ! For the module's own use: C's options for an array of so many dimensions; the caller drops them. Of options that were
  ! freed it is a handle that C refuses, on every rank.
  subroutine for_array(self, of, made)
    class(shardfft_options), intent(in) :: self
    integer, intent(in) :: of
    type(c_ptr), intent(inout) :: made
    integer(c_int64_t), allocatable, target :: axes(:)
    integer(c_int) :: status
    if (.not. c_associated(self%handle)) return
    status = shardfft_options_copy(self%handle, made)
    if (status == 0 .and. allocated(self%dims)) then
      axes = axes_of(self%dims, of)
      status = shardfft_options_set_integers(made, 'axes' // c_null_char, size(axes, kind=c_int), c_loc(axes))
    end if
    if (status /= 0) made = transfer(-1_c_intptr_t, c_null_ptr)
  end subroutine for_array

  ! Frees the result of for_array().
  integer(c_int) function drop(made)
    type(c_ptr), intent(inout) :: made
    drop = shardfft_options_free(made)
  end function drop

  ! Frees the options. Plans that were made of them stay.
  subroutine free_options(self, stat, errmsg)
    class(shardfft_options), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (allocated(self%dims)) deallocate (self%dims)
    call settle(shardfft_options_free(self%handle), stat, errmsg)
  end subroutine free_options

  ! Names, separated by commas: of all options, or the values of the options 'algorithm', 'exchange', 'device_exchange' (the
  ! exchanges between GPUs) and 'local_fft' may name in this build.
  function shardfft_names(of, stat, errmsg) result(names)
    character(len=*), intent(in) :: of
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: names
    type(c_ptr) :: address
    integer(c_int) :: status
    address = c_null_ptr
    names = ''
    select case (of)
    case ('options')
      status = shardfft_option_names(address)
    case ('algorithm')
      status = shardfft_algorithm_names(address)
    case ('exchange')
      status = shardfft_exchange_names(address)
    case ('device_exchange')
      status = shardfft_device_exchange_names(address)
    case ('local_fft')
      status = shardfft_local_fft_names(address)
    case default
      call settle_words(shardfft_invalid_argument, "there are no names of '" // of // "'; known: options, algorithm, " // &
        'exchange, device_exchange, local_fft', stat, errmsg)
      return
    end select
    names = owned_text(address)
    call settle(status, stat, errmsg)
  end function shardfft_names

  include 'made/options.inc'
end module shardfft_options_module
