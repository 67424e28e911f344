#include "distribution.hpp"

#include <algorithm>
#include <numeric>

namespace shardfft::compat {

namespace {

std::int64_t product(const Shape& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t blocks_of(std::int64_t n, std::int64_t block) { return (n + block - 1) / block; }

bool is_prime(std::int64_t n) {
  for (std::int64_t i = 2; i * i <= n; ++i)
    if (n % i == 0) return false;
  return n > 1;
}

Cut complete_side(const std::vector<Dim>& dims, int ranks, std::int64_t Dim::*asked) {
  Cut cut;
  for (const Dim& dim : dims) {
    cut.extents.push_back(dim.n);
    cut.blocks.push_back(dim.*asked > 0 ? std::min(dim.*asked, dim.n) : dim.n);
  }
  // As many ranks as possible, along as few axes as possible.
  for (std::size_t a = 0; a < dims.size(); ++a) {
    const std::int64_t left = ranks / cut.pieces();
    if (left > 1 && dims[a].*asked == 0) cut.blocks[a] = default_block(dims[a].n, left);
  }
  return cut;
}

/// Numbers that FFTW may need for an array that is cut along its first or second axis, while it transposes it.
std::int64_t between(const Cuts& cuts, std::int64_t howmany, int ranks) {
  const Shape& n = cuts.in.extents;
  const std::int64_t all = product(n);
  std::int64_t most = 1;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    const std::int64_t rest = all / n[axis] * howmany;
    most = std::max(most, blocks_of(n[axis] * default_block(rest, ranks), howmany));
    most = std::max(most, all / n[axis] * default_block(n[axis], ranks));
  }
  return most;
}

bool is_cut_once(const Cut& cut) {
  int cuts = 0;
  for (int a = 0; a < static_cast<int>(cut.extents.size()); ++a)
    if (cut.is_cut(a)) cuts += a < 2 ? 1 : 2;
  return cuts == 1;
}

}  // namespace

std::int64_t default_block(std::int64_t n, std::int64_t parts) { return (n + parts - 1) / parts; }

std::int64_t Cut::pieces() const {
  std::int64_t all = 1;
  for (std::size_t a = 0; a < extents.size(); ++a) all *= blocks_of(extents[a], blocks[a]);
  return all;
}

void Cut::part(int rank, std::int64_t* extent, std::int64_t* first) const {
  const bool idle = rank >= pieces();
  std::int64_t left = rank;
  for (std::size_t a = extents.size(); a-- > 0;) {
    const std::int64_t parts = blocks_of(extents[a], blocks[a]);
    first[a] = idle ? 0 : left % parts * blocks[a];
    extent[a] = idle ? 0 : std::min(blocks[a], extents[a] - first[a]);
    left /= parts;
  }
}

std::int64_t Cut::count(int rank) const {
  Shape extent(extents.size()), first(extents.size());
  part(rank, extent.data(), first.data());
  return product(extent);
}

bool Cut::is_cut(int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  return blocks[a] < extents[a];
}

Layout Cut::layout(int ranks, std::int64_t howmany, bool transposed) const {
  Shape shape = extents, lengths = blocks;
  if (howmany > 1) {
    shape.push_back(howmany);
    lengths.push_back(howmany);
  }
  std::vector<std::vector<Progression>> parts(shape.size());
  for (std::size_t a = 0; a < shape.size(); ++a)
    for (std::int64_t first = 0; first < shape[a]; first += lengths[a])
      parts[a].push_back({first, std::min(lengths[a], shape[a] - first), 1});
  AxisOrder order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (transposed) std::swap(order[0], order[1]);
  return Layout::grid(shape, std::move(parts), ranks, {}, order);
}

Cuts complete(const std::vector<Dim>& dims, int ranks) {
  Cuts cuts{complete_side(dims, ranks, &Dim::in_block), complete_side(dims, ranks, &Dim::out_block)};
  if (dims.size() == 1 && is_prime(dims[0].n)) cuts.in.blocks = cuts.out.blocks = {dims[0].n};
  return cuts;
}

std::optional<Factors> line_factors(std::int64_t n, std::int64_t howmany, int ranks, bool forward,
                                    Scrambled scrambled) {
  if (howmany >= ranks && !scrambled.in && !scrambled.out) return {};
  // A rank's share of the line if every rank can have such a share in both steps; else a factor near the square root.
  std::int64_t factor = n / ranks;
  if (n % ranks != 0 || factor < ranks) {
    factor = 1;
    while ((factor + 1) * (factor + 1) <= n) ++factor;
    while (n % factor != 0) ++factor;
  }
  if (factor == 1 || factor == n) return {};
  Factors found{factor, n / factor, 1, 1};
  // Backward transforms read the order in which forward ones write their results.
  if (!forward) std::swap(found.rows, found.columns);
  found.row_block = default_block(found.rows, ranks);
  found.column_block = default_block(found.columns, ranks);
  return found;
}

Cuts cut_line(std::int64_t n, const Factors& f, Scrambled scrambled) {
  const std::int64_t rows = f.row_block * f.columns, columns = f.column_block * f.rows;
  return {{{n}, {scrambled.in ? rows : columns}}, {{n}, {scrambled.out ? columns : rows}}};
}

LocalSize local_size(const std::vector<Dim>& dims, std::int64_t howmany, int ranks, int rank, bool forward,
                     Scrambled scrambled) {
  Cuts cuts = complete(dims, ranks);
  std::int64_t most = 1;
  if (dims.size() > 1 && is_cut_once(cuts.in) && is_cut_once(cuts.out))
    most = between(cuts, std::max<std::int64_t>(1, howmany), ranks);
  else if (dims.size() > 1)  // a cut along any one axis makes real lines whole
    for (const Dim& dim : dims) most = std::max(most, product(cuts.in.extents) / dim.n * default_block(dim.n, ranks));
  if (dims.size() == 1 && howmany >= ranks) most = default_block(dims[0].n * default_block(howmany, ranks), howmany);
  if (dims.size() == 1)
    if (const auto factors = line_factors(dims[0].n, howmany, ranks, forward, scrambled)) {
      cuts = cut_line(dims[0].n, *factors, scrambled);
      most = std::max(factors->row_block * factors->columns, factors->column_block * factors->rows);
    }
  LocalSize size;
  for (Shape* numbers : {&size.in_extent, &size.in_first, &size.out_extent, &size.out_first})
    numbers->resize(dims.size());
  cuts.in.part(rank, size.in_extent.data(), size.in_first.data());
  cuts.out.part(rank, size.out_extent.data(), size.out_first.data());
  size.allocate = howmany * std::max({most, product(size.in_extent), product(size.out_extent)});
  return size;
}

}  // namespace shardfft::compat
