! The addresses of arrays of any type and rank, and whether a plan can take them.
module shardfft_arrays
  use shardfft_base
  implicit none
  private
  public :: bytes_of, given_array, look, misfit

  ! The facts of an array that a call was given.
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

  ! In words, why an array cannot be a side with `count` elements of type `code`; empty if it can.
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

  ! An array of `count` elements, none of them looked at but the first.
  function by_first(first, count) result(array)
    class(*), intent(in), target :: first
    integer(int64), intent(in) :: count
    type(given_array) :: array
    array = of_element(first)
    array%count = count
  end function by_first

  ! An array has no gaps if the second element along each dimension lies as in a dense array, `step` elements
  ! behind the first one. is_contiguous() of gfortran 12 is true for every array of any type.
  subroutine compare(array, second, step)
    type(given_array), intent(inout) :: array
    class(*), intent(in), target :: second
    integer(int64), intent(in) :: step
    type(given_array) :: other
    integer(c_intptr_t) :: from, to
    if (array%code < 1) return
    other = of_element(second)
    from = transfer(array%address, from)
    to = transfer(other%address, to)
    array%dense = array%dense .and. to - from == step * bytes_of(array%code)
  end subroutine compare

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

  include 'made/arrays.inc'
end module shardfft_arrays
