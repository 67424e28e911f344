#include "cannon/formation.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace shardfft {

namespace {

std::size_t at(int dimension) { return static_cast<std::size_t>(dimension); }

Shape row_major_places(std::int64_t rank, const Shape& grid) {
  Shape places(grid.size());
  for (std::size_t d = grid.size(); d-- > 0; rank /= grid[d]) places[d] = rank % grid[d];
  return places;
}

int row_major_rank(const Shape& places, const Shape& grid) {
  std::int64_t rank = 0;
  for (std::size_t d = 0; d < grid.size(); ++d) rank = rank * grid[d] + places[d];
  return narrow(rank, "rank");
}

std::int64_t wrap(std::int64_t place, std::int64_t size) { return (place % size + size) % size; }

}  // namespace

Formation::Formation(const Shape& mesh, int axis, bool global_transpose) : grid_(mesh), axis_(axis), ring_(axis) {
  const int last = static_cast<int>(mesh.size()) - 1;
  if (axis < 1 || axis > last || mesh[0] != 1) fail(Status::internal, "no ring along axis ", axis);
  if (global_transpose && mesh[at(axis)] > 1) ring_ = last;
  std::swap(grid_[at(axis_)], grid_[at(ring_)]);
  row_ = ring_ < last ? ring_ + 1 : ring_ - 1;
}

int Formation::ranks() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : grid_) product *= extent;
  return narrow(product, "number of ranks");
}

Shape Formation::places(int rank) const { return row_major_places(rank, grid_); }
int Formation::rank_at(const Shape& places) const { return row_major_rank(places, grid_); }
int Formation::ring_size() const { return static_cast<int>(grid_[at(ring_)]); }
int Formation::row_size() const { return static_cast<int>(grid_[at(row_)]); }
int Formation::ring_place(int rank) const { return static_cast<int>(places(rank)[at(ring_)]); }
int Formation::row_place(int rank) const { return static_cast<int>(places(rank)[at(row_)]); }

int Formation::on_ring(int rank, std::int64_t place) const {
  Shape p = places(rank);
  p[at(ring_)] = wrap(place, ring_size());
  return rank_at(p);
}

int Formation::on_row(int rank, std::int64_t place) const {
  Shape p = places(rank);
  p[at(row_)] = wrap(place, row_size());
  return rank_at(p);
}

int Formation::owner(int rank) const {
  Shape p = places(rank);
  Shape mesh = grid_;
  std::swap(p[at(axis_)], p[at(ring_)]);
  std::swap(mesh[at(axis_)], mesh[at(ring_)]);
  return row_major_rank(p, mesh);
}

int Formation::worker(int rank) const {
  Shape mesh = grid_;
  std::swap(mesh[at(axis_)], mesh[at(ring_)]);
  Shape p = row_major_places(rank, mesh);
  std::swap(p[at(axis_)], p[at(ring_)]);
  return rank_at(p);
}

/// In two and three equal dimensions the paper's homes are all different; in four they would not be.
bool Formation::home_is_the_papers() const {
  return (grid_.size() == 3 || grid_.size() == 4) &&
         std::all_of(grid_.begin() + 1, grid_.end(), [&](std::int64_t extent) { return extent == grid_[1]; });
}

int Formation::matrix_home(int rank, int row_block) const {
  if (!home_is_the_papers()) return on_row(rank, row_block);
  Shape p = places(rank);
  std::swap(p[at(ring_)], p.back());
  p[p.size() - 2] = row_block;
  return rank_at(p);
}

}  // namespace shardfft
