! Made by make_interface.py from include/shardfft/c/options.h, which says what these functions do.
module shardfft_c_options
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_ptr
  implicit none
  public

  interface
    function shardfft_options_create(options) bind(C, name="shardfft_options_create")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: options
      integer(c_int) :: shardfft_options_create
    end function shardfft_options_create

    function shardfft_options_copy(options, copy) bind(C, name="shardfft_options_copy")
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: copy
      integer(c_int) :: shardfft_options_copy
    end function shardfft_options_copy

    function shardfft_options_free(options) bind(C, name="shardfft_options_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: options
      integer(c_int) :: shardfft_options_free
    end function shardfft_options_free

    function shardfft_options_set(options, name, text) bind(C, name="shardfft_options_set")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: shardfft_options_set
    end function shardfft_options_set

    function shardfft_options_set_integer(options, name, value) bind(C, &
        name="shardfft_options_set_integer")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: value
      integer(c_int) :: shardfft_options_set_integer
    end function shardfft_options_set_integer

    function shardfft_options_set_number(options, name, value) bind(C, &
        name="shardfft_options_set_number")
      import :: c_char, c_double, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
      integer(c_int) :: shardfft_options_set_number
    end function shardfft_options_set_number

    function shardfft_options_set_integers(options, name, count, values) bind(C, &
        name="shardfft_options_set_integers")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: count
      type(c_ptr), value :: values
      integer(c_int) :: shardfft_options_set_integers
    end function shardfft_options_set_integers

    function shardfft_options_set_address(options, name, address) bind(C, &
        name="shardfft_options_set_address")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: address
      integer(c_int) :: shardfft_options_set_address
    end function shardfft_options_set_address

    function shardfft_options_get(options, name, text) bind(C, name="shardfft_options_get")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: text
      integer(c_int) :: shardfft_options_get
    end function shardfft_options_get

    function shardfft_option_names(names) bind(C, name="shardfft_option_names")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: names
      integer(c_int) :: shardfft_option_names
    end function shardfft_option_names

    function shardfft_option_sentence(name, sentence) bind(C, name="shardfft_option_sentence")
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: sentence
      integer(c_int) :: shardfft_option_sentence
    end function shardfft_option_sentence

    function shardfft_algorithm_names(names) bind(C, name="shardfft_algorithm_names")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: names
      integer(c_int) :: shardfft_algorithm_names
    end function shardfft_algorithm_names

    function shardfft_exchange_names(names) bind(C, name="shardfft_exchange_names")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: names
      integer(c_int) :: shardfft_exchange_names
    end function shardfft_exchange_names

    function shardfft_device_exchange_names(names) bind(C, &
        name="shardfft_device_exchange_names")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: names
      integer(c_int) :: shardfft_device_exchange_names
    end function shardfft_device_exchange_names

    function shardfft_local_fft_names(names) bind(C, name="shardfft_local_fft_names")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: names
      integer(c_int) :: shardfft_local_fft_names
    end function shardfft_local_fft_names
  end interface
end module shardfft_c_options
