! Made by make_interface.py from include/shardfft/c/gpu.h, which says what these functions do.
module shardfft_c_gpu
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  implicit none
  public

  interface
    function shardfft_gpu_support(support) bind(C, name="shardfft_gpu_support")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: support
      integer(c_int) :: shardfft_gpu_support
    end function shardfft_gpu_support

    function shardfft_gpu_names(names) bind(C, name="shardfft_gpu_names")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: names
      integer(c_int) :: shardfft_gpu_names
    end function shardfft_gpu_names

    function shardfft_memory_place(address, kind, device) bind(C, name="shardfft_memory_place")
      import :: c_int, c_ptr
      type(c_ptr), value :: address
      type(c_ptr), intent(inout) :: kind
      type(c_ptr), value :: device
      integer(c_int) :: shardfft_memory_place
    end function shardfft_memory_place

    function shardfft_set_current_gpu(device, before) bind(C, name="shardfft_set_current_gpu")
      import :: c_int, c_ptr
      integer(c_int), value :: device
      type(c_ptr), value :: before
      integer(c_int) :: shardfft_set_current_gpu
    end function shardfft_set_current_gpu

    function shardfft_order_streams(device, earlier, stream) bind(C, &
        name="shardfft_order_streams")
      import :: c_int, c_ptr
      integer(c_int), value :: device
      type(c_ptr), value :: earlier
      type(c_ptr), value :: stream
      integer(c_int) :: shardfft_order_streams
    end function shardfft_order_streams

    function shardfft_synchronize_stream(device, stream) bind(C, &
        name="shardfft_synchronize_stream")
      import :: c_int, c_ptr
      integer(c_int), value :: device
      type(c_ptr), value :: stream
      integer(c_int) :: shardfft_synchronize_stream
    end function shardfft_synchronize_stream
  end interface
end module shardfft_c_gpu
