#pragma once
// Pairs of layouts that a conforming exchange must manage, for any number of ranks.
#include <algorithm>
#include <random>

#include "kit.hpp"

namespace shardfft::kit {

/// `ranks` as a product of `axes` near-equal factors, the larger ones first.
inline Shape process_grid(int ranks, std::size_t axes) {
  Shape grid(axes, 1);
  int rest = ranks;
  for (int factor = 2; rest > 1; ++factor)
    for (; rest % factor == 0; rest /= factor) *std::min_element(grid.begin(), grid.end()) *= factor;
  std::sort(grid.rbegin(), grid.rend());
  return grid;
}

/// The same bricks, given to other ranks: rank r owns the brick of rank (r * step + shift) % ranks.
inline Layout shuffled_bricks(const Shape& shape, int ranks, unsigned seed) {
  const Layout bricks = Layout::brick(shape, process_grid(ranks, shape.size()));
  std::vector<int> owner(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) owner[static_cast<std::size_t>(r)] = r;
  std::mt19937 random(seed);
  std::shuffle(owner.begin(), owner.end(), random);
  std::vector<IndexSet> sets;
  for (const int r : owner) sets.push_back(bricks.local(r));
  return Layout::boxes(shape, std::move(sets));
}

/// Two pieces a rank: slab r of the lower half and slab ranks - 1 - r of the upper half of axis 0.
inline Layout two_pieces(const Shape& shape, int ranks) {
  const Shape plain = shape;
  return Layout::from_pieces(shape, ranks, [plain, ranks](int rank) {
    const std::int64_t half = plain[0] / 2;
    std::vector<Piece> pieces;
    std::int64_t offset = 0;
    for (int upper = 0; upper < 2; ++upper) {
      Progression part = block_part(upper == 0 ? half : plain[0] - half, ranks, upper == 0 ? rank : ranks - 1 - rank);
      part.first += upper == 0 ? 0 : half;
      Shape low(plain.size(), 0);
      Shape high = plain;
      low[0] = part.first;
      high[0] = part.first + part.count;
      Piece piece;
      piece.set = box(low, high);
      piece.offset = offset;
      std::int64_t stride = 1;
      for (std::size_t a = plain.size(); a-- > 0;) {
        piece.stride[a] = stride;
        stride *= piece.set.axis[a].count;
      }
      offset += piece.set.count();
      if (!piece.set.empty()) pieces.push_back(piece);
    }
    return pieces;
  });
}

inline std::vector<Case> cases(int p) {
  const Shape uneven{7, 9, 5};
  const Shape tiny{3, 2, 2};
  const Shape even{16, 16, 8};
  const Shape flat{19, 23};
  std::vector<Case> all;
  const auto add = [&all](const char* name, const Layout& from, const Layout& to) { all.push_back({name, from, to}); };
  add("even slabs", Layout::slab(even, p, 0), Layout::slab(even, p, 1));
  add("uneven slabs", Layout::slab(uneven, p, 0), Layout::slab(uneven, p, 1));
  add("slabs, permuted order", Layout::slab(uneven, p, 0), Layout::slab(uneven, p, 2, {2, 1, 0}));
  add("more ranks than planes", Layout::slab(tiny, p, 0), Layout::slab(tiny, p, 2));
  add("same layout", Layout::slab(uneven, p, 0), Layout::slab(uneven, p, 0));
  add("one owner to slabs", Layout::single(uneven, p, p - 1), Layout::slab(uneven, p, 0));
  add("slabs to one owner", Layout::slab(uneven, p, 1), Layout::single(uneven, p, 0, {1, 2, 0}));
  add("one owner to another", Layout::single(uneven, p, 0), Layout::single(uneven, p, p / 2));
  add("cyclic to bricks", Layout::cyclic(uneven, process_grid(p, 3)), Layout::brick(uneven, process_grid(p, 3)));
  add("cyclic to slabs, permuted", Layout::cyclic(flat, process_grid(p, 2)), Layout::slab(flat, p, 1, {1, 0}));
  add("shuffled bricks", shuffled_bricks(uneven, p, 1), shuffled_bricks(uneven, p, 2));
  add("bricks to pencils", Layout::brick(even, process_grid(p, 3), {1, 2, 0}),
      Layout::pencil(even, process_grid(p, 2)));
  add("two pieces a rank", two_pieces(uneven, p), Layout::slab(uneven, p, 0));
  add("to two pieces a rank", Layout::slab(uneven, p, 1), two_pieces(uneven, p));
  add("batch", Layout::slab(uneven, p, 0).with_batch(3), Layout::slab(uneven, p, 1).with_batch(3));
  add("one dimension", Layout::slab({29}, p, 0), Layout::cyclic({29}, {p}));
  return all;
}

inline std::vector<Case> cases() { return cases(world().size()); }

/// All cases, or every second one where ranks are many and cores few: for tests that vary something else.
inline std::vector<Case> some_cases() {
  const std::vector<Case> all = cases();
  std::vector<Case> some;
  for (std::size_t i = 0; i<all.size(); i += world().size()> 3 ? 2 : 1) some.push_back(all[i]);
  return some;
}

}  // namespace shardfft::kit
