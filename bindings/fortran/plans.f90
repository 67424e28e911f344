! Plans: distributed transforms, planned once and run many times.
module shardfft_plan_module
  use mpi_f08, only: MPI_Comm
  use shardfft_base
  use shardfft_arrays
  use shardfft_c_plan
  use shardfft_layout_module
  use shardfft_operator_module
  use shardfft_options_module
  use shardfft_side_module
  implicit none
  private
  public :: shardfft_plan

  ! Arrays are given as they are, of any rank up to 5 (both of one call alike) and without gaps, or as addresses. They are
  ! checked against the plan: of another type or too short, they are an error of all ranks. Members count from 1; a plan
  ! over a communicator has one, which is meant where none is said.
  type :: shardfft_plan
    type(c_ptr) :: handle = c_null_ptr
    integer, private :: in_code = 0, out_code = 0
    integer(int64), private :: in_count = 0, out_count = 0
  contains
    procedure, private :: create_old, create_f08, create_devices
    generic :: create => create_old, create_f08, create_devices
    procedure, private :: forward_0, forward_1, forward_2, forward_3, forward_4, forward_5
    generic :: forward => forward_0, forward_1, forward_2, forward_3, forward_4, forward_5
    procedure, private :: backward_0, backward_1, backward_2, backward_3, backward_4, backward_5
    generic :: backward => backward_0, backward_1, backward_2, backward_3, backward_4, backward_5
    procedure, private :: apply_0, apply_1, apply_2, apply_3, apply_4, apply_5
    generic :: apply => apply_0, apply_1, apply_2, apply_3, apply_4, apply_5
    procedure, private :: convolution_0, convolution_1, convolution_2, convolution_3, convolution_4, convolution_5
    generic :: convolution => convolution_0, convolution_1, convolution_2, convolution_3, convolution_4, convolution_5
    procedure, private :: forward_in_place_1, forward_in_place_2, forward_in_place_3, &
      forward_in_place_4, forward_in_place_5
    generic :: forward_in_place => forward_in_place_1, forward_in_place_2, forward_in_place_3, &
      forward_in_place_4, forward_in_place_5
    procedure, private :: backward_in_place_1, backward_in_place_2, backward_in_place_3, &
      backward_in_place_4, backward_in_place_5
    generic :: backward_in_place => backward_in_place_1, backward_in_place_2, backward_in_place_3, &
      backward_in_place_4, backward_in_place_5
    procedure :: forward_members, backward_members, apply_members, convolution_members
    procedure :: refuse, failed_half_way, ranks, members, input, output, input_count, output_count, device, stream
    procedure :: set_streams, in_place_bytes, workspace_bytes, set_workspace, allocate_input, allocate_output, report
    procedure :: free => free_plan
  end type shardfft_plan

contains

  ! C's handles for what a plan is made of.
  subroutine convert(input, output, natural, options, c_output, c_options)
    type(shardfft_layout), intent(in) :: input
    type(shardfft_layout), intent(in), optional :: output
    logical, intent(in), optional :: natural
    type(shardfft_options), intent(in), optional :: options
    type(c_ptr), intent(out) :: c_output, c_options
    integer :: dims, stat
    c_output = c_null_ptr
    c_options = c_null_ptr
    if (present(natural)) then
      if (natural) c_output = transfer(1_c_intptr_t, c_null_ptr)
    end if
    if (present(output)) c_output = output%handle
    if (.not. present(options)) return
    dims = input%dims(stat)
    if (stat == 0) call options%for_array(dims, c_options)
  end subroutine convert

  ! A plan over the processes of a communicator, of `mpi_f08` or an integer. kind: shardfft_c2c, shardfft_r2c, ...; output:
  ! its layout; absent it is where the last stage leaves the data, or with natural the input's own cuts. precision:
  ! shardfft_double if absent. The first dimension is the one that real transforms halve. Collective.
  subroutine create_old(self, comm, kind, input, output, natural, options, precision, stat, errmsg)
    class(shardfft_plan), intent(inout) :: self
    integer, intent(in) :: comm, kind
    type(shardfft_layout), intent(in) :: input
    type(shardfft_layout), intent(in), optional :: output
    logical, intent(in), optional :: natural
    type(shardfft_options), intent(in), optional :: options
    integer, intent(in), optional :: precision
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: c_output, c_options
    integer(c_int) :: status, numbers
    numbers = int(shardfft_double, c_int)
    if (present(precision)) numbers = int(precision, c_int)
    call convert(input, output, natural, options, c_output, c_options)
    status = shardfft_plan_create_f(int(comm, c_int), int(kind, c_int), numbers, input%handle, c_output, c_options, &
      self%handle)
    call begin(self, status, c_options, stat, errmsg)
  end subroutine create_old
  subroutine create_f08(self, comm, kind, input, output, natural, options, precision, stat, errmsg)
    class(shardfft_plan), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: kind
    type(shardfft_layout), intent(in) :: input
    type(shardfft_layout), intent(in), optional :: output
    logical, intent(in), optional :: natural
    type(shardfft_options), intent(in), optional :: options
    integer, intent(in), optional :: precision
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call create_old(self, comm%mpi_val, kind, input, output, natural, options, precision, stat, errmsg)
  end subroutine create_f08
  ! Over GPUs of this process: rank r (from 0) of the layouts is the GPU devices(r + 1).
  subroutine create_devices(self, devices, kind, input, output, natural, options, precision, stat, errmsg)
    class(shardfft_plan), intent(inout) :: self
    integer, intent(in) :: devices(:), kind
    type(shardfft_layout), intent(in) :: input
    type(shardfft_layout), intent(in), optional :: output
    logical, intent(in), optional :: natural
    type(shardfft_options), intent(in), optional :: options
    integer, intent(in), optional :: precision
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: c_output, c_options
    integer(c_int) :: status, numbers
    integer(c_int), target :: list(max(size(devices), 1))
    list(:size(devices)) = int(devices, c_int)
    numbers = int(shardfft_double, c_int)
    if (present(precision)) numbers = int(precision, c_int)
    call convert(input, output, natural, options, c_output, c_options)
    status = shardfft_plan_create_devices(size(devices, kind=c_int), c_loc(list), int(kind, c_int), numbers, &
      input%handle, c_output, c_options, self%handle)
    call begin(self, status, c_options, stat, errmsg)
  end subroutine create_devices

  ! Remembers what arrays must be.
  subroutine begin(self, status, c_options, stat, errmsg)
    class(shardfft_plan), intent(inout) :: self
    integer(c_int), intent(in) :: status
    type(c_ptr), intent(inout) :: c_options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shardfft_options) :: none
    integer(c_int) :: freed
    if (status == 0) then
      call learn(input(self), self%in_code, self%in_count)
      call learn(output(self), self%out_code, self%out_count)
    end if
    call settle(status, stat, errmsg)
    freed = none%drop(c_options)
  end subroutine begin
  subroutine learn(side, code, count)
    type(shardfft_side), intent(in) :: side
    integer, intent(out) :: code
    integer(int64), intent(out) :: count
    type(shardfft_side) :: ended
    integer :: precision
    logical :: is_complex
    call side%element(precision, is_complex)
    code = 1 + precision + merge(2, 0, is_complex)
    count = side%count()
    ended = side
    call ended%free()
  end subroutine learn

  ! Whether arrays are what a call needs; else all ranks refuse it, and the call has failed.
  logical function good(self, in, in_code, in_count, out, out_code, out_count, stat, errmsg)
    class(shardfft_plan), intent(in) :: self
    type(given_array), intent(in) :: in, out
    integer, intent(in) :: in_code, out_code
    integer(int64), intent(in) :: in_count, out_count
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: words
    words = misfit(in, 'input', in_code, in_count)
    if (words == '') words = misfit(out, 'output', out_code, out_count)
    good = words == '' .or. .not. c_associated(self%handle)
    if (.not. good) call settle(shardfft_plan_refuse(self%handle, words // c_null_char), stat, errmsg)
  end function good

  include 'plan_calls.inc'

  include 'plan_queries.inc'
end module shardfft_plan_module
