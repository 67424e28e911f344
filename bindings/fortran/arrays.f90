! Where arrays of any type and rank lie, and whether a plan can take them.
module shardfft_arrays
  use shardfft_base
  implicit none
  private
  public :: bytes_of, given_array, look, misfit

  ! What is known of an array that a call was given.
  type :: given_array
    type(c_ptr) :: address = c_null_ptr
    integer :: code = 0  ! 1 + precision + 2 if complex; 0: none of the types that plans take; -1: of no elements
    integer(int64) :: count = 0
    logical :: dense = .true.
  end type given_array

  interface look
    procedure :: look_1, look_2, look_3, look_4, look_5
  end interface look

  character(len=10), parameter :: type_names(0:4) = [character(len=10) :: 'other type', 'real32', 'real64', &
                                                                          'complex32', 'complex64']

  ! Bytes of an element of each type.
  integer, parameter :: bytes_of(4) = [4, 8, 8, 16]

contains

  ! In words, what keeps an array from being a side with `count` elements of type `code`; empty where nothing does.
  function misfit(array, name, code, count) result(words)
    type(given_array), intent(in) :: array
    character(len=*), intent(in) :: name
    integer, intent(in) :: code
    integer(int64), intent(in) :: count
    character(len=:), allocatable :: words
    words = ''
    if (array%code /= code .and. array%code >= 0) then
      words = 'the ' // name // ' is an array of ' // trim(type_names(array%code)) // '; ' // trim(type_names(code)) // &
        ' is expected'
    else if (array%count < count) then
      words = 'the ' // name // ' has ' // decimal(array%count) // ' elements; ' // decimal(count) // ' are expected'
    else if (.not. array%dense) then
      words = 'the ' // name // ' is not contiguous; an array without gaps is expected'
    end if
  end function misfit

  ! An array, by its first and its last element. Whether it has gaps shows in their distance: is_contiguous() of gfortran
  ! 12 is true for every array of any type.
  function by_ends(first, last, count) result(array)
    class(*), intent(in), target :: first, last
    integer(int64), intent(in) :: count
    type(given_array) :: array, at_end
    integer(c_intptr_t) :: from, to
    array = of_element(first)
    at_end = of_element(last)
    array%count = count
    if (array%code < 1) return
    from = transfer(array%address, from)
    to = transfer(at_end%address, to)
    array%dense = to - from == (count - 1) * bytes_of(array%code)
  end function by_ends

  ! The type and the address of an element.
  function of_element(element) result(array)
    class(*), intent(in), target :: element
    type(given_array) :: array
    select type (element)
    type is (real(real32))
      array%code = 1
      array%address = c_loc(element)
    type is (real(real64))
      array%code = 2
      array%address = c_loc(element)
    type is (complex(real32))
      array%code = 3
      array%address = c_loc(element)
    type is (complex(real64))
      array%code = 4
      array%address = c_loc(element)
    end select
  end function of_element

  function look_1(a) result(array)
    class(*), intent(in), target :: a(:)
    type(given_array) :: array
    array%code = -1
    if (size(a, kind=int64) > 0) array = by_ends(a(1), a(size(a, 1)), size(a, kind=int64))
  end function look_1

  function look_2(a) result(array)
    class(*), intent(in), target :: a(:, :)
    type(given_array) :: array
    array%code = -1
    if (size(a, kind=int64) > 0) array = by_ends(a(1, 1), a(size(a, 1), size(a, 2)), size(a, kind=int64))
  end function look_2

  function look_3(a) result(array)
    class(*), intent(in), target :: a(:, :, :)
    type(given_array) :: array
    array%code = -1
    if (size(a, kind=int64) > 0) array = by_ends(a(1, 1, 1), a(size(a, 1), size(a, 2), size(a, 3)), size(a, kind=int64))
  end function look_3

  function look_4(a) result(array)
    class(*), intent(in), target :: a(:, :, :, :)
    type(given_array) :: array
    array%code = -1
    if (size(a, kind=int64) > 0) array = by_ends(a(1, 1, 1, 1), &
      a(size(a, 1), size(a, 2), size(a, 3), size(a, 4)), size(a, kind=int64))
  end function look_4

  function look_5(a) result(array)
    class(*), intent(in), target :: a(:, :, :, :, :)
    type(given_array) :: array
    array%code = -1
    if (size(a, kind=int64) > 0) array = by_ends(a(1, 1, 1, 1, 1), &
      a(size(a, 1), size(a, 2), size(a, 3), size(a, 4), size(a, 5)), size(a, kind=int64))
  end function look_5
end module shardfft_arrays
