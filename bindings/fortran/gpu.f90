! What programs around plans need of the GPU runtime. GPUs have the runtime's numbers, from 0.
module shardfft_gpu_module
  use shardfft_base
  use shardfft_c_gpu
  implicit none
  private
  public :: shardfft_gpu_runtime, shardfft_gpu_list, shardfft_place_of, shardfft_use_gpu, shardfft_order_after, &
    shardfft_wait_for

contains

  ! The GPU runtime of this build; '' in builds without GPUs. The names of the GPUs, one a line.
  function shardfft_gpu_runtime(stat, errmsg) result(text)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: text
    type(c_ptr) :: address
    integer(c_int) :: status
    address = c_null_ptr
    status = shardfft_gpu_support(address)
    text = owned_text(address)
    call settle(status, stat, errmsg)
  end function shardfft_gpu_runtime
  function shardfft_gpu_list(stat, errmsg) result(text)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: text
    type(c_ptr) :: address
    integer(c_int) :: status
    address = c_null_ptr
    status = shardfft_gpu_names(address)
    text = owned_text(address)
    call settle(status, stat, errmsg)
  end function shardfft_gpu_list

  ! What memory an address is in: 'pageable', 'pinned', 'managed' or 'device'; and its GPU, else -1.
  function shardfft_place_of(address, device, stat, errmsg) result(kind)
    type(c_ptr), intent(in) :: address
    integer, intent(out) :: device
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: kind
    type(c_ptr) :: text
    integer(c_int), target :: number
    integer(c_int) :: status
    text = c_null_ptr
    number = -1
    status = shardfft_memory_place(address, text, c_loc(number))
    kind = owned_text(text)
    device = int(number)
    call settle(status, stat, errmsg)
  end function shardfft_place_of

  ! Makes a GPU the calling thread's current one; gives the one before.
  integer function shardfft_use_gpu(device, stat, errmsg) result(before)
    integer, intent(in) :: device
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int), target :: number
    number = -1
    call settle(shardfft_set_current_gpu(int(device, c_int), c_loc(number)), stat, errmsg)
    before = int(number)
  end function shardfft_use_gpu

  ! Work that is given to `stream` from now on begins after the work that `earlier` has now; and: returns when the work
  ! that `stream` has now is done.
  subroutine shardfft_order_after(device, earlier, stream, stat, errmsg)
    integer, intent(in) :: device
    type(c_ptr), intent(in) :: earlier, stream
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(shardfft_order_streams(int(device, c_int), earlier, stream), stat, errmsg)
  end subroutine shardfft_order_after
  subroutine shardfft_wait_for(device, stream, stat, errmsg)
    integer, intent(in) :: device
    type(c_ptr), intent(in) :: stream
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(shardfft_synchronize_stream(int(device, c_int), stream), stat, errmsg)
  end subroutine shardfft_wait_for
end module shardfft_gpu_module
