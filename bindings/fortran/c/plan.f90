! Made by make_interface.py from include/shardfft/c/plan.h, which says what these functions do.
module shardfft_c_plan
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_ptr, c_size_t
  implicit none
  public

  interface
    function shardfft_plan_create_f(comm, kind, precision, input, output, options, &
        plan) bind(C, name="shardfft_plan_create_f")
      import :: c_int, c_ptr
      integer(c_int), value :: comm
      integer(c_int), value :: kind
      integer(c_int), value :: precision
      type(c_ptr), value :: input
      type(c_ptr), value :: output
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: shardfft_plan_create_f
    end function shardfft_plan_create_f

    function shardfft_plan_create_devices(count, devices, kind, precision, input, output, &
        options, plan) bind(C, name="shardfft_plan_create_devices")
      import :: c_int, c_ptr
      integer(c_int), value :: count
      type(c_ptr), value :: devices
      integer(c_int), value :: kind
      integer(c_int), value :: precision
      type(c_ptr), value :: input
      type(c_ptr), value :: output
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: shardfft_plan_create_devices
    end function shardfft_plan_create_devices

    function shardfft_plan_free(plan) bind(C, name="shardfft_plan_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: shardfft_plan_free
    end function shardfft_plan_free

    function shardfft_plan_forward(plan, in, out) bind(C, name="shardfft_plan_forward")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int) :: shardfft_plan_forward
    end function shardfft_plan_forward

    function shardfft_plan_backward(plan, in, out) bind(C, name="shardfft_plan_backward")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int) :: shardfft_plan_backward
    end function shardfft_plan_backward

    function shardfft_plan_apply(plan, factors, in, out) bind(C, name="shardfft_plan_apply")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: factors
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int) :: shardfft_plan_apply
    end function shardfft_plan_apply

    function shardfft_plan_convolution(plan, kernel, made) bind(C, &
        name="shardfft_plan_convolution")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: kernel
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_plan_convolution
    end function shardfft_plan_convolution

    function shardfft_plan_forward_members(plan, count, in, out) bind(C, &
        name="shardfft_plan_forward_members")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: count
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int) :: shardfft_plan_forward_members
    end function shardfft_plan_forward_members

    function shardfft_plan_backward_members(plan, count, in, out) bind(C, &
        name="shardfft_plan_backward_members")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: count
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int) :: shardfft_plan_backward_members
    end function shardfft_plan_backward_members

    function shardfft_plan_apply_members(plan, factors, count, in, out) bind(C, &
        name="shardfft_plan_apply_members")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: factors
      integer(c_int), value :: count
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int) :: shardfft_plan_apply_members
    end function shardfft_plan_apply_members

    function shardfft_plan_convolution_members(plan, count, kernels, made) bind(C, &
        name="shardfft_plan_convolution_members")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: count
      type(c_ptr), value :: kernels
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: shardfft_plan_convolution_members
    end function shardfft_plan_convolution_members

    function shardfft_plan_refuse(plan, why) bind(C, name="shardfft_plan_refuse")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: why(*)
      integer(c_int) :: shardfft_plan_refuse
    end function shardfft_plan_refuse

    function shardfft_plan_failed_half_way(plan, failed) bind(C, &
        name="shardfft_plan_failed_half_way")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: failed
      integer(c_int) :: shardfft_plan_failed_half_way
    end function shardfft_plan_failed_half_way

    function shardfft_plan_ranks(plan, ranks) bind(C, name="shardfft_plan_ranks")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: ranks
      integer(c_int) :: shardfft_plan_ranks
    end function shardfft_plan_ranks

    function shardfft_plan_members(plan, members) bind(C, name="shardfft_plan_members")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: members
      integer(c_int) :: shardfft_plan_members
    end function shardfft_plan_members

    function shardfft_plan_input(plan, member, side) bind(C, name="shardfft_plan_input")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: member
      type(c_ptr), intent(inout) :: side
      integer(c_int) :: shardfft_plan_input
    end function shardfft_plan_input

    function shardfft_plan_output(plan, member, side) bind(C, name="shardfft_plan_output")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: member
      type(c_ptr), intent(inout) :: side
      integer(c_int) :: shardfft_plan_output
    end function shardfft_plan_output

    function shardfft_plan_input_count(plan, member, count) bind(C, &
        name="shardfft_plan_input_count")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: member
      type(c_ptr), value :: count
      integer(c_int) :: shardfft_plan_input_count
    end function shardfft_plan_input_count

    function shardfft_plan_output_count(plan, member, count) bind(C, &
        name="shardfft_plan_output_count")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: member
      type(c_ptr), value :: count
      integer(c_int) :: shardfft_plan_output_count
    end function shardfft_plan_output_count

    function shardfft_plan_device(plan, member, device) bind(C, name="shardfft_plan_device")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: member
      type(c_ptr), value :: device
      integer(c_int) :: shardfft_plan_device
    end function shardfft_plan_device

    function shardfft_plan_stream(plan, member, stream) bind(C, name="shardfft_plan_stream")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: member
      type(c_ptr), intent(inout) :: stream
      integer(c_int) :: shardfft_plan_stream
    end function shardfft_plan_stream

    function shardfft_plan_set_streams(plan, count, streams) bind(C, &
        name="shardfft_plan_set_streams")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: count
      type(c_ptr), value :: streams
      integer(c_int) :: shardfft_plan_set_streams
    end function shardfft_plan_set_streams

    function shardfft_plan_in_place_bytes(plan, member, bytes) bind(C, &
        name="shardfft_plan_in_place_bytes")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: member
      type(c_ptr), value :: bytes
      integer(c_int) :: shardfft_plan_in_place_bytes
    end function shardfft_plan_in_place_bytes

    function shardfft_plan_workspace_bytes(plan, bytes) bind(C, &
        name="shardfft_plan_workspace_bytes")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), value :: bytes
      integer(c_int) :: shardfft_plan_workspace_bytes
    end function shardfft_plan_workspace_bytes

    function shardfft_plan_set_workspace(plan, memory, bytes) bind(C, &
        name="shardfft_plan_set_workspace")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: plan
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int) :: shardfft_plan_set_workspace
    end function shardfft_plan_set_workspace

    function shardfft_plan_allocate_input(plan, member, buffer) bind(C, &
        name="shardfft_plan_allocate_input")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: member
      type(c_ptr), intent(inout) :: buffer
      integer(c_int) :: shardfft_plan_allocate_input
    end function shardfft_plan_allocate_input

    function shardfft_plan_allocate_output(plan, member, buffer) bind(C, &
        name="shardfft_plan_allocate_output")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: member
      type(c_ptr), intent(inout) :: buffer
      integer(c_int) :: shardfft_plan_allocate_output
    end function shardfft_plan_allocate_output

    function shardfft_plan_report(plan, report) bind(C, name="shardfft_plan_report")
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: report
      integer(c_int) :: shardfft_plan_report
    end function shardfft_plan_report

    function shardfft_report_to_text(report, text) bind(C, name="shardfft_report_to_text")
      import :: c_int, c_ptr
      type(c_ptr), value :: report
      type(c_ptr), intent(inout) :: text
      integer(c_int) :: shardfft_report_to_text
    end function shardfft_report_to_text

    function shardfft_report_to_json(report, json) bind(C, name="shardfft_report_to_json")
      import :: c_int, c_ptr
      type(c_ptr), value :: report
      type(c_ptr), intent(inout) :: json
      integer(c_int) :: shardfft_report_to_json
    end function shardfft_report_to_json

    function shardfft_report_free(report) bind(C, name="shardfft_report_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: report
      integer(c_int) :: shardfft_report_free
    end function shardfft_report_free
  end interface
end module shardfft_c_plan
