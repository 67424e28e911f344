#pragma once
// The whole in a hundred lines: a distributed transform of three axes, slowly. Everything else in src/ makes one of
// these parts faster, smaller or more general; docs/whole.md says which folder does so. Tests compare plans with it.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

namespace whole {

using Number = std::complex<double>;
using Extents = std::array<int, 3>;

/// Where data is (src/geometry): the indices that a rank owns of each axis. Its array has them row by row.
struct Box {
  Extents first{}, count{};

  std::size_t size() const { return static_cast<std::size_t>(count[0]) * count[1] * count[2]; }
  std::size_t at(const Extents& i) const {
    return (static_cast<std::size_t>(i[0] - first[0]) * count[1] + (i[1] - first[1])) * count[2] + (i[2] - first[2]);
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (int x = first[0]; x < first[0] + count[0]; ++x)
      for (int y = first[1]; y < first[1] + count[1]; ++y)
        for (int z = first[2]; z < first[2] + count[2]; ++z) visit(Extents{x, y, z});
  }
};
using Layout = std::vector<Box>;  ///< by rank

inline Box overlap(const Box& a, const Box& b) {
  Box both;
  for (int axis = 0; axis < 3; ++axis) {
    both.first[axis] = std::max(a.first[axis], b.first[axis]);
    const int end = std::min(a.first[axis] + a.count[axis], b.first[axis] + b.count[axis]);
    both.count[axis] = std::max(0, end - both.first[axis]);
  }
  return both;
}

/// Every axis cut in so many runs; ranks are numbered row by row.
inline Layout cut(const Extents& shape, const Extents& parts) {
  Layout layout;
  Box{{}, parts}.for_each([&](const Extents& part) {
    Box& box = layout.emplace_back();
    for (int axis = 0; axis < 3; ++axis) {
      box.first[axis] = shape[axis] * part[axis] / parts[axis];
      box.count[axis] = shape[axis] * (part[axis] + 1) / parts[axis] - box.first[axis];
    }
  });
  return layout;
}

/// What is to be done (src/algorithm): bring the array into a layout, and transform axes that are whole there.
struct Stage {
  Layout layout;
  std::vector<int> axes;
};
using Program = std::vector<Stage>;

inline Program slab(const Extents& shape, int ranks) {
  return {{cut(shape, {ranks, 1, 1}), {2, 1}}, {cut(shape, {1, ranks, 1}), {0}}};
}

inline Program pencil(const Extents& shape, int ranks) {
  int p = 1;
  for (int factor = 1; factor * factor <= ranks; ++factor)
    if (ranks % factor == 0) p = factor;
  const int q = ranks / p;
  return {{cut(shape, {p, q, 1}), {2}}, {cut(shape, {p, 1, q}), {1}}, {cut(shape, {1, p, q}), {0}}};
}

/// How data moves (src/exchange): each rank sends to each other what it has of the other's box, and receives likewise.
inline std::vector<Number> reshape(MPI_Comm comm, const Layout& from, const Layout& to,
                                   const std::vector<Number>& data) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const Box &mine = from[static_cast<std::size_t>(rank)], &next = to[static_cast<std::size_t>(rank)];
  std::vector<std::vector<Number>> sent(from.size()), received(from.size());
  std::vector<MPI_Request> requests(2 * from.size());
  for (std::size_t peer = 0; peer < from.size(); ++peer) {
    overlap(mine, to[peer]).for_each([&](const Extents& i) { sent[peer].push_back(data[mine.at(i)]); });
    received[peer].resize(overlap(from[peer], next).size());
    MPI_Irecv(received[peer].data(), static_cast<int>(received[peer].size()), MPI_CXX_DOUBLE_COMPLEX,
              static_cast<int>(peer), 0, comm, &requests[2 * peer]);
    MPI_Isend(sent[peer].data(), static_cast<int>(sent[peer].size()), MPI_CXX_DOUBLE_COMPLEX, static_cast<int>(peer), 0,
              comm, &requests[2 * peer + 1]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  std::vector<Number> result(next.size());
  for (std::size_t peer = 0; peer < from.size(); ++peer) {
    auto number = received[peer].begin();
    overlap(from[peer], next).for_each([&](const Extents& i) { result[next.at(i)] = *number++; });
  }
  return result;
}

/// Transforms of a rank's own data (src/local): the sum that defines them, along an axis that is whole.
inline std::vector<Number> transform(const Box& box, int axis, int sign, const std::vector<Number>& data) {
  std::vector<Number> result(data.size());
  const int n = box.count[axis];
  box.for_each([&](Extents i) {
    Number& sum = result[box.at(i)];
    const long long k = i[axis];
    for (i[axis] = 0; i[axis] < n; ++i[axis])
      sum += data[box.at(i)] * std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k * i[axis] % n) / n);
  });
  return result;
}

/// A run (src/exec): forward has sign -1; backward has sign 1, the stages from the last to the first, and no factor.
inline std::vector<Number> run(MPI_Comm comm, Program program, int sign, const Layout& input, const Layout& output,
                               std::vector<Number> data) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (sign > 0) program = Program(program.rbegin(), program.rend());
  const Layout* layout = &input;
  for (const Stage& stage : program) {
    data = reshape(comm, *layout, stage.layout, data);
    layout = &stage.layout;
    for (const int axis : stage.axes) data = transform((*layout)[static_cast<std::size_t>(rank)], axis, sign, data);
  }
  return reshape(comm, *layout, output, data);
}

}  // namespace whole
