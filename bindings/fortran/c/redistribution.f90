! Made by make_interface.py from include/shardfft/c/redistribution.h, which says what these functions do.
module shardfft_c_redistribution
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
  implicit none
  public

  interface
    function shardfft_redistribution_create_f(comm, from, to, element_bytes, options, &
        made) bind(C, name="shardfft_redistribution_create_f")
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: comm
      type(c_ptr), value :: from
      type(c_ptr), value :: to
      integer(c_size_t), value :: element_bytes
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_redistribution_create_f
    end function shardfft_redistribution_create_f

    function shardfft_redistribution_create_devices(count, devices, from, to, element_bytes, &
        options, made) bind(C, name="shardfft_redistribution_create_devices")
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: count
      type(c_ptr), value :: devices
      type(c_ptr), value :: from
      type(c_ptr), value :: to
      integer(c_size_t), value :: element_bytes
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_redistribution_create_devices
    end function shardfft_redistribution_create_devices

    function shardfft_redistribution_free(made) bind(C, name="shardfft_redistribution_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_redistribution_free
    end function shardfft_redistribution_free

    function shardfft_redistribution_forward(made, in, out) bind(C, &
        name="shardfft_redistribution_forward")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int) :: shardfft_redistribution_forward
    end function shardfft_redistribution_forward

    function shardfft_redistribution_backward(made, in, out) bind(C, &
        name="shardfft_redistribution_backward")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int) :: shardfft_redistribution_backward
    end function shardfft_redistribution_backward

    function shardfft_redistribution_forward_members(made, count, in, out) bind(C, &
        name="shardfft_redistribution_forward_members")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      integer(c_int), value :: count
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int) :: shardfft_redistribution_forward_members
    end function shardfft_redistribution_forward_members

    function shardfft_redistribution_backward_members(made, count, in, out) bind(C, &
        name="shardfft_redistribution_backward_members")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      integer(c_int), value :: count
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int) :: shardfft_redistribution_backward_members
    end function shardfft_redistribution_backward_members

    function shardfft_redistribution_members(made, members) bind(C, &
        name="shardfft_redistribution_members")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      type(c_ptr), value :: members
      integer(c_int) :: shardfft_redistribution_members
    end function shardfft_redistribution_members

    function shardfft_redistribution_input_count(made, member, count) bind(C, &
        name="shardfft_redistribution_input_count")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      integer(c_int), value :: member
      type(c_ptr), value :: count
      integer(c_int) :: shardfft_redistribution_input_count
    end function shardfft_redistribution_input_count

    function shardfft_redistribution_output_count(made, member, count) bind(C, &
        name="shardfft_redistribution_output_count")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      integer(c_int), value :: member
      type(c_ptr), value :: count
      integer(c_int) :: shardfft_redistribution_output_count
    end function shardfft_redistribution_output_count

    function shardfft_redistribution_device(made, member, device) bind(C, &
        name="shardfft_redistribution_device")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      integer(c_int), value :: member
      type(c_ptr), value :: device
      integer(c_int) :: shardfft_redistribution_device
    end function shardfft_redistribution_device

    function shardfft_redistribution_stream(made, member, stream) bind(C, &
        name="shardfft_redistribution_stream")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      integer(c_int), value :: member
      type(c_ptr), intent(inout) :: stream
      integer(c_int) :: shardfft_redistribution_stream
    end function shardfft_redistribution_stream

    function shardfft_redistribution_set_streams(made, count, streams) bind(C, &
        name="shardfft_redistribution_set_streams")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      integer(c_int), value :: count
      type(c_ptr), value :: streams
      integer(c_int) :: shardfft_redistribution_set_streams
    end function shardfft_redistribution_set_streams

    function shardfft_redistribution_workspace_bytes(made, bytes) bind(C, &
        name="shardfft_redistribution_workspace_bytes")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      type(c_ptr), value :: bytes
      integer(c_int) :: shardfft_redistribution_workspace_bytes
    end function shardfft_redistribution_workspace_bytes

    function shardfft_redistribution_failed_half_way(made, failed) bind(C, &
        name="shardfft_redistribution_failed_half_way")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      type(c_ptr), value :: failed
      integer(c_int) :: shardfft_redistribution_failed_half_way
    end function shardfft_redistribution_failed_half_way

    function shardfft_redistribution_allocate_input(made, member, buffer) bind(C, &
        name="shardfft_redistribution_allocate_input")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      integer(c_int), value :: member
      type(c_ptr), intent(inout) :: buffer
      integer(c_int) :: shardfft_redistribution_allocate_input
    end function shardfft_redistribution_allocate_input

    function shardfft_redistribution_allocate_output(made, member, buffer) bind(C, &
        name="shardfft_redistribution_allocate_output")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      integer(c_int), value :: member
      type(c_ptr), intent(inout) :: buffer
      integer(c_int) :: shardfft_redistribution_allocate_output
    end function shardfft_redistribution_allocate_output

    function shardfft_redistribution_bytes_sent(made, bytes) bind(C, &
        name="shardfft_redistribution_bytes_sent")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      type(c_ptr), value :: bytes
      integer(c_int) :: shardfft_redistribution_bytes_sent
    end function shardfft_redistribution_bytes_sent

    function shardfft_redistribution_exchange(made, name) bind(C, &
        name="shardfft_redistribution_exchange")
      import :: c_int, c_ptr
      type(c_ptr), value :: made
      type(c_ptr), intent(inout) :: name
      integer(c_int) :: shardfft_redistribution_exchange
    end function shardfft_redistribution_exchange

    function shardfft_redistribute_f(comm, from, to, element_bytes, in, out, options) bind(C, &
        name="shardfft_redistribute_f")
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: comm
      type(c_ptr), value :: from
      type(c_ptr), value :: to
      integer(c_size_t), value :: element_bytes
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      type(c_ptr), value :: options
      integer(c_int) :: shardfft_redistribute_f
    end function shardfft_redistribute_f
  end interface
end module shardfft_c_redistribution
