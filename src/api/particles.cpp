// Particles on a mesh: sums into padded arrays, whose halos a halo exchange adds back or fills.
#include "shardfft/particles.hpp"

#include <algorithm>
#include <cmath>

#include "api/migration.hpp"
#include "api/option_checks.hpp"
#include "api/problem.hpp"
#include "base/aligned.hpp"
#include "geometry/assignment.hpp"
#include "pack/pack.hpp"

namespace shardfft {

namespace {

using Point = std::array<double, max_user_axes>;

/// The points of a padded array that a particle touches: offsets and weights along each axis.
struct Touched {
  std::array<AxisWeightsAt, max_user_axes> axis{};
};

}  // namespace

struct ParticleMesh::Impl {
  Communicator comm;
  Layout layout;
  Assignment shape;
  Precision precision;
  ParticleOptions options;
  std::vector<double> lengths{};
  std::optional<HaloExchange> halo{};
  Piece own{};       ///< in the padded array
  Piece unpadded{};  ///< in the field
  AlignedMemory padded{};

  void check() const;
  std::vector<HaloWidth> widths() const;
  void copy(const void* field, bool out);
  /// The column of the coordinate along an axis.
  std::size_t column(std::size_t axis) const {
    return options.last_axis_first ? static_cast<std::size_t>(layout.axes()) - 1 - axis : axis;
  }
  bool reads() const { return !own.set.empty(); }
  std::size_t padded_bytes() const { return static_cast<std::size_t>(halo->count()) * number_bytes(); }
  std::size_t number_bytes() const { return precision == Precision::f64 ? 8 : 4; }

  /// The cell of a coordinate in the domain, and its distance behind the point.
  std::pair<std::int64_t, double> cell(double position, std::size_t axis, std::int64_t particle) const;
  template <class T>
  Touched locate(const T* position, std::int64_t particle) const;
  template <class T, class Visit>
  void visit(const Touched& touched, T* array, const Visit& work) const;
  template <class T>
  void deposit(std::int64_t count, const T* positions, const T* weights);
  template <class T>
  void read(std::int64_t count, const T* positions, T* values, bool slopes) const;
  template <class T>
  std::vector<int> owners(std::int64_t count, const T* positions) const;
  /// Calls work with a null pointer of the type of the numbers.
  template <class Work>
  void typed(const Work& work) const {
    if (precision == Precision::f64)
      work(static_cast<double*>(nullptr));
    else
      work(static_cast<float*>(nullptr));
  }
  /// Throws Error if this rank's arguments are wrong.
  void check_arrays(std::int64_t count, std::initializer_list<std::pair<const void*, const char*>> of_particles,
                    const void* field) const;
};

void ParticleMesh::Impl::check() const {
  require_known("the precision", precision, Precision::f64, "f32, f64");
  require_known("the assignment", shape, Assignment::tsc, "nearest, cic, tsc");
  require(options.lengths.empty() || static_cast<int>(options.lengths.size()) == layout.axes(), options.lengths.size(),
          " lengths were given for ", layout.axes(), " axes");
  for (const double length : lengths)
    require(length > 0 && std::isfinite(length), "lengths are finite and above 0, not ", length);
  require(options.reach >= 0, "the reach is ", options.reach, " points; it is not negative");
}

std::vector<HaloWidth> ParticleMesh::Impl::widths() const {
  HaloWidth width = touched(shape);
  width.below += options.reach;
  width.above += options.reach;
  return std::vector<HaloWidth>(static_cast<std::size_t>(layout.axes()), width);
}

std::pair<std::int64_t, double> ParticleMesh::Impl::cell(double position, std::size_t axis,
                                                         std::int64_t particle) const {
  const std::int64_t extent = layout.shape()[axis];
  require(std::isfinite(position), "coordinate ", axis, " of particle ", particle, " is ", position,
          "; positions are finite");
  const bool inside = position >= 0 && position < lengths[axis];
  require(inside || options.wrap, "coordinate ", axis, " of particle ", particle, " is ", position,
          ", outside the domain of 0 to ", lengths[axis], "; the option wrap takes such positions from its other end");
  if (!inside) position -= lengths[axis] * std::floor(position / lengths[axis]);
  const double points = position / lengths[axis] * static_cast<double>(extent);
  const double below = std::floor(points);
  // Rounding takes positions just below the end, and wrapped ones just below 0, to the first point.
  return {static_cast<std::int64_t>(below) % extent, points - below};
}

template <class T>
Touched ParticleMesh::Impl::locate(const T* position, std::int64_t particle) const {
  Touched result;
  const HaloWidth width = touched(shape);
  for (std::size_t a = 0; a < static_cast<std::size_t>(layout.axes()); ++a) {
    const auto [index, beyond] = cell(static_cast<double>(position[column(a)]), a, particle);
    const Progression& mine = own.set.axis[a];
    const std::int64_t extent = layout.shape()[a], first = mine.first - options.reach,
                       end = mine.first + mine.count + options.reach;
    // The first of its periodic images that lies here.
    const std::int64_t up = first - index;
    const std::int64_t image = index + (up >= 0 ? (up + extent - 1) / extent : -(-up / extent)) * extent;
    require(reads() && image<end, "particle ", particle, " is at ", position[column(a)], " along axis ", a,
                             ", beyond the part of its rank", options.reach> 0
                ? " and its reach"
                : "",
            ": migrate particles first");
    result.axis[a] = assign(shape, image, beyond);
    result.axis[a].first -= first - width.below;
  }
  return result;
}

/// Calls work(number of the array, the point's place among those touched) for all points.
template <class T, class Visit>
void ParticleMesh::Impl::visit(const Touched& touched, T* array, const Visit& work) const {
  static_assert(max_user_axes == 4);
  const auto& [a, b, c, d] = touched.axis;
  const auto at = [&](std::size_t axis, std::int64_t i) { return (touched.axis[axis].first + i) * own.stride[axis]; };
  for (int i = 0; i < a.points; ++i)
    for (int j = 0; j < b.points; ++j)
      for (int k = 0; k < c.points; ++k)
        for (int l = 0; l < d.points; ++l)
          work(array[at(0, i) + at(1, j) + at(2, k) + at(3, l)], std::array<int, max_user_axes>{i, j, k, l});
}

namespace {

/// The product of the weights, or with the slope along `axis` in the place of its weight.
double weight_of(const Touched& touched, const std::array<int, max_user_axes>& place, int axis = -1) {
  double product = 1;
  for (std::size_t a = 0; a < place.size(); ++a) {
    const auto i = static_cast<std::size_t>(place[a]);
    product *= static_cast<int>(a) == axis ? touched.axis[a].slope[i] : touched.axis[a].weight[i];
  }
  return product;
}

}  // namespace

template <class T>
void ParticleMesh::Impl::deposit(std::int64_t count, const T* positions, const T* weights) {
  T* const array = reinterpret_cast<T*>(padded.get());
  std::fill_n(array, halo->count(), T(0));
  for (std::int64_t p = 0; p < count; ++p) {
    const Touched touched = locate(positions + p * layout.axes(), p);
    const double weight = weights == nullptr ? 1 : static_cast<double>(weights[p]);
    visit(touched, array,
          [&](T& number, const auto& place) { number += static_cast<T>(weight * weight_of(touched, place)); });
  }
}

template <class T>
void ParticleMesh::Impl::read(std::int64_t count, const T* positions, T* values, bool slopes) const {
  const T* const array = reinterpret_cast<const T*>(padded.get());
  const int axes = layout.axes();
  for (std::int64_t p = 0; p < count; ++p) {
    const Touched touched = locate(positions + p * axes, p);
    Point sums{};
    visit(touched, array, [&](const T& number, const auto& place) {
      for (int a = 0; a < (slopes ? axes : 1); ++a)
        sums[static_cast<std::size_t>(a)] += static_cast<double>(number) * weight_of(touched, place, slopes ? a : -1);
    });
    for (int a = 0; slopes && a < axes; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      values[p * axes + static_cast<std::int64_t>(column(axis))] =
          static_cast<T>(sums[axis] * static_cast<double>(layout.shape()[axis]) / lengths[axis]);
    }
    if (!slopes) values[p] = static_cast<T>(sums[0]);
  }
}

template <class T>
std::vector<int> ParticleMesh::Impl::owners(std::int64_t count, const T* positions) const {
  std::vector<int> ranks(static_cast<std::size_t>(count), comm.rank());
  IndexSet point;
  point.axes = layout.axes();
  for (std::int64_t p = 0; p < count; ++p) {
    bool mine = reads();
    for (std::size_t a = 0; a < static_cast<std::size_t>(point.axes); ++a) {
      const T position = positions[p * point.axes + static_cast<std::int64_t>(column(a))];
      point.axis[a] = {cell(static_cast<double>(position), a, p).first, 1, 1};
      mine = mine && own.set.axis[a].contains(point.axis[a].first);
    }
    if (!mine)
      layout.for_overlaps(point, [&](int rank, const IndexSet&) { ranks[static_cast<std::size_t>(p)] = rank; });
  }
  return ranks;
}

/// Copies between the field and the own part of the padded array.
void ParticleMesh::Impl::copy(const void* field, bool out) {
  if (!reads()) return;
  const LocalCopy boxes = copy_between(unpadded, own, own.set);
  auto* const array = static_cast<std::byte*>(const_cast<void*>(field));  // written if it goes out alone
  if (out)
    copy_box(padded.get(), boxes.to, array, boxes.from, number_bytes());
  else
    copy_box(array, boxes.from, padded.get(), boxes.to, number_bytes());
}

void ParticleMesh::Impl::check_arrays(std::int64_t count,
                                      std::initializer_list<std::pair<const void*, const char*>> of_particles,
                                      const void* field) const {
  require(count >= 0, "the number of particles is ", count, "; it is not negative");
  for (const auto& [array, name] : of_particles)
    require(array != nullptr || count == 0, "'", name, "' is a null pointer");
  require(field != nullptr || !reads(), "'field' is a null pointer");
}

ParticleMesh::ParticleMesh(MPI_Comm comm, const Layout& layout, Assignment shape, Precision precision,
                           const ParticleOptions& options)
    : impl_(new Impl{Communicator::duplicate(comm), layout, shape, precision, options}) {
  Impl& mesh = *impl_;
  const Failure failure = failure_of([&] {
    validate_layout(layout, "layout", mesh.comm.size());
    mesh.lengths = options.lengths;
    if (mesh.lengths.empty()) mesh.lengths.assign(layout.shape().begin(), layout.shape().end());
    mesh.check();
  });
  std::vector<Agreed> agreed{{"assignments", static_cast<std::uint64_t>(shape)},
                             {"options of particles", (options.wrap ? 1u : 0u) + (options.last_axis_first ? 2u : 0u)}};
  std::uint64_t number = 0;
  for (const double length : mesh.lengths) number = number * 31 + std::hash<double>()(length);
  agreed.push_back({"lengths", number});
  agree_same(mesh.comm, "a particle mesh", agreed, Effort::estimate, failure);
  mesh.halo.emplace(comm, layout, mesh.widths(), ElementType{precision, false});
  mesh.own = mesh.halo->owned();
  mesh.unpadded = mesh.own;
  for (const Piece& piece : layout.pieces(mesh.comm.rank())) mesh.unpadded = piece;
  agree(mesh.comm, [&] { mesh.padded = allocate_aligned(mesh.padded_bytes()); });
}

ParticleMesh::~ParticleMesh() = default;
ParticleMesh::ParticleMesh(ParticleMesh&&) noexcept = default;
ParticleMesh& ParticleMesh::operator=(ParticleMesh&&) noexcept = default;

ParticleMesh::Impl& ParticleMesh::impl() const {
  require(impl_ != nullptr, "this mesh was moved from: only the one that it was moved to can be used");
  return *impl_;
}

void ParticleMesh::deposit(std::int64_t count, const void* positions, const void* weights, void* field) {
  Impl& mesh = impl();
  agree(mesh.comm, [&] {
    mesh.check_arrays(count, {{positions, "positions"}}, field);
    mesh.typed(
        [&]<class T>(T*) { mesh.deposit(count, static_cast<const T*>(positions), static_cast<const T*>(weights)); });
  });
  mesh.halo->add_back(static_cast<void*>(mesh.padded.get()));
  mesh.copy(field, true);
}

namespace {

/// Everything except the loop itself, which then finds a place for each position.
template <class Mesh>
void fill_for(Mesh& mesh, std::int64_t count, const void* positions, const void* field, const void* values) {
  agree(mesh.comm, [&] {
    mesh.check_arrays(count, {{positions, "positions"}, {values, "values"}}, field);
    mesh.typed([&]<class T>(T*) {
      for (std::int64_t p = 0; p < count; ++p)
        mesh.locate(static_cast<const T*>(positions) + p * mesh.layout.axes(), p);
    });
  });
  mesh.copy(field, false);
  mesh.halo->update(static_cast<void*>(mesh.padded.get()));
}

}  // namespace

void ParticleMesh::interpolate(std::int64_t count, const void* positions, const void* field, void* values) {
  fill_for(impl(), count, positions, field, values);
  impl().typed(
      [&]<class T>(T*) { impl().read(count, static_cast<const T*>(positions), static_cast<T*>(values), false); });
}

void ParticleMesh::gradient(std::int64_t count, const void* positions, const void* field, void* slopes) {
  fill_for(impl(), count, positions, field, slopes);
  impl().typed(
      [&]<class T>(T*) { impl().read(count, static_cast<const T*>(positions), static_cast<T*>(slopes), true); });
}

Migration ParticleMesh::migration(std::int64_t count, const void* positions) const {
  const Impl& mesh = impl();
  std::vector<int> owners;
  agree(mesh.comm, [&] {
    require(count >= 0, "the number of particles is ", count, "; it is not negative");
    require(positions != nullptr || count == 0, "'positions' is a null pointer");
    mesh.typed([&]<class T>(T*) { owners = mesh.owners(count, static_cast<const T*>(positions)); });
  });
  return Migration(std::make_unique<Migration::Impl>(mesh.comm, owners));
}

}  // namespace shardfft
