! Operators: the factors by which plan%apply() multiplies a spectrum.
module shardfft_operator_module
  use shardfft_base
  use shardfft_arrays
  use shardfft_side_module, only: shardfft_side
  implicit none
  private
  public :: shardfft_operator, shardfft_factor_of_indices, shardfft_factor_of_wavenumbers, shardfft_on_spectrum

  ! lengths: those of the domain, an entry a dimension; absent they are 2 pi along dimensions with a Fourier transform and
  ! pi along those with a cosine or sine transform. Arguments that do not fit a plan are an error of plan%apply().
  type :: shardfft_operator
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: of_indices, of_wavenumbers, calling, derivative
    include 'made/operator_bindings.inc'
  end type shardfft_operator

  abstract interface
    ! The factor of a mode, from its global indices (from 1) or its wavenumbers, an entry a dimension.
    function shardfft_factor_of_indices(index) result(factor)
      import :: int64, real64
      integer(int64), intent(in) :: index(:)
      complex(real64) :: factor
    end function shardfft_factor_of_indices
    function shardfft_factor_of_wavenumbers(wavenumber) result(factor)
      import :: real64
      real(real64), intent(in) :: wavenumber(:)
      complex(real64) :: factor
    end function shardfft_factor_of_wavenumbers
    ! Changes this rank's spectrum in place: the elements of a side, one dimension after the other, at `data`. On a
    ! GPU it enqueues its work on `stream`; on CPUs `device` is -1. A stat other than 0 tells of a failure.
    subroutine shardfft_on_spectrum(side, data, device, stream, stat)
      import :: c_ptr, shardfft_side
      type(shardfft_side), intent(in) :: side
      type(c_ptr), intent(in) :: data, stream
      integer, intent(in) :: device
      integer, intent(out) :: stat
    end subroutine shardfft_on_spectrum
  end interface

  ! A function of the caller's, as C hands it back.
  type :: kept_function
    procedure(shardfft_factor_of_indices), pointer, nopass :: of_indices => null()
    procedure(shardfft_factor_of_wavenumbers), pointer, nopass :: of_wavenumbers => null()
    procedure(shardfft_on_spectrum), pointer, nopass :: change => null()
  end type kept_function

  include 'made/operator_c.inc'

contains

  subroutine of_array(self, factors, stat, errmsg)
    class(shardfft_operator), intent(inout) :: self
    type(given_array), intent(in) :: factors
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: words
    integer :: code
    code = factors%code
    if (code < 1) code = 2  ! of no elements: real factors suit every spectrum
    words = misfit(factors, 'array of factors', code, factors%count)
    if (words /= '') then
      call settle_words(shardfft_invalid_argument, words, stat, errmsg)
      return
    end if
    call settle(shardfft_operator_array(int(mod(code - 1, 2), c_int), int((code - 1) / 2, c_int), factors%address, &
      factors%count, self%handle), stat, errmsg)
  end subroutine of_array

  subroutine call_of_indices(user, axes, index, factor) bind(C)
    type(c_ptr), value :: user
    integer(c_int), value :: axes
    integer(c_int64_t), intent(in) :: index(*)
    real(c_double), intent(inout) :: factor(2)
    type(kept_function), pointer :: kept
    complex(real64) :: value
    call c_f_pointer(user, kept)
    value = kept%of_indices(index(axes:1:-1) + 1)
    factor = [real(value, real64), aimag(value)]
  end subroutine call_of_indices
  subroutine call_of_wavenumbers(user, axes, wavenumber, factor) bind(C)
    type(c_ptr), value :: user
    integer(c_int), value :: axes
    real(c_double), intent(in) :: wavenumber(*)
    real(c_double), intent(inout) :: factor(2)
    type(kept_function), pointer :: kept
    complex(real64) :: value
    call c_f_pointer(user, kept)
    value = kept%of_wavenumbers(wavenumber(axes:1:-1))
    factor = [real(value, real64), aimag(value)]
  end subroutine call_of_wavenumbers
  integer(c_int) function call_change(user, side, data, device, stream) bind(C)
    type(c_ptr), value :: user, side, data, stream
    integer(c_int), value :: device
    type(kept_function), pointer :: kept
    integer :: stat
    call c_f_pointer(user, kept)
    call kept%change(shardfft_side(side), data, int(device), stream, stat)
    call_change = int(stat, c_int)
  end function call_change
  subroutine release(user) bind(C)
    type(c_ptr), value :: user
    type(kept_function), pointer :: kept
    call c_f_pointer(user, kept)
    deallocate (kept)
  end subroutine release

  ! The function is called when the operator is applied for the first time. It must not be an internal procedure of one
  ! that has ended by then.
  subroutine of_indices(self, factor, stat, errmsg)
    class(shardfft_operator), intent(inout) :: self
    procedure(shardfft_factor_of_indices) :: factor
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(kept_function), pointer :: kept
    allocate (kept)
    kept%of_indices => factor
    call settle(shardfft_operator_of_indices(c_funloc(call_of_indices), c_loc(kept), c_funloc(release), self%handle), &
      stat, errmsg)
  end subroutine of_indices
  subroutine of_wavenumbers(self, factor, lengths, stat, errmsg)
    class(shardfft_operator), intent(inout) :: self
    procedure(shardfft_factor_of_wavenumbers) :: factor
    real(real64), intent(in), optional :: lengths(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(kept_function), pointer :: kept
    real(c_double), allocatable, target :: extents(:)
    allocate (kept)
    kept%of_wavenumbers => factor
    call turn(lengths, extents)
    call settle(shardfft_operator_of_wavenumbers(c_funloc(call_of_wavenumbers), c_loc(kept), c_funloc(release), &
      size(extents, kind=c_int), c_loc(extents), self%handle), stat, errmsg)
  end subroutine of_wavenumbers

  ! No factors: each apply calls the procedure, which changes the spectrum.
  subroutine calling(self, change, stat, errmsg)
    class(shardfft_operator), intent(inout) :: self
    procedure(shardfft_on_spectrum) :: change
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(kept_function), pointer :: kept
    allocate (kept)
    kept%change => change
    call settle(shardfft_operator_calling(c_funloc(call_change), c_loc(kept), c_funloc(release), self%handle), stat, errmsg)
  end subroutine calling

  ! (i k)^order along dimension `dim` of an array of `dims` dimensions: the order-th derivative.
  subroutine derivative(self, dims, dim, order, lengths, stat, errmsg)
    class(shardfft_operator), intent(inout) :: self
    integer, intent(in) :: dims, dim
    integer, intent(in), optional :: order
    real(real64), intent(in), optional :: lengths(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), allocatable, target :: extents(:)
    integer(c_int) :: times
    if (dim < 1 .or. dim > dims) then
      call settle_words(shardfft_invalid_argument, 'the dimension of a derivative must be one of the array''s', stat, errmsg)
      return
    end if
    times = 1
    if (present(order)) times = int(order, c_int)
    call turn(lengths, extents)
    call settle(shardfft_operator_derivative(int(dims - dim, c_int), times, size(extents, kind=c_int), c_loc(extents), &
      self%handle), stat, errmsg)
  end subroutine derivative

  include 'made/operator.inc'
end module shardfft_operator_module
