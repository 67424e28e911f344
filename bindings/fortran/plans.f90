! Plans: distributed transforms, planned once and run many times.
module shardfft_plan_module
  use mpi_f08, only: MPI_Comm
  use shardfft_base
  use shardfft_arrays
  use shardfft_layout_module
  use shardfft_operator_module
  use shardfft_options_module
  use shardfft_side_module
  implicit none
  private
  public :: shardfft_plan

  ! Arrays are given as they are, of any rank up to 5 (both of one call alike) and without gaps, or as addresses. They are
  ! checked against the plan: of another type or too short, they are an error of all ranks. Members count from 1; a plan
  ! over a communicator has one, which is meant if none is given.
  !
  ! create: over the processes of a communicator, of `mpi_f08` or an integer, or over GPUs of this process, of which rank r
  ! (from 0) of the layouts is devices(r + 1). kind: shardfft_c2c, shardfft_r2c, ...; output: its layout; by default that
  ! of the last stage, or with natural the input's own cuts. precision: shardfft_double if absent. The
  ! first dimension is the one that real transforms halve.
  type :: shardfft_plan
    type(c_ptr) :: handle = c_null_ptr
    integer, private :: in_code = 0, out_code = 0
    integer(int64), private :: in_count = 0, out_count = 0
    integer, private :: of = 0  ! the dimensions of its arrays
  contains
    include 'made/plan_bindings.inc'
  end type shardfft_plan

  include 'made/plan_c.inc'

contains

  ! C's handles for the arguments of a plan, and the dimensions of its arrays.
  subroutine convert(input, output, natural, options, c_output, c_options, of)
    type(shardfft_layout), intent(in) :: input
    type(shardfft_layout), intent(in), optional :: output
    logical, intent(in), optional :: natural
    type(shardfft_options), intent(in), optional :: options
    type(c_ptr), intent(out) :: c_output, c_options
    integer, intent(out) :: of
    integer :: stat
    c_output = c_null_ptr
    c_options = c_null_ptr
    if (present(natural)) then
      if (natural) c_output = transfer(1_c_intptr_t, c_null_ptr)
    end if
    if (present(output)) c_output = output%handle
    of = input%dims(stat)
    if (present(options) .and. stat == 0) call options%for_array(of, c_options)
  end subroutine convert

  ! Remembers the needed types and sizes of arrays; drops C's options.
  subroutine begin(self, of, c_options)
    class(shardfft_plan), intent(inout) :: self
    integer, intent(in) :: of
    type(c_ptr), intent(inout) :: c_options
    type(shardfft_options) :: none
    integer(c_int) :: freed
    self%of = of
    call learn(plan_input(self, stat=freed), self%in_code, self%in_count)
    call learn(plan_output(self, stat=freed), self%out_code, self%out_count)
    freed = none%drop(c_options)
  end subroutine begin
  subroutine learn(side, code, count)
    type(shardfft_side), intent(in) :: side
    integer, intent(inout) :: code
    integer(int64), intent(inout) :: count
    type(shardfft_side) :: ended
    integer :: precision
    logical :: is_complex
    if (.not. c_associated(side%handle)) return
    call side%element(precision, is_complex)
    code = 1 + precision + merge(2, 0, is_complex)
    count = side%count()
    ended = side
    call ended%free()
  end subroutine learn

  ! Whether arrays have the types and sizes that a call needs; else all ranks refuse it, and the call has failed.
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
    if (.not. good) call plan_refuse(self, words, stat, errmsg)
  end function good

  subroutine run_forward(self, in, out, stat, errmsg)
    class(shardfft_plan), intent(inout) :: self
    type(given_array), intent(in) :: in, out
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (good(self, in, self%in_code, self%in_count, out, self%out_code, self%out_count, stat, errmsg)) &
      call plan_forward(self, in%address, out%address, stat, errmsg)
  end subroutine run_forward
  subroutine run_backward(self, in, out, stat, errmsg)
    class(shardfft_plan), intent(inout) :: self
    type(given_array), intent(in) :: in, out
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (good(self, in, self%out_code, self%out_count, out, self%in_code, self%in_count, stat, errmsg)) &
      call plan_backward(self, in%address, out%address, stat, errmsg)
  end subroutine run_backward
  subroutine run_apply(self, factors, in, out, stat, errmsg)
    class(shardfft_plan), intent(inout) :: self
    type(shardfft_operator), intent(in) :: factors
    type(given_array), intent(in) :: in, out
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (good(self, in, self%in_code, self%in_count, out, self%in_code, self%in_count, stat, errmsg)) &
      call plan_apply(self, factors, in%address, out%address, stat, errmsg)
  end subroutine run_apply
  ! In one array, whose bytes must suffice for both sides.
  subroutine run_in_place(self, is_forward, array, stat, errmsg)
    class(shardfft_plan), intent(inout) :: self
    logical, intent(in) :: is_forward
    type(given_array), intent(in) :: array
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: bytes, needed
    bytes = 0
    needed = plan_in_place_bytes(self, stat=stat, errmsg=errmsg)
    if (array%code > 0) bytes = array%count * bytes_of(array%code)
    if (needed > 0 .and. (bytes < needed .or. .not. array%dense)) then
      call plan_refuse(self, 'the array has ' // decimal(bytes) // ' bytes of real or complex ' // &
        'numbers without gaps; ' // decimal(needed) // ' are expected', stat, errmsg)
      return
    end if
    if (is_forward) then
      call plan_forward(self, array%address, array%address, stat, errmsg)
    else
      call plan_backward(self, array%address, array%address, stat, errmsg)
    end if
  end subroutine run_in_place

  include 'made/plan.inc'
end module shardfft_plan_module
