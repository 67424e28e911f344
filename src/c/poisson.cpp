// Solvers in the C interface.
#include "shardfft/c/poisson.h"

#include "c/wall.hpp"

using namespace shardfft;
using namespace shardfft::c;

static_assert(SHARDFFT_OPEN == static_cast<int>(Boundary::open));
static_assert(SHARDFFT_NODES == static_cast<int>(WallPoints::nodes));
static_assert(SHARDFFT_INTEGRATED == static_cast<int>(OpenKernel::integrated));
static_assert(SHARDFFT_SECOND_ORDER == static_cast<int>(Eigenvalues::second_order));
static_assert(SHARDFFT_REMOVE == static_cast<int>(WrongMean::remove));

namespace {

PoissonOptions poisson_options_of(const shardfft_poisson_options& c) {
  PoissonOptions o;
  for (const auto& [lower, upper] : given_axes(c.boundary, c.axes, "boundary"))
    o.boundary.push_back({static_cast<Boundary>(lower), static_cast<Boundary>(upper)});
  o.points = static_cast<WallPoints>(c.points);
  o.shift = c.shift;
  o.kernel = static_cast<OpenKernel>(c.kernel);
  o.eigenvalues = static_cast<Eigenvalues>(c.eigenvalues);
  o.wrong_mean = static_cast<WrongMean>(c.wrong_mean);
  o.tolerance = c.tolerance;
  const auto cells = given(c.cells, c.cell_count, "cells");
  o.cells.assign(cells.begin(), cells.end());
  o.stretched_axis = cells.empty() && c.stretched_axis == 0 ? -1 : c.stretched_axis;
  o.plan = options_of(c.plan);
  return o;
}

}  // namespace

shardfft_status shardfft_poisson_create(MPI_Comm comm, shardfft_layout layout, shardfft_precision precision, int axes,
                                        const double* lengths, const shardfft_poisson_options* options,
                                        shardfft_poisson* made) {
  return guarded([&] {
    Layout cut;
    PoissonOptions all;
    agreed(comm, [&] {
      place(made, "solver");
      cut = *get(layout);
      if (options != nullptr) all = poisson_options_of(*options);
      all.lengths = lengths_of(axes, lengths);
    });
    give(made, Poisson(comm, cut, static_cast<Precision>(precision), all));
  });
}
shardfft_status shardfft_poisson_create_f(MPI_Fint comm, shardfft_layout layout, shardfft_precision precision, int axes,
                                          const double* lengths, const shardfft_poisson_options* options,
                                          shardfft_poisson* made) {
  return shardfft_poisson_create(MPI_Comm_f2c(comm), layout, precision, axes, lengths, options, made);
}
shardfft_status shardfft_poisson_free(shardfft_poisson* made) { return end(made); }

shardfft_status shardfft_poisson_solve(shardfft_poisson solver, const void* f, void* u, int count,
                                       const shardfft_wall_values* values, void* const* gradient) {
  return guarded([&] {
    const auto held = get(solver);
    const auto list = arrays(values, count);
    std::vector<WallValues> walls(list.size() == static_cast<std::size_t>(count) ? 0 : 1, {-1});  // all ranks refuse it
    for (const auto& [axis, end, numbers] : list) walls.push_back({axis, end != SHARDFFT_LOWER, numbers});
    held->solve(f, u, walls, arrays(gradient, held->layout().axes()));
  });
}
shardfft_status shardfft_poisson_adjoint(shardfft_poisson solver, const void* by_u, void* by_f) {
  return guarded([&] { get(solver)->adjoint(by_u, by_f); });
}

shardfft_status shardfft_poisson_layout(shardfft_poisson solver, shardfft_layout* layout) {
  return guarded([&] { give(layout, get(solver)->layout()); });
}
shardfft_status shardfft_poisson_device(shardfft_poisson solver, int* device) {
  return asked(solver, device, "device", [](const Poisson& p) { return p.device(); });
}
shardfft_status shardfft_poisson_stream(shardfft_poisson solver, void** stream) {
  return asked(solver, stream, "stream", [](const Poisson& p) { return p.stream(); });
}
shardfft_status shardfft_poisson_allocate(shardfft_poisson solver, shardfft_buffer* buffer) {
  return guarded([&] { give(buffer, get(solver)->allocate()); });
}
shardfft_status shardfft_poisson_points(shardfft_poisson solver, int axis, int64_t room, double* points) {
  return guarded([&] { give_numbers(get(solver)->points(axis), room, points); });
}
shardfft_status shardfft_poisson_weights(shardfft_poisson solver, int axis, int64_t room, double* weights) {
  return guarded([&] { give_numbers(get(solver)->weights(axis), room, weights); });
}
shardfft_status shardfft_poisson_is_singular(shardfft_poisson solver, int* singular) {
  return asked(solver, singular, "singular", [](const Poisson& p) { return p.is_singular(); });
}
shardfft_status shardfft_poisson_workspace_bytes(shardfft_poisson solver, size_t* bytes) {
  return asked(solver, bytes, "bytes", [](const Poisson& p) { return p.workspace_bytes(); });
}
shardfft_status shardfft_poisson_report(shardfft_poisson solver, shardfft_report* report) {
  return guarded([&] { give(report, get(solver)->report()); });
}
