// A solver's making: checks of its domain, the plan of the axes that are transformed, and the solver of lines.
#include <algorithm>
#include <numeric>

#include "api/open_kernel.hpp"
#include "api/poisson_impl.hpp"
#include "api/problem.hpp"

namespace shardfft {

void Poisson::Impl::check_axis(int axis) const {
  const auto [lower, upper] = ends(axis);
  require_known("the boundary", lower, Boundary::open, "periodic, dirichlet, neumann, open");
  require_known("the boundary", upper, Boundary::open, "periodic, dirichlet, neumann, open");
  const auto walls = [](Boundary end) { return end == Boundary::dirichlet || end == Boundary::neumann; };
  require(lower == upper || (walls(lower) && walls(upper)), "axis ", axis,
          " is periodic or open at one end only: both ends must be so, or have a wall");
  require(!is_stretched(axis) || walls(lower), "axis ", axis, " is stretched and must have a wall at each end");
  const double length = o.lengths[at(axis)];
  require(std::isfinite(length) && length > 0, "the length of the domain along axis ", axis, " is ", length,
          "; a finite number above 0 is needed");
  require(
      o.points == WallPoints::centres || lower != Boundary::neumann || upper != Boundary::neumann || extent(axis) > 1,
      "axis ", axis, " has 1 point; nodes of two Neumann walls need 2 at least");
}

void Poisson::Impl::check_stretched() const {
  const int axis = o.stretched_axis;
  require(axis >= -1 && axis < axes(), "axis ", axis, " is to be stretched, but the array has ", axes(), " axes");
  require(axis >= 0 || o.cells.empty(), "widths of cells are given, but no stretched axis");
  if (axis < 0) return;
  require(static_cast<std::int64_t>(o.cells.size()) == extent(axis), "there are ", o.cells.size(),
          " widths of cells, but axis ", axis, " has ", extent(axis), " points");
  for (std::size_t j = 0; j < o.cells.size(); ++j)
    require(std::isfinite(o.cells[j]) && o.cells[j] > 0, "axis ", axis, " has a cell of the width ", o.cells[j],
            " behind ", j, " others; a finite number above 0 is needed");
  if (any_open()) fail(Status::unsupported, "a stretched axis beside open ones is not supported");
}

void Poisson::Impl::check_plan() const {
  require_known("the processor", o.plan.processor, Processor::gpu, "cpu, gpu");
  if (on_gpu() && is_stretched_any())
    fail(Status::unsupported, "a stretched axis is solved on CPUs only: option processor must be cpu");
  require(!on_gpu() || o.plan.memory == MemoryModel::automatic || o.plan.memory == MemoryModel::device,
          "solvers on GPUs take arrays in device memory: option memory must be device");
  Options own = o.plan;
  for (const OptionRow& row : option_table())
    for (const char* name :
         {"norm", "axes", "transforms", "modes", "padded", "lone_mode", "batch", "real_extent", "workspace"})
      require(row.name != name || row.get(own) == row.get(Options()), "option ", name, " is the solver's own");
}

void Poisson::Impl::check_domain() {
  validate_layout(layout, "layout", comm.size());
  require(layout.pieces(comm.rank()).size() <= 1, "the layout has several boxes on rank ", comm.rank(),
          "; solvers need one a rank");
  require_known("the precision", element.precision, Precision::f64, "f32, f64");
  require_known("the points of walls", o.points, WallPoints::nodes, "centres, nodes");
  require_known("the kernel", o.kernel, OpenKernel::integrated, "truncated, hockney, integrated");
  require_known("the eigenvalues", o.eigenvalues, Eigenvalues::second_order, "spectral, second_order");
  require_known("the rule for a wrong mean", o.wrong_mean, WrongMean::remove, "refuse, remove");
  require(std::isfinite(o.shift) && o.shift >= 0, "the shift is ", o.shift,
          "; a finite number of at least 0 is needed");
  require(o.tolerance >= 0 && o.tolerance < 1, "the tolerance is ", o.tolerance, "; it must be at least 0 and below 1");
  if (o.boundary.empty()) o.boundary.resize(at(axes()));
  require(o.boundary.size() == at(axes()), "there are boundaries for ", o.boundary.size(), " axes, but the array has ",
          axes());
  check_stretched();
  require(o.lengths.size() == at(axes()), "there are lengths for ", o.lengths.size(), " axes, but the array has ",
          axes());
  if (is_stretched_any()) o.lengths[at(o.stretched_axis)] = std::accumulate(o.cells.begin(), o.cells.end(), 0.0);
  for (int axis = 0; axis < axes(); ++axis) {
    check_axis(axis);
    grids.push_back(grid_of(ends(axis), o.points, extent(axis), o.lengths[at(axis)]));
    if (is_open(axis) && (line < 0 || (is_cut(axis) && !is_cut(line)))) line = axis;
  }
  if (is_stretched_any()) line = o.stretched_axis;
  if (line >= 0 && axes() == 1)
    fail(Status::unsupported, "an open or stretched axis alone is not supported: arrays of two axes and more are");
  require(
      std::count_if(o.boundary.begin(), o.boundary.end(), [](const auto& e) { return e.lower == Boundary::open; }) <= 3,
      "at most 3 axes can be open");
  if (o.tolerance == 0) o.tolerance = element.precision == Precision::f64 ? 1e-8 : 1e-4;
  check_plan();
}

/// Axes that are whole and not padded are transformed first, while the array is small; axes that are cut last.
Options Poisson::Impl::plan_options() const {
  Options options = o.plan;
  if (on_gpu()) options.memory = MemoryModel::device;
  for (const int turn : {0, 1, 2})
    for (int axis = 0; axis < axes(); ++axis)
      if (axis != line && turn == (is_cut(axis) ? 0 : is_open(axis) ? 1 : 2)) options.axes.push_back(axis);
  for (const int axis : options.axes) {
    options.transforms.push_back(transform(axis));
    options.padded.push_back(is_open(axis) ? 2 * extent(axis) : 0);
  }
  if (std::all_of(options.padded.begin(), options.padded.end(), [](auto n) { return n == 0; })) options.padded.clear();
  return options;
}

/// A layout of whole lines, or of a block of each line on each rank.
Layout Poisson::Impl::spectrum_layout(const Options& options) const {
  Shape shape = layout.shape();
  int halved = -1;
  for (const int axis : options.axes) {
    if (is_open(axis)) shape[at(axis)] *= 2;
    if (transform(axis) == AxisTransform::fft) halved = axis;
  }
  if (halved >= 0) shape[at(halved)] = shape[at(halved)] / 2 + 1;
  if (cuts_lines) return Layout::slab(shape, comm.size(), line);
  for (int axis = 0; axis < axes(); ++axis)
    if (axis != line && shape[at(axis)] >= comm.size()) return Layout::slab(shape, comm.size(), axis);
  return Layout::pencil(shape, comm.size(), line);
}

void Poisson::Impl::make() {
  const std::int64_t ranks = comm.size();
  cuts_lines = is_stretched_any() && extent(line) * static_cast<std::int64_t>(element.bytes()) > 32 * ranks * ranks &&
               layout.same_as(Layout::slab(layout.shape(), comm.size(), line, layout.order())) &&
               layout.count(0) / block_part(extent(line), ranks, 0).count < 1 << 24 &&
               !comm.has_one_host(o.plan.fake_ranks_per_host);
  const Options options = plan_options();
  const bool fourier =
      std::find(options.transforms.begin(), options.transforms.end(), AxisTransform::fft) != options.transforms.end();
  const Transform kind{fourier ? Kind::r2c : Kind::r2r, element.precision};
  if (line < 0 || !is_cut(line)) plan.emplace(comm.get(), kind, layout, default_output, options);
  if (line >= 0 && (!plan || !plan->output().layout.axis_is_local(line)))
    plan.emplace(comm.get(), kind, layout, spectrum_layout(options), options);
  const Side& spectrum = plan->output();
  squares.resize(at(axes()));
  for (const int axis : options.axes) {
    if (is_open(axis)) continue;
    const AxisValues k = spectrum.wavenumbers(axis, o.lengths[at(axis)]);
    for (std::int64_t i = 0; i < spectrum.layout.shape()[at(axis)]; ++i)
      squares[at(axis)].push_back(eigenvalue(axis, k[i]));
  }
  if (line >= 0) make_solver();
}

void Poisson::Impl::make_solver() {
  if (is_stretched_any()) {
    agree(comm, [&] {
      StretchedLines whole(o.cells, ends(line));
      solver = cuts_lines ? cut_lines(whole, comm) : std::make_unique<StretchedLines>(whole);
    });
    if (cuts_lines)  // of this rank once, of all twice: see cut_lines()
      kernel_bytes = 32 * static_cast<std::size_t>((2 * comm.size() + 1) * plan->output().count() /
                                                   block_part(extent(line), comm.size(), comm.rank()).count);
    return;
  }
  OpenAxes open{o.kernel, line, {}, layout.shape(), {}, squares, o.shift};
  for (int axis = 0; axis < axes(); ++axis) {
    if (is_open(axis)) open.axes.push_back(axis);
    open.steps.push_back(grids[at(axis)].step);
  }
  std::vector<double> kernel;
  if (open.axes.size() > 1) kernel = open_kernel(comm, open, plan->output());
  kernel_bytes = kernel.size() * sizeof(double);
  agree(comm, [&] {
    if (on_gpu()) {
      solver = open_lines_on_gpu(
          *plan, {o.kernel, line, extent(line), grids[at(line)].step, std::move(kernel), o.plan.effort});
      kernel_bytes = solver ? solver->scratch_bytes() : 0;
      return;
    }
    solver =
        std::make_unique<OpenLines>(o.kernel, extent(line), grids[at(line)].step, std::move(kernel), o.plan.effort);
  });
}

bool Poisson::Impl::singular() const {
  return o.shift == 0 && std::all_of(o.boundary.begin(), o.boundary.end(), [](const AxisBoundary& ends) {
           return ends.lower == Boundary::periodic ||
                  (ends.lower == Boundary::neumann && ends.upper == Boundary::neumann);
         });
}

Poisson::Poisson(MPI_Comm comm, const Layout& layout, Precision precision, const PoissonOptions& options)
    : impl_(new Impl{Communicator::duplicate(comm), layout, {precision, false}, options}) {
  Impl& mine = *impl_;
  const Failure failure = failure_of([&] { mine.check_domain(); });
  std::uint64_t boundaries = 0, numbers = 0;
  for (const AxisBoundary& ends : mine.o.boundary)
    boundaries = boundaries * 16 + 4 * static_cast<std::uint64_t>(ends.lower) + static_cast<std::uint64_t>(ends.upper);
  for (const auto* list : {&mine.o.lengths, &mine.o.cells})
    for (const double number : *list) numbers = numbers * 31 + std::hash<double>()(number);
  for (const double number : {mine.o.shift, mine.o.tolerance}) numbers = numbers * 31 + std::hash<double>()(number);
  const int choices = static_cast<int>(mine.o.points) + 2 * static_cast<int>(mine.o.kernel) +
                      8 * static_cast<int>(mine.o.eigenvalues) + 16 * static_cast<int>(mine.o.wrong_mean);
  agree_same(mine.comm, "a Poisson solver",
             {agreed_layout("layouts", failure.failed() ? Layout() : layout),
              {"precisions", static_cast<std::uint64_t>(precision)},
              {"boundaries", boundaries},
              {"lengths, cells, shifts or tolerances", numbers},
              {"points, kernels, eigenvalues or rules of means", static_cast<std::uint64_t>(choices)}},
             Effort::estimate, failure);
  mine.make();
}

const Layout& Poisson::layout() const { return impl().layout; }
int Poisson::device() const { return impl().plan->device(); }
void* Poisson::stream() const { return impl().plan->stream(); }
Buffer Poisson::allocate() { return impl().plan->allocate_input(); }

std::vector<double> Poisson::points(int axis) const {
  const Impl& mine = impl();
  require(axis >= 0 && axis < mine.axes(), "axis ", axis, " is not an axis of an array with ", mine.axes(), " axes");
  std::vector<double> result;
  double begin = 0;
  for (std::int64_t i = 0; i < mine.extent(axis); ++i) {
    const AxisGrid& grid = mine.grids[Impl::at(axis)];
    result.push_back((static_cast<double>(i) + grid.first) * grid.step);
    if (!mine.is_stretched(axis)) continue;
    const double cell = mine.o.cells[static_cast<std::size_t>(i)];
    result.back() = begin + cell / 2;
    begin += cell;
  }
  return result;
}

std::vector<double> Poisson::weights(int axis) const {
  const Impl& mine = impl();
  require(axis >= 0 && axis < mine.axes(), "axis ", axis, " is not an axis of an array with ", mine.axes(), " axes");
  return mine.shares(axis);
}

bool Poisson::is_singular() const { return impl().singular(); }

std::size_t Poisson::workspace_bytes() const { return impl().plan->workspace_bytes() + impl().kernel_bytes; }

PlanReport Poisson::report() const { return impl().plan->report(); }

}  // namespace shardfft
