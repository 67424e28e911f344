! Every kind, several layouts, both precisions and both kinds of communicators, against values that are written down here.
module factors
  use kit
  implicit none

contains

  function twice_at_two(index) result(factor)
    integer(int64), intent(in) :: index(:)
    complex(real64) :: factor
    factor = merge(2, 0, index(1) == 2 .and. size(index) == 3)
  end function twice_at_two
  function first_squared(wavenumber) result(factor)
    real(real64), intent(in) :: wavenumber(:)
    complex(real64) :: factor
    factor = wavenumber(1)**2
  end function first_squared
  subroutine double_all(side, data, device, stream, stat)
    use shardfft, only: shardfft_side
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_ptr
    type(shardfft_side), intent(in) :: side
    type(c_ptr), intent(in) :: data, stream
    integer, intent(in) :: device
    integer, intent(out) :: stat
    complex(real64), pointer :: spectrum(:)
    call c_f_pointer(data, spectrum, [side%count()])
    spectrum = 2 * spectrum
    stat = merge(0, 1, device == -1 .and. .not. c_associated(stream))
  end subroutine double_all
end module factors

program test_transforms
  use factors
  use kit
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc, c_ptr
  implicit none
  integer, parameter :: n(3) = [6, 8, 5]

  call MPI_Init()
  call complex_waves()
  call real_waves()
  call single_precision()
  call half_spectrum()
  call cosines()
  call batches_and_dims()
  call kept_modes()
  call applied()
  call applied_by_some()
  call finish()

contains

  ! exp(2 pi i (i/6 + 2j/8 + 3k/5)), whose spectrum is 240 at mode (2, 3, 4), counted from 1.
  complex(real64) function wave(i, j, k)
    integer, intent(in) :: i, j, k
    real(real64) :: angle
    angle = 2 * pi * ((i - 1) / 6.0_real64 + 2 * (j - 1) / 8.0_real64 + 3 * (k - 1) / 5.0_real64)
    wave = cmplx(cos(angle), sin(angle), real64)
  end function wave
  real(real64) function mode(i, j, k)
    integer, intent(in) :: i, j, k
    mode = merge(240, 0, i == 2 .and. j == 3 .and. k == 4)
  end function mode

  ! The first and last indices of a side, which is freed.
  subroutine box_of(side, first, last)
    type(shardfft_side), intent(inout) :: side
    integer, allocatable, intent(out) :: first(:), last(:)
    call side%bounds(first, last)
    call side%free()
  end subroutine box_of

  subroutine check_waves(plan)
    type(shardfft_plan), intent(inout) :: plan
    type(shardfft_side) :: side
    integer, allocatable :: s(:), e(:), sh(:), eh(:)
    complex(real64), allocatable :: u(:, :, :), uh(:, :, :), both(:)
    integer :: i, j, k
    real(real64) :: worst
    side = plan%input()
    call box_of(side, s, e)
    side = plan%output()
    call box_of(side, sh, eh)
    allocate (u(s(1):e(1), s(2):e(2), s(3):e(3)), uh(sh(1):eh(1), sh(2):eh(2), sh(3):eh(3)))
    do k = s(3), e(3); do j = s(2), e(2); do i = s(1), e(1)
      u(i, j, k) = wave(i, j, k)
    end do; end do; end do
    call plan%forward(u, uh)
    worst = 0
    do k = sh(3), eh(3); do j = sh(2), eh(2); do i = sh(1), eh(1)
      worst = max(worst, abs(uh(i, j, k) - mode(i, j, k)))
    end do; end do; end do
    call check(worst < 1e-11_real64, 'modes of a complex wave')
    u = 0
    call plan%backward(uh, u)
    worst = 0
    do k = s(3), e(3); do j = s(2), e(2); do i = s(1), e(1)
      worst = max(worst, abs(u(i, j, k) - wave(i, j, k)))
    end do; end do; end do
    call check(worst < 1e-13_real64, 'the wave from its modes')
    allocate (both(plan%in_place_bytes() / 16))
    both(:size(u)) = reshape(u, [size(u)])
    call plan%forward_in_place(both)
    call check(all(abs(both(:size(uh)) - reshape(uh, [size(uh)])) < 1e-11_real64), 'in place')
    call plan%backward_in_place(both)
    call check(all(abs(both(:size(u)) - reshape(u, [size(u)])) < 1e-13_real64), 'in place and back')
  end subroutine check_waves

  subroutine complex_waves()
    type(shardfft_layout) :: slab, pencil, brick
    type(shardfft_plan) :: plan
    call slab%slab(n, all_ranks())  ! cut along the third dimension
    call check(all(slab%shape() == n), 'the shape')
    call check(slab%dim_is_local(1) .and. slab%dim_is_local(2), 'planes along dimensions 1 and 2')
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, natural=.true.)
    call check_waves(plan)
    call plan%free()
    call pencil%pencil(n, all_ranks(), grid=[all_ranks(), 1])  ! the second dimension is cut
    call check(pencil%dim_is_local(1) .and. pencil%dim_is_local(3), 'pencils along dimension 1')
    call plan%create(MPI_COMM_WORLD%mpi_val, shardfft_c2c, slab, output=pencil)
    call check_waves(plan)
    call plan%free()
    call brick%brick(n, all_ranks(), grid=[1, all_ranks(), 1])
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, brick, natural=.true.)
    call check_waves(plan)
    call plan%free()
    call slab%free()
    call pencil%free()
    call brick%free()
  end subroutine complex_waves

  ! The real part has 120 at (2, 3, 4) and at its mirror (6, 7, 3); the half spectrum keeps modes 1 to 4 of dimension 1.
  subroutine real_waves()
    type(shardfft_layout) :: slab
    type(shardfft_plan) :: plan
    type(shardfft_side) :: side
    integer, allocatable :: s(:), e(:), sh(:), eh(:)
    real(real64), allocatable :: u(:, :, :), back(:, :, :)
    complex(real64), allocatable :: uh(:, :, :)
    integer :: i, j, k
    call slab%slab(n, all_ranks())
    call plan%create(MPI_COMM_WORLD, shardfft_r2c, slab, natural=.true.)
    side = plan%output()
    call check(side%halved_dim() == 1 .and. side%real_extent() == 6, 'the first dimension is halved')
    call box_of(side, sh, eh)
    side = plan%input()
    call box_of(side, s, e)
    allocate (u(s(1):e(1), s(2):e(2), s(3):e(3)), uh(sh(1):eh(1), sh(2):eh(2), sh(3):eh(3)))
    allocate (back, mold=u)
    back = 0
    do k = s(3), e(3); do j = s(2), e(2); do i = s(1), e(1)
      u(i, j, k) = real(wave(i, j, k))
    end do; end do; end do
    call plan%forward(u, uh)
    do k = sh(3), eh(3); do j = sh(2), eh(2); do i = sh(1), eh(1)
      call check(abs(uh(i, j, k) - mode(i, j, k) / 2) < 1e-11_real64, 'half spectrum')
    end do; end do; end do
    call plan%backward(uh, back)
    call check(all(abs(back - u) < 1e-13_real64), 'the real wave from its modes')
    call plan%free()
    call slab%free()
  end subroutine real_waves

  ! 1 everywhere is 240 at mode (1, 1, 1); arrays of the plan's own.
  subroutine single_precision()
    type(shardfft_layout) :: slab
    type(shardfft_plan) :: plan
    type(shardfft_buffer) :: in, out
    complex(real32), pointer :: u(:), uh(:)
    call slab%slab(n, all_ranks())
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, natural=.true., precision=shardfft_single)
    in = plan%allocate_input()
    out = plan%allocate_output()
    call c_f_pointer(in%data(), u, [plan%input_count()])
    call c_f_pointer(out%data(), uh, [plan%output_count()])
    call check(in%bytes() >= 8 * plan%input_count(), 'bytes of a buffer')
    u = 1
    call plan%forward(u, uh)
    if (size(uh) > 0 .and. my_rank() == 0) call check(abs(uh(1) - 240) < 1e-4, 'mode (1, 1, 1)')
    if (size(uh) > 1) call check(all(abs(uh(2:)) < 1e-4), 'all other modes')
    uh = 0
    call plan%forward(in%data(), out%data())
    if (my_rank() == 0) call check(abs(uh(1) - 240) < 1e-4, 'by addresses')
    call in%free()
    call out%free()
    call plan%free()
    call slab%free()
  end subroutine single_precision

  ! The half spectrum of 6 x 8 x 5 is 4 x 8 x 5: its mode (1, 1, 1) alone is a constant.
  subroutine half_spectrum()
    type(shardfft_layout) :: half
    type(shardfft_options) :: options
    type(shardfft_plan) :: plan
    complex(real64), allocatable :: uh(:)
    real(real64), allocatable :: u(:)
    call half%slab([4, 8, 5], all_ranks())
    call options%set('real_extent', 6)
    call plan%create(MPI_COMM_WORLD, shardfft_c2r, half, natural=.true., options=options)
    allocate (uh(plan%input_count()), u(plan%output_count()))
    uh = 0
    if (my_rank() == 0) uh(1) = 240
    call plan%forward(uh, u)
    call check(all(abs(u - 1) < 1e-14_real64), 'a constant from its mode')
    call plan%free()
    call options%free()
    call half%free()
  end subroutine half_spectrum

  ! cos(pi (i - 1/2) / 6) along dimension 1 is mode 2 of its cosine transform, 6; along the others 1 is 16 and 10.
  subroutine cosines()
    type(shardfft_layout) :: slab
    type(shardfft_options) :: options
    type(shardfft_plan) :: plan
    type(shardfft_side) :: side
    integer, allocatable :: s(:), e(:)
    real(real64), allocatable :: u(:, :, :), uh(:, :, :)
    integer :: i, j, k
    call slab%slab(n, all_ranks())
    call options%set('transforms', 'dct2,dct2,dct2')
    call plan%create(MPI_COMM_WORLD, shardfft_r2r, slab, natural=.true., options=options)
    side = plan%input()
    call check(all(side%transforms() == shardfft_dct2) .and. side%transform_of(2) == shardfft_dct2, 'the transforms')
    call box_of(side, s, e)
    allocate (u(s(1):e(1), s(2):e(2), s(3):e(3)))
    allocate (uh, mold=u)
    do i = s(1), e(1)
      u(i, :, :) = cos(pi * (i - 0.5_real64) / 6)
    end do
    call plan%forward(u, uh)
    do k = s(3), e(3); do j = s(2), e(2); do i = s(1), e(1)
      call check(abs(uh(i, j, k) - merge(960, 0, i == 2 .and. j == 1 .and. k == 1)) < 1e-11_real64, 'cosine modes')
    end do; end do; end do
    call plan%free()
    call options%free()
    call slab%free()
  end subroutine cosines

  ! Two fields; dimension 1 alone is transformed: 6 at mode 1 of each line.
  subroutine batches_and_dims()
    type(shardfft_layout) :: slab
    type(shardfft_options) :: options
    type(shardfft_plan) :: plan
    type(shardfft_side) :: side
    integer, allocatable :: s(:), e(:)
    complex(real64), allocatable :: u(:, :, :, :), uh(:, :, :, :)
    call slab%slab(n, all_ranks())
    call options%set('batch', 2)
    call options%set('axes', [1])
    call check(options%get('axes') == '1', 'axes are dimensions')
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, natural=.true., options=options)
    side = plan%input()
    call check(all(side%dims() == [1]) .and. side%fields() == 2 .and. all(side%points() == [6]), 'what is transformed')
    call box_of(side, s, e)
    allocate (u(s(1):e(1), s(2):e(2), s(3):e(3), 2))
    allocate (uh, mold=u)
    u(:, :, :, 1) = 1
    u(:, :, :, 2) = 3
    call plan%forward(u, uh)
    call check(all(abs(uh(1, :, :, 1) - 6) < 1e-13_real64) .and. all(abs(uh(1, :, :, 2) - 18) < 1e-13_real64), &
      'mode 1 of both fields')
    call check(all(abs(uh(2:, :, :, :)) < 1e-13_real64), 'the other modes of both fields')
    call plan%free()
    call options%free()
    call slab%free()
  end subroutine batches_and_dims

  ! 4 modes of dimension 2, whose frequencies are 0, 1, -2, -1.
  subroutine kept_modes()
    type(shardfft_layout) :: slab, spectrum
    type(shardfft_options) :: options
    type(shardfft_plan) :: plan
    type(shardfft_side) :: side
    call slab%slab(n, all_ranks())
    call options%set('modes', [0, 4, 0])
    call check(options%get('modes') == '0,4,0', 'modes are in the order of dimensions')
    call plan%create(MPI_COMM_WORLD, shardfft_c2c, slab, natural=.true., options=options)
    side = plan%output()
    spectrum = side%layout()
    call check(all(spectrum%shape() == [6, 4, 5]), 'the shape of the spectrum')
    call check(all(nint(side%frequencies(2, [1, 2, 3, 4], 0.125_real64)) == [0, 1, -2, -1]), 'frequencies')
    call check(all(nint(side%wavenumbers(2, [1, 2, 3, 4], 2 * pi)) == [0, 1, -2, -1]), 'wavenumbers')
    call check(all(nint(side%slopes(2, [1, 2, 3, 4], 2 * pi)) == [0, 1, 0, -1]), 'slopes')
    call check(all(nint(2 * side%weights(2, [1, 2, 3])) == [2, 2, 1]), 'weights')
    call check(all(abs(side%coordinates(1, [1, 3], 0.5_real64) - [0, 1]) < 1e-15_real64), 'coordinates')
    call spectrum%free()
    call side%free()
    call plan%free()
    call options%free()
    call slab%free()
  end subroutine kept_modes

  ! sin(2 pi x / 6) along dimension 1, and operators applied to it.
  subroutine applied()
    type(shardfft_layout) :: slab
    type(shardfft_plan) :: plan
    type(shardfft_operator) :: op, first, three, difference
    type(shardfft_side) :: side
    integer, allocatable :: s(:), e(:)
    real(real64), allocatable :: u(:, :, :), v(:, :, :), du(:, :, :)
    real(real64), allocatable, target :: twos(:)
    character(len=200) :: errmsg
    integer :: i, stat
    call slab%slab(n, all_ranks())
    call plan%create(MPI_COMM_WORLD, shardfft_r2c, slab)
    side = plan%output()
    allocate (twos(side%count()), source=2.0_real64)
    side = plan%input()
    call check(all(abs(side%positions(1, [1, 4], 2 * pi) - [0.0_real64, pi]) < 1e-14_real64), 'positions')
    call box_of(side, s, e)
    allocate (u(s(1):e(1), s(2):e(2), s(3):e(3)))
    allocate (v, du, mold=u)
    do i = s(1), e(1)
      u(i, :, :) = sin(2 * pi * (i - 1) / 6)
      du(i, :, :) = cos(2 * pi * (i - 1) / 6)
    end do
    call op%laplacian()
    call expect_applied(plan, op, u, -u, 'Laplacian')
    call op%inverse_laplacian()
    call expect_applied(plan, op, u, -u, 'inverse Laplacian')
    call op%gaussian(0.5_real64)
    call expect_applied(plan, op, u, exp(-0.125_real64) * u, 'Gaussian')
    call first%derivative(3, 1)
    call op%multiply(first, first)
    call expect_applied(plan, op, u, -u, 'second derivative')
    call op%add(first, first)
    call expect_applied(plan, op, u, 2 * du, 'a sum')
    call three%constant((3.0_real64, 0.0_real64))
    call op%multiply(three, first)
    call difference%subtract(op, first)
    call op%free()
    call op%divide(difference, first)
    call expect_applied(plan, op, u, 2 * u, 'a quotient')
    call expect_applied(plan, difference, u, 2 * du, 'a difference')
    call three%free()
    op = first
    call expect_applied(plan, op, u, du, 'derivative')
    call op%of_indices(twice_at_two)
    call expect_applied(plan, op, u, 2 * u, 'a factor of indices')
    call op%of_wavenumbers(first_squared, [pi, 2 * pi, 2 * pi])
    call expect_applied(plan, op, u, 4 * u, 'a factor of wavenumbers')
    call op%calling(double_all)
    call expect_applied(plan, op, u, 2 * u, 'a call')
    call op%arrays(shardfft_double, .false., [c_loc(twos)], [size(twos, kind=int64)])
    call expect_applied(plan, op, u, 2 * u, 'a list of one array')
    call op%cuda('__device__ double factor(const double* k, const long long* i) { return 2; }')
    stat = 0
    call plan%apply(op, u, v, stat=stat, errmsg=errmsg)
    call check(stat == shardfft_unsupported .and. index(errmsg, 'is for plans on GPUs') > 0, 'CUDA text on CPUs')
    call op%free()
    v = 0
    if (all(s == 1)) v(1, 1, 1) = 1
    call plan%convolution(v, op)
    call expect_applied(plan, op, u, u, 'convolution with a delta')
    call plan%free()
    call slab%free()
  end subroutine applied

  ! A spectrum of one column: ranks beyond the first have no modes, and so no factors.
  subroutine applied_by_some()
    type(shardfft_layout) :: slab
    type(shardfft_options) :: options
    type(shardfft_plan) :: plan
    type(shardfft_operator) :: op
    real(real64), allocatable :: u(:), v(:), twos(:)
    call slab%slab([6, 1], all_ranks())
    call options%set('transforms', 'dct2,dct2')
    call plan%create(MPI_COMM_WORLD, shardfft_r2r, slab, natural=.true., options=options)
    allocate (u(plan%input_count()), v(plan%input_count()), source=1.0_real64)
    allocate (twos(plan%output_count()), source=2.0_real64)
    call op%array(twos)
    call plan%apply(op, u, v)
    call check(all(abs(v - 2) < 1e-13_real64), 'factors of some ranks')
    call op%free()
    call plan%free()
    call options%free()
    call slab%free()
  end subroutine applied_by_some

  subroutine expect_applied(plan, op, u, expected, what)
    type(shardfft_plan), intent(inout) :: plan
    type(shardfft_operator), intent(inout) :: op
    real(real64), intent(in) :: u(:, :, :), expected(:, :, :)
    character(len=*), intent(in) :: what
    real(real64), allocatable :: v(:, :, :)
    allocate (v, mold=u)
    v = 0
    call plan%apply(op, u, v)
    call check(all(abs(v - expected) < 1e-13_real64), what)
    call op%free()
  end subroutine expect_applied
end program test_transforms
