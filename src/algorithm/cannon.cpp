// Cannon: every axis times its DFT matrix, block by block, on a mesh of ranks (S3DFT). Point-to-point messages only.
#include <algorithm>
#include <limits>
#include <numeric>

#include "algorithm/algorithm.hpp"
#include "algorithm/builder.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

struct Variant {
  const char* name;
  bool global_transpose;
  bool local_matrix;
  bool fft_whole_axes;  ///< the local FFT transforms axes that the mesh does not cut
};

/// A message of an element costs about as much as this many multiply-adds; it need not be exact, because meshes of
/// equal shape differ by more.
constexpr double message_cost = 16;

/// Cost per element of a mesh whose largest parts are `largest`, in multiply-adds: the matrix products, and one message
/// a round or alignment, both larger if the blocks are uneven.
double mesh_cost(const Problem& p, const Variant& v, const Shape& mesh, const Shape& largest) {
  double cost = 0;
  double uneven = 1;
  for (std::size_t a = 1; a < mesh.size(); ++a) {
    const auto extent = static_cast<double>(p.input.shape()[a]);
    uneven *= static_cast<double>(largest[a]) * static_cast<double>(mesh[a]) / extent;
    if (p.transforms(static_cast<int>(a)) && !(v.fft_whole_axes && mesh[a] == 1))
      cost += extent + message_cost * static_cast<double>(mesh[a]);
  }
  return uneven * (1 + cost);
}

Shape even_parts(const Shape& shape, const Shape& mesh) {
  Shape largest;
  for (std::size_t a = 0; a < mesh.size(); ++a) largest.push_back((shape[a] + mesh[a] - 1) / mesh[a]);
  return largest;
}

struct MeshChoice {
  Shape mesh;
  double cost = std::numeric_limits<double>::max();
};

/// Tries all ways to write `ranks` as extents of the axes from `axis` on, larger extents of slower axes first.
void try_meshes(const Problem& p, const Variant& v, std::int64_t ranks, std::size_t axis, Shape& mesh,
                MeshChoice& best) {
  if (axis + 1 == mesh.size()) {
    mesh[axis] = ranks;
    const double cost = mesh_cost(p, v, mesh, even_parts(p.input.shape(), mesh));
    if (cost < best.cost * (1 - 1e-9)) best = {mesh, cost};
    return;
  }
  for (std::int64_t extent = ranks; extent >= 1; --extent) {
    if (ranks % extent != 0) continue;
    mesh[axis] = extent;
    try_meshes(p, v, ranks / extent, axis + 1, mesh, best);
  }
}

/// The input's own mesh: a grid of all ranks in row-major order.
bool input_is_mesh(const Problem& p) {
  if (!p.input.is_grid()) return false;
  std::int64_t stride = 1;
  for (int a = p.input.axes() - 1; a >= 0; --a) {
    const auto parts = static_cast<std::int64_t>(p.input.parts(a).size());
    if (parts > 1 && p.input.rank_stride()[static_cast<std::size_t>(a)] != stride) return false;
    stride *= parts;
  }
  return stride == p.ranks();
}

double input_cost(const Problem& p, const Variant& v) {
  Shape mesh;
  Shape largest;
  for (int a = 0; a < p.input.axes(); ++a) {
    const auto& parts = p.input.parts(a);
    mesh.push_back(static_cast<std::int64_t>(parts.size()));
    largest.push_back(std::max_element(parts.begin(), parts.end(), [](const Progression& x, const Progression& y) {
                        return x.count < y.count;
                      })->count);
  }
  return mesh_cost(p, v, mesh, largest);
}

/// The given grid; else the input's own mesh, if moving to the best mesh and back costs more than it saves; else the
/// best mesh.
Layout mesh_layout(const Problem& p, const Variant& v) {
  if (!p.grid.empty()) {
    const auto axes = static_cast<std::size_t>(p.input.axes() - 1);
    const std::int64_t product = std::accumulate(p.grid.begin(), p.grid.end(), std::int64_t{1}, std::multiplies<>());
    require(p.grid.size() == axes && product == p.ranks(), "option grid of algorithm ", v.name, " needs ", axes,
            " entries, one an axis, whose product is the number of ranks, ", p.ranks());
    Shape mesh = p.grid;
    mesh.insert(mesh.begin(), 1);
    return Layout::brick(p.input.shape(), mesh);
  }
  MeshChoice best;
  Shape mesh(p.input.shape().size(), 1);
  try_meshes(p, v, p.ranks(), 1, mesh, best);
  const double two_reshapes = 2 * message_cost;
  if (input_is_mesh(p) && input_cost(p, v) <= best.cost + two_reshapes) return p.input;
  return Layout::brick(p.input.shape(), best.mesh);
}

bool same_mesh(const Layout& a, const Layout& b) {
  if (!a.is_grid() || a.rank_stride() != b.rank_stride()) return false;
  for (int axis = 0; axis < a.axes(); ++axis)
    if (a.parts(axis).size() != b.parts(axis).size()) return false;
  return true;
}

/// Products need the layout as a mesh, even if the elements are in their places already.
void move_to_mesh(ProgramBuilder& builder, const Layout& mesh) {
  const State& now = builder.state();
  if (now.layout.same_as(mesh) && !same_mesh(now.layout, mesh))
    builder.step(ViewStep{}, {mesh, now.is_complex});
  else
    builder.reshape(mesh);
}

void transform_axis(ProgramBuilder& builder, const Problem& p, const Variant& v, int axis) {
  CannonStep step{axis, axis == p.half_axis(), v.global_transpose, v.local_matrix};
  Layout after = builder.state().layout;
  if (step.half) after = after.with_axis_extent(axis, after.shape()[static_cast<std::size_t>(axis)] / 2 + 1);
  const bool whole = builder.state().layout.axis_is_local(axis);
  if (v.fft_whole_axes && whole && !step.half)
    builder.fft({axis});
  else
    builder.step(step, {after, true});
}

/// A real array becomes complex before its first product; the half axis then has a matrix of n x (n/2+1), so that the
/// other half of the spectrum is never computed. In cannon_hybrid the real FFT transforms a half axis that is whole.
Program make(const Problem& p, const Variant& v) {
  require_plain(p, v.name);
  ProgramBuilder builder(v.name, p);
  move_to_mesh(builder, mesh_layout(p, v));
  std::vector<int> axes = p.axes;
  if (p.kind == Kind::r2c && v.fft_whole_axes && builder.state().layout.axis_is_local(axes.back())) {
    builder.fft({axes.back()});
    axes.pop_back();
  } else if (p.kind == Kind::r2c) {
    builder.step(PromoteStep{}, {builder.state().layout, true});
  }
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) transform_axis(builder, p, v, *axis);
  return builder.finish();
}

}  // namespace

Program cannon_program(const Problem& problem) { return make(problem, {"cannon", false, false, false}); }

Program cannon_transposed_program(const Problem& problem) {
  return make(problem, {"cannon_transposed", true, false, false});
}

Program cannon_hybrid_program(const Problem& problem) { return make(problem, {"cannon_hybrid", false, true, true}); }

}  // namespace shardfft
