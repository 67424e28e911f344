! Made by make_interface.py from include/shardfft/c/base.h, which says what these functions do.
module shardfft_c_base
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  implicit none
  public

  interface
    function shardfft_version() bind(C, name="shardfft_version")
      import :: c_ptr
      type(c_ptr) :: shardfft_version
    end function shardfft_version

    function shardfft_status_name(status) bind(C, name="shardfft_status_name")
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: shardfft_status_name
    end function shardfft_status_name

    function shardfft_last_error() bind(C, name="shardfft_last_error")
      import :: c_ptr
      type(c_ptr) :: shardfft_last_error
    end function shardfft_last_error

    subroutine shardfft_text_free(text) bind(C, name="shardfft_text_free")
      import :: c_ptr
      type(c_ptr), value :: text
    end subroutine shardfft_text_free

    function shardfft_buffer_data(buffer, data) bind(C, name="shardfft_buffer_data")
      import :: c_int, c_ptr
      type(c_ptr), value :: buffer
      type(c_ptr), intent(inout) :: data
      integer(c_int) :: shardfft_buffer_data
    end function shardfft_buffer_data

    function shardfft_buffer_bytes(buffer, bytes) bind(C, name="shardfft_buffer_bytes")
      import :: c_int, c_ptr
      type(c_ptr), value :: buffer
      type(c_ptr), value :: bytes
      integer(c_int) :: shardfft_buffer_bytes
    end function shardfft_buffer_bytes

    function shardfft_buffer_free(buffer) bind(C, name="shardfft_buffer_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: buffer
      integer(c_int) :: shardfft_buffer_free
    end function shardfft_buffer_free
  end interface
end module shardfft_c_base
