! Made by make_interface.py from include/shardfft/c/operator.h, which says what these functions do.
module shardfft_c_operator
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, c_ptr
  implicit none
  public

  interface
    function shardfft_operator_array(precision, is_complex, factors, count, made) bind(C, &
        name="shardfft_operator_array")
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: precision
      integer(c_int), value :: is_complex
      type(c_ptr), value :: factors
      integer(c_int64_t), value :: count
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_array
    end function shardfft_operator_array

    function shardfft_operator_arrays(precision, is_complex, count, factors, counts, &
        made) bind(C, name="shardfft_operator_arrays")
      import :: c_int, c_ptr
      integer(c_int), value :: precision
      integer(c_int), value :: is_complex
      integer(c_int), value :: count
      type(c_ptr), value :: factors
      type(c_ptr), value :: counts
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_arrays
    end function shardfft_operator_arrays

    function shardfft_operator_of_indices(factor, user, release, made) bind(C, &
        name="shardfft_operator_of_indices")
      import :: c_funptr, c_int, c_ptr
      type(c_funptr), value :: factor
      type(c_ptr), value :: user
      type(c_funptr), value :: release
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_of_indices
    end function shardfft_operator_of_indices

    function shardfft_operator_of_wavenumbers(factor, user, release, axes, lengths, &
        made) bind(C, name="shardfft_operator_of_wavenumbers")
      import :: c_funptr, c_int, c_ptr
      type(c_funptr), value :: factor
      type(c_ptr), value :: user
      type(c_funptr), value :: release
      integer(c_int), value :: axes
      type(c_ptr), value :: lengths
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_of_wavenumbers
    end function shardfft_operator_of_wavenumbers

    function shardfft_operator_calling(change, user, release, made) bind(C, &
        name="shardfft_operator_calling")
      import :: c_funptr, c_int, c_ptr
      type(c_funptr), value :: change
      type(c_ptr), value :: user
      type(c_funptr), value :: release
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_calling
    end function shardfft_operator_calling

    function shardfft_operator_cuda(text, axes, lengths, made) bind(C, &
        name="shardfft_operator_cuda")
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int), value :: axes
      type(c_ptr), value :: lengths
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_cuda
    end function shardfft_operator_cuda

    function shardfft_operator_constant(real, imaginary, made) bind(C, &
        name="shardfft_operator_constant")
      import :: c_double, c_int, c_ptr
      real(c_double), value :: real
      real(c_double), value :: imaginary
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_constant
    end function shardfft_operator_constant

    function shardfft_operator_derivative(axis, order, axes, lengths, made) bind(C, &
        name="shardfft_operator_derivative")
      import :: c_int, c_ptr
      integer(c_int), value :: axis
      integer(c_int), value :: order
      integer(c_int), value :: axes
      type(c_ptr), value :: lengths
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_derivative
    end function shardfft_operator_derivative

    function shardfft_operator_laplacian(axes, lengths, made) bind(C, &
        name="shardfft_operator_laplacian")
      import :: c_int, c_ptr
      integer(c_int), value :: axes
      type(c_ptr), value :: lengths
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_laplacian
    end function shardfft_operator_laplacian

    function shardfft_operator_inverse_laplacian(axes, lengths, made) bind(C, &
        name="shardfft_operator_inverse_laplacian")
      import :: c_int, c_ptr
      integer(c_int), value :: axes
      type(c_ptr), value :: lengths
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_inverse_laplacian
    end function shardfft_operator_inverse_laplacian

    function shardfft_operator_gaussian(sigma, axes, lengths, made) bind(C, &
        name="shardfft_operator_gaussian")
      import :: c_double, c_int, c_ptr
      real(c_double), value :: sigma
      integer(c_int), value :: axes
      type(c_ptr), value :: lengths
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_gaussian
    end function shardfft_operator_gaussian

    function shardfft_operator_multiply(a, b, product) bind(C, &
        name="shardfft_operator_multiply")
      import :: c_int, c_ptr
      type(c_ptr), value :: a
      type(c_ptr), value :: b
      type(c_ptr), intent(inout) :: product
      integer(c_int) :: shardfft_operator_multiply
    end function shardfft_operator_multiply

    function shardfft_operator_add(a, b, sum) bind(C, name="shardfft_operator_add")
      import :: c_int, c_ptr
      type(c_ptr), value :: a
      type(c_ptr), value :: b
      type(c_ptr), intent(inout) :: sum
      integer(c_int) :: shardfft_operator_add
    end function shardfft_operator_add

    function shardfft_operator_subtract(a, b, difference) bind(C, &
        name="shardfft_operator_subtract")
      import :: c_int, c_ptr
      type(c_ptr), value :: a
      type(c_ptr), value :: b
      type(c_ptr), intent(inout) :: difference
      integer(c_int) :: shardfft_operator_subtract
    end function shardfft_operator_subtract

    function shardfft_operator_divide(a, b, quotient) bind(C, name="shardfft_operator_divide")
      import :: c_int, c_ptr
      type(c_ptr), value :: a
      type(c_ptr), value :: b
      type(c_ptr), intent(inout) :: quotient
      integer(c_int) :: shardfft_operator_divide
    end function shardfft_operator_divide

    function shardfft_operator_free(made) bind(C, name="shardfft_operator_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_operator_free
    end function shardfft_operator_free
  end interface
end module shardfft_c_operator
