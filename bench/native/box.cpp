#include "box.hpp"

#include <algorithm>

namespace shardfft::bench {
namespace {

// Indices of one axis that both have.
std::int64_t common(const Part& a, const Part& b, int axis) {
  const auto end = [axis](const Part& part) { return part.lower[axis] + part.count[axis] * part.step[axis]; };
  const auto lower = std::max(a.lower[axis], b.lower[axis]), upper = std::min(end(a), end(b));
  if (a.step[axis] == 1 && b.step[axis] == 1) return std::max<std::int64_t>(0, upper - lower);
  std::int64_t found = 0;
  for (std::int64_t i = a.lower[axis]; i < upper; i += a.step[axis])
    found += i >= lower && (i - b.lower[axis]) % b.step[axis] == 0;
  return found;
}

std::int64_t overlap(const Part& a, const Part& b) {
  std::int64_t points = 1;
  for (int axis = 0; axis < 3; ++axis) points *= common(a, b, axis);
  return points;
}

[[noreturn]] void bad_grid(std::size_t wanted, int ranks) {
  throw CaseError("case: 'grid' must have " + std::to_string(wanted) + " extents whose product is " +
                  std::to_string(ranks));
}

}  // namespace

std::int64_t Part::span() const {
  if (volume() == 0) return 0;
  std::int64_t last = 0;
  for (int axis = 0; axis < 3; ++axis) last += (count[axis] - 1) * stride[axis];
  return last + 1;
}

Part packed_part(const Triple& lower, const Triple& count, const std::array<int, 3>& order) {
  Part part{lower, count, {}};
  std::int64_t stride = 1;
  for (int place = 2; place >= 0; --place) {
    part.stride[order[place]] = stride;
    stride *= count[order[place]];
  }
  return part;
}

Range block(std::int64_t n, int blocks, int index) {
  const auto base = n / blocks;
  const auto longer = n % blocks;
  return {index * base + std::min<std::int64_t>(index, longer), base + (index < longer ? 1 : 0)};
}

Range ceil_block(std::int64_t n, int blocks, int index) {
  const auto size = (n + blocks - 1) / blocks;
  const auto lower = std::min(n, index * size);
  return {lower, std::min(n, lower + size) - lower};
}

std::array<int, 2> pencil_grid(const Case& wanted, int ranks) {
  if (!wanted.grid.empty()) {
    if (wanted.grid.size() != 2 || wanted.grid[0] * wanted.grid[1] != ranks) bad_grid(2, ranks);
    return {wanted.grid[0], wanted.grid[1]};
  }
  int rows = 1;
  for (int p = 1; p * p <= ranks; ++p)
    if (ranks % p == 0) rows = p;
  return {rows, ranks / rows};
}

std::array<int, 3> brick_grid(const Case& wanted, int ranks) {
  if (!wanted.grid.empty()) {
    if (wanted.grid.size() != 3 || wanted.grid[0] * wanted.grid[1] * wanted.grid[2] != ranks) bad_grid(3, ranks);
    return {wanted.grid[0], wanted.grid[1], wanted.grid[2]};
  }
  std::array<int, 3> best{ranks, 1, 1};
  double least = -1;
  for (int p = 1; p <= ranks; ++p) {
    if (ranks % p) continue;
    for (int q = 1; q <= ranks / p; ++q) {
      if (ranks / p % q) continue;
      const int r = ranks / p / q;
      const double a = double(wanted.shape[0]) / p, b = double(wanted.shape[1]) / q, c = double(wanted.shape[2]) / r;
      const double surface = a * b + b * c + c * a;
      if (least < 0 || surface < least * (1 - 1e-12)) {
        least = surface;
        best = {p, q, r};
      }
    }
  }
  return best;
}

Part brick_part(const Triple& shape, const std::array<int, 3>& grid, int rank) {
  const std::array<int, 3> place{rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
  Triple lower{}, count{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto range = block(shape[axis], grid[axis], place[axis]);
    lower[axis] = range.lower;
    count[axis] = range.count;
  }
  return packed_part(lower, count);
}

SideParts side_parts(const Case& wanted, MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::array<int, 3> in{ranks, 1, 1}, out{1, ranks, 1};
  if (wanted.layout == LayoutKind::pencil) {
    const auto grid = pencil_grid(wanted, ranks);
    in = {grid[0], grid[1], 1};
    out = {1, grid[0], grid[1]};
  }
  if (wanted.layout == LayoutKind::brick) in = out = brick_grid(wanted, ranks);
  if (wanted.natural()) out = in;
  return {brick_part(wanted.shape, in, rank), brick_part(wanted.spectrum(), out, rank)};
}

Part cyclic_part(const Triple& shape, int rank, int ranks) {
  Part part = packed_part({rank, 0, 0}, {(shape[0] - rank + ranks - 1) / ranks, shape[1], shape[2]});
  part.step[0] = ranks;
  return part;
}

std::vector<Part> gather_parts(const Part& mine, MPI_Comm comm) {
  static_assert(sizeof(Part) == 12 * sizeof(std::int64_t));
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<Part> parts(rank == 0 ? ranks : 0);
  MPI_Gather(&mine, 12, MPI_INT64_T, parts.data(), 12, MPI_INT64_T, 0, comm);
  return parts;
}

std::string tiling_fault(const std::vector<Part>& parts, const Triple& shape) {
  std::int64_t points = 0;
  for (std::size_t a = 0; a < parts.size(); ++a) {
    for (int axis = 0; axis < 3; ++axis) {
      const auto upper = parts[a].lower[axis] + (parts[a].count[axis] - 1) * parts[a].step[axis] + 1;
      if (parts[a].volume() > 0 && (parts[a].lower[axis] < 0 || upper > shape[axis]))
        return "rank " + std::to_string(a) + " reaches out of the array";
    }
    points += parts[a].volume();
    for (std::size_t b = 0; b < a; ++b)
      if (overlap(parts[a], parts[b]) > 0)
        return "ranks " + std::to_string(b) + " and " + std::to_string(a) + " overlap";
  }
  if (points != shape[0] * shape[1] * shape[2]) return "the ranks do not cover the array";
  return {};
}

int split_axes(const std::vector<Part>& parts, const Triple& shape) {
  int split = 0;
  for (int axis = 0; axis < 3; ++axis)
    split += std::any_of(parts.begin(), parts.end(),
                         [&](const Part& p) { return p.volume() > 0 && p.count[axis] < shape[axis]; });
  return split;
}

Moved moved_points(const std::vector<Part>& from, const std::vector<Part>& to) {
  Moved moved;
  for (std::size_t rank = 0; rank < from.size(); ++rank) {
    // A real transform's spectrum is shorter along its last axis; what lies past it stays, so to speak.
    std::int64_t inside = 0;
    for (const auto& target : to) inside += overlap(from[rank], target);
    const auto leaving = inside - overlap(from[rank], to[rank]);
    moved.largest = std::max(moved.largest, leaving);
    moved.total += leaving;
  }
  return moved;
}

Json to_json(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const auto& p : parts) {
    list.push_back({{"lower", p.lower}, {"count", p.count}, {"stride", p.stride}});
    if (p.step != Triple{1, 1, 1}) list.back()["step"] = p.step;
  }
  return list;
}

}  // namespace shardfft::bench
