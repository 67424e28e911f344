! Arrays of any elements change their layout without a transform.
module shardfft_redistribution_module
  use mpi_f08, only: MPI_Comm
  use shardfft_base
  use shardfft_c_redistribution
  use shardfft_layout_module
  use shardfft_options_module
  use shardfft_side_module
  implicit none
  private
  public :: shardfft_redistribution, shardfft_move

  ! Arrays are given by their addresses, c_loc(array), since elements may be of any type.
  type :: shardfft_redistribution
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_old, create_f08, create_devices
    generic :: create => create_old, create_f08, create_devices
    procedure :: forward, backward, forward_members, backward_members
    procedure :: members, input_count, output_count, device, stream, set_streams, workspace_bytes, bytes_sent
    procedure :: failed_half_way, allocate_input, allocate_output, exchange
    procedure :: free => free_redistribution
  end type shardfft_redistribution

  ! Moves one array, once: call shardfft_move(comm, from, to, element_bytes, c_loc(a), c_loc(b)). Collective.
  interface shardfft_move
    procedure :: move_old, move_f08
  end interface shardfft_move

contains

  ! C's options for the array; null for the defaults.
  subroutine convert(layout, options, c_options)
    type(shardfft_layout), intent(in) :: layout
    type(shardfft_options), intent(in), optional :: options
    type(c_ptr), intent(out) :: c_options
    integer :: dims, stat
    c_options = c_null_ptr
    if (.not. present(options)) return
    dims = layout%dims(stat)
    if (stat == 0) call options%for_array(dims, c_options)
  end subroutine convert

  ! Over the processes of a communicator. Elements have `element_bytes` each. Collective.
  subroutine create_old(self, comm, from, to, element_bytes, options, stat, errmsg)
    class(shardfft_redistribution), intent(inout) :: self
    integer, intent(in) :: comm, element_bytes
    type(shardfft_layout), intent(in) :: from, to
    type(shardfft_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_options) :: none
    type(c_ptr) :: c_options
    integer(c_int) :: status
    call convert(from, options, c_options)
    status = shardfft_redistribution_create_f(int(comm, c_int), from%handle, to%handle, bytes_of(element_bytes), c_options, &
      self%handle)
    call settle(status, stat, errmsg)
    status = none%drop(c_options)
  end subroutine create_old
  subroutine create_f08(self, comm, from, to, element_bytes, options, stat, errmsg)
    class(shardfft_redistribution), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: element_bytes
    type(shardfft_layout), intent(in) :: from, to
    type(shardfft_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call create_old(self, comm%mpi_val, from, to, element_bytes, options, stat, errmsg)
  end subroutine create_f08
  ! Over GPUs of this process.
  subroutine create_devices(self, devices, from, to, element_bytes, options, stat, errmsg)
    class(shardfft_redistribution), intent(inout) :: self
    integer, intent(in) :: devices(:), element_bytes
    type(shardfft_layout), intent(in) :: from, to
    type(shardfft_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_options) :: none
    type(c_ptr) :: c_options
    integer(c_int), target :: list(max(size(devices), 1))
    integer(c_int) :: status
    list(:size(devices)) = int(devices, c_int)
    call convert(from, options, c_options)
    status = shardfft_redistribution_create_devices(size(devices, kind=c_int), c_loc(list), from%handle, to%handle, &
      bytes_of(element_bytes), c_options, self%handle)
    call settle(status, stat, errmsg)
    status = none%drop(c_options)
  end subroutine create_devices

  ! Negative sizes are none.
  integer(c_size_t) function bytes_of(element_bytes)
    integer, intent(in) :: element_bytes
    bytes_of = int(max(element_bytes, 0), c_size_t)
  end function bytes_of

  ! Moves `in` in layout `from` to `out` in layout `to`; backward the other way. Collective.
  subroutine forward(self, in, out, stat, errmsg)
    class(shardfft_redistribution), intent(inout) :: self
    type(c_ptr), intent(in) :: in, out
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(shardfft_redistribution_forward(self%handle, in, out), stat, errmsg)
  end subroutine forward
  subroutine backward(self, in, out, stat, errmsg)
    class(shardfft_redistribution), intent(inout) :: self
    type(c_ptr), intent(in) :: in, out
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(shardfft_redistribution_backward(self%handle, in, out), stat, errmsg)
  end subroutine backward
  ! Of any number of members: the address of each member's array.
  subroutine forward_members(self, in, out, stat, errmsg)
    class(shardfft_redistribution), intent(inout) :: self
    type(c_ptr), intent(in) :: in(:), out(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr), target :: from(max(size(in), 1)), to(max(size(in), 1))
    from(:size(in)) = in
    if (size(in) == size(out)) to(:size(out)) = out
    call settle(shardfft_redistribution_forward_members(self%handle, count_of(in, out), c_loc(from), &
      c_loc(to)), stat, errmsg)
  end subroutine forward_members
  subroutine backward_members(self, in, out, stat, errmsg)
    class(shardfft_redistribution), intent(inout) :: self
    type(c_ptr), intent(in) :: in(:), out(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr), target :: from(max(size(in), 1)), to(max(size(in), 1))
    from(:size(in)) = in
    if (size(in) == size(out)) to(:size(out)) = out
    call settle(shardfft_redistribution_backward_members(self%handle, count_of(in, out), c_loc(from), &
      c_loc(to)), stat, errmsg)
  end subroutine backward_members

  ! How many members' arrays a call was given; -1, which C refuses, where there are not as many of both.
  integer(c_int) function count_of(in, out)
    type(c_ptr), intent(in) :: in(:), out(:)
    count_of = -1
    if (size(in) == size(out)) count_of = size(in, kind=c_int)
  end function count_of

  ! C's number of a member.
  integer(c_int) function at(member)
    integer, intent(in), optional :: member
    at = 0
    if (present(member)) at = int(member - 1, c_int)
  end function at

  ! As the procedures of plans with these names.
  function members(self, stat, errmsg) result(answer)
    class(shardfft_redistribution), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer :: answer
    integer(c_int), target :: number
    number = 0
    call settle(shardfft_redistribution_members(self%handle, c_loc(number)), stat, errmsg)
    answer = int(number)
  end function members
  function input_count(self, member, stat, errmsg) result(answer)
    class(shardfft_redistribution), intent(in) :: self
    integer, intent(in), optional :: member
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: answer
    integer(c_int64_t), target :: number
    number = 0
    call settle(shardfft_redistribution_input_count(self%handle, at(member), c_loc(number)), stat, errmsg)
    answer = int(number, int64)
  end function input_count
  function output_count(self, member, stat, errmsg) result(answer)
    class(shardfft_redistribution), intent(in) :: self
    integer, intent(in), optional :: member
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: answer
    integer(c_int64_t), target :: number
    number = 0
    call settle(shardfft_redistribution_output_count(self%handle, at(member), c_loc(number)), stat, errmsg)
    answer = int(number, int64)
  end function output_count
  function device(self, member, stat, errmsg) result(answer)
    class(shardfft_redistribution), intent(in) :: self
    integer, intent(in), optional :: member
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer :: answer
    integer(c_int), target :: number
    number = 0
    call settle(shardfft_redistribution_device(self%handle, at(member), c_loc(number)), stat, errmsg)
    answer = int(number)
  end function device
  ! The stream (a cudaStream_t) of a member's calls; null on CPUs.
  type(c_ptr) function stream(self, member, stat, errmsg)
    class(shardfft_redistribution), intent(in) :: self
    integer, intent(in), optional :: member
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    stream = c_null_ptr
    call settle(shardfft_redistribution_stream(self%handle, at(member), stream), stat, errmsg)
  end function stream
  ! From now on calls are enqueued on these streams, one a member; none: the plan's own. Collective.
  subroutine set_streams(self, streams, stat, errmsg)
    class(shardfft_redistribution), intent(inout) :: self
    type(c_ptr), intent(in) :: streams(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr), target :: list(max(size(streams), 1))
    list(:size(streams)) = streams
    call settle(shardfft_redistribution_set_streams(self%handle, size(streams, kind=c_int), c_loc(list)), stat, errmsg)
  end subroutine set_streams
  function workspace_bytes(self, stat, errmsg) result(answer)
    class(shardfft_redistribution), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: answer
    integer(c_size_t), target :: number
    number = 0
    call settle(shardfft_redistribution_workspace_bytes(self%handle, c_loc(number)), stat, errmsg)
    answer = int(number, int64)
  end function workspace_bytes
  function failed_half_way(self, stat, errmsg) result(answer)
    class(shardfft_redistribution), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    logical :: answer
    integer(c_int), target :: number
    number = 0
    call settle(shardfft_redistribution_failed_half_way(self%handle, c_loc(number)), stat, errmsg)
    answer = number /= 0
  end function failed_half_way
  function allocate_input(self, member, stat, errmsg) result(made)
    class(shardfft_redistribution), intent(inout) :: self
    integer, intent(in), optional :: member
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_buffer) :: made
    call settle(shardfft_redistribution_allocate_input(self%handle, at(member), made%handle), stat, errmsg)
  end function allocate_input
  function allocate_output(self, member, stat, errmsg) result(made)
    class(shardfft_redistribution), intent(inout) :: self
    integer, intent(in), optional :: member
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_buffer) :: made
    call settle(shardfft_redistribution_allocate_output(self%handle, at(member), made%handle), stat, errmsg)
  end function allocate_output
  ! Bytes that a member sends to others in one forward.
  function bytes_sent(self, stat, errmsg) result(answer)
    class(shardfft_redistribution), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: answer
    integer(c_int64_t), target :: number
    number = 0
    call settle(shardfft_redistribution_bytes_sent(self%handle, c_loc(number)), stat, errmsg)
    answer = int(number, int64)
  end function bytes_sent
  ! The name of the exchange that moves the data.
  function exchange(self, stat, errmsg) result(text)
    class(shardfft_redistribution), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: text
    type(c_ptr) :: address
    integer(c_int) :: status
    address = c_null_ptr
    status = shardfft_redistribution_exchange(self%handle, address)
    text = owned_text(address)
    call settle(status, stat, errmsg)
  end function exchange

  ! Collective.
  subroutine free_redistribution(self, stat, errmsg)
    class(shardfft_redistribution), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(shardfft_redistribution_free(self%handle), stat, errmsg)
  end subroutine free_redistribution

  subroutine move_old(comm, from, to, element_bytes, in, out, options, stat, errmsg)
    integer, intent(in) :: comm, element_bytes
    type(shardfft_layout), intent(in) :: from, to
    type(c_ptr), intent(in) :: in, out
    type(shardfft_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_options) :: none
    type(c_ptr) :: c_options
    integer(c_int) :: status
    call convert(from, options, c_options)
    status = shardfft_redistribute_f(int(comm, c_int), from%handle, to%handle, bytes_of(element_bytes), in, out, c_options)
    call settle(status, stat, errmsg)
    status = none%drop(c_options)
  end subroutine move_old
  subroutine move_f08(comm, from, to, element_bytes, in, out, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: element_bytes
    type(shardfft_layout), intent(in) :: from, to
    type(c_ptr), intent(in) :: in, out
    type(shardfft_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call move_old(comm%mpi_val, from, to, element_bytes, in, out, options, stat, errmsg)
  end subroutine move_f08
end module shardfft_redistribution_module
