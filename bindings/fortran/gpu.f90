! Functions of the GPU runtime for programs around plans. GPUs have the runtime's numbers, from 0.
module shardfft_gpu_module
  use shardfft_base
  implicit none
  private
  public :: shardfft_gpu_runtime, shardfft_gpu_list, shardfft_place_of, shardfft_use_gpu, shardfft_order_after, &
    shardfft_is_idle, shardfft_wait_for

  include 'made/gpu_c.inc'

contains

  ! The memory that an address is in: 'pageable', 'pinned', 'managed' or 'device'; and its GPU, else -1.
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

  include 'made/gpu.inc'
end module shardfft_gpu_module
