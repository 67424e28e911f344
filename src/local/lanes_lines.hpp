#pragma once
// Reads lines into the lanes of vectors and writes them back: lines side by side, or each in a place of its own.
#include "local/lanes_passes.hpp"

namespace shardfft::lanes {

/// The order of lines in the lanes keeps every number within its 128 bits: points of W lines that lie side by side are
/// two vectors, a and b; of each 128 bits of these the real parts, those of a first, are 128 bits of the real parts.
template <class Isa>
struct LaneLines : LanePasses<Isa> {
  using Base = LanePasses<Isa>;
  using Base::W, Base::load, Base::store;
  using typename Base::Point, typename Base::T, typename Base::V;

  static constexpr int entries = 16 / sizeof(T);  ///< of 128 bits
  static constexpr int half = entries / 2;

  /// The lane that has line l.
  static constexpr int lane_of(int l) {
    const int of_b = l / (W / 2), at = l % (W / 2);
    return at / half * entries + of_b * half + at % half;
  }
  static constexpr int line_in(int lane) {
    const int part = lane / entries, at = lane % entries;
    return at / half * (W / 2) + part * half + at % half;
  }
  template <int... I>
  [[gnu::always_inline]] static Point parted(const V& a, const V& b, Sequence<I...>) {
    return {__builtin_shufflevector(a, b, (line_in(I) / (W / 2) * W + 2 * (line_in(I) % (W / 2)))...),
            __builtin_shufflevector(a, b, (line_in(I) / (W / 2) * W + 2 * (line_in(I) % (W / 2)) + 1)...)};
  }
  /// The points of W / 2 lines, from line `first` on.
  template <int first, int... I>
  [[gnu::always_inline]] static V joined(const Point& p, Sequence<I...>) {
    return __builtin_shufflevector(p.re, p.im, (lane_of(first + I / 2) + (I % 2) * W)...);
  }
  /// Numbers of lines 0 to W - 1 in the order of lanes, and back.
  template <int... I>
  [[gnu::always_inline]] static V to_lanes(const V& v, Sequence<I...>) {
    return __builtin_shufflevector(v, v, line_in(I)...);
  }
  template <int... I>
  [[gnu::always_inline]] static V to_lines(const V& v, Sequence<I...>) {
    return __builtin_shufflevector(v, v, lane_of(I)...);
  }

  /// Up to W lines of one array, with the offset of each, in points.
  struct Places {
    std::int64_t stride;    ///< of points
    std::int64_t distance;  ///< of lines, if all are in one row
    bool one_row;
    int count = 0;
    std::int64_t begin[W];

    Places(const Lines& lines, std::int64_t row, std::int64_t first, int lines_here)
        : stride(lines.stride), distance(lines.distance), one_row(true), count(lines_here) {
      std::int64_t in_row = first % row, at = first / row * lines.rows + in_row * distance;
      for (int l = 0; l < count; ++l, at += distance, ++in_row) {
        if (in_row == row) {
          at += lines.rows - row * distance;
          in_row = 0;
          one_row = false;
        }
        begin[l] = at;
      }
    }
    [[gnu::always_inline]] bool all_beside() const { return one_row && count == W && distance == 1; }
  };

  /// Contiguous lines are read and written in blocks of W numbers, which are transposed, or in pairs, which the first
  /// pass reads and the last one writes directly. Pairs take too many loads and stores if a vector holds many. Pairs of
  /// long lines (above `most` bytes) share few sets of the first-level cache, and are evicted before a cache line is
  /// full.
  static constexpr bool has_pairs = W <= 4, has_blocks = sizeof(V) > 16;
  static constexpr std::int64_t most_read_in_pairs = 32 * 1024, most_written_in_pairs = 16 * 1024;
  [[gnu::always_inline]] static bool in_pairs(std::int64_t n, std::int64_t most) {
    return has_pairs && (!has_blocks || n * std::int64_t{sizeof(Point)} <= most);
  }
  [[gnu::always_inline]] static bool are_rows(const Places& lines) { return lines.stride == 1 && lines.distance != 1; }

  /// For two rows S apart: the blocks of S beside the diagonal change places. Returns the first row, or the other one
  /// if `beyond` is S.
  template <int S, int beyond, int... I>
  [[gnu::always_inline]] static V exchanged(const V& a, const V& b, Sequence<I...>) {
    return __builtin_shufflevector(a, b, ((I & S ? W - S : 0) + I + beyond)...);
  }
  /// W rows of W numbers.
  template <int S = W / 2>
  [[gnu::always_inline]] static void transpose(V* rows) {
    for (int r = 0; r < W; ++r) {
      if (r & S) continue;
      const V a = rows[r], b = rows[r + S];
      rows[r] = exchanged<S, 0>(a, b, Lanes<W>{});
      rows[r + S] = exchanged<S, S>(a, b, Lanes<W>{});
    }
    if constexpr (S > 1) transpose<S / 2>(rows);
  }
  /// Calls block(whether all W lines have W numbers in it, first number, numbers).
  template <class Block>
  static void for_each_block(int count, std::int64_t numbers, const Block& block) {
    std::int64_t k = 0;
    if (count == W)
      for (; k + W <= numbers; k += W) block(Number<1>{}, k, W);
    for (; k < numbers; k += W) block(Number<0>{}, k, static_cast<int>(numbers - k < W ? numbers - k : W));
  }
  /// The first number of each lane's line; `parts` numbers a point. Lanes without a line use the first one.
  template <class Number>
  struct Begins {
    Number* line[W];
    Begins(Number* array, const Places& lines, int parts) {
      for (int i = 0; i < W; ++i) line[i] = array + parts * lines.begin[line_in(i) < lines.count ? line_in(i) : 0];
    }
  };
  /// put(k, pair) takes pair k of each line's numbers; the partner of a single last number is zero.
  template <class Put>
  static void read_rows(const T* in, const Places& lines, int parts, std::int64_t numbers, const Put& put) {
    const Begins<const T> from(in, lines, parts);
    for_each_block(lines.count, numbers, [&](auto full, std::int64_t k, int here) {
      V rows[W];
      for (int i = 0; i < W; ++i)
        if constexpr (full.value)
          rows[i] = Base::load(from.line[i] + k);
        else
          rows[i] = Isa::load_masked(V{}, from.line[i] + k, Isa::mask(0, here));
      transpose(rows);
      for (int i = 0; 2 * i < here; ++i) put(k / 2 + i, Point{rows[2 * i], rows[2 * i + 1]});
    });
  }
  /// get(k) returns such a pair. Without unrolling, GCC would take the rows through memory.
  template <class Get>
  static void write_rows(T* out, const Places& lines, int parts, std::int64_t numbers, const Get& get) {
    const Begins<T> to(out, lines, parts);
    for_each_block(lines.count, numbers, [&](auto full, std::int64_t k, int here) {
      V rows[W]{};
      for (int i = 0; 2 * i < here; ++i) {
        const Point a = get(k / 2 + i);
        rows[2 * i] = a.re;
        rows[2 * i + 1] = a.im;
      }
      transpose(rows);
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i)
        if constexpr (full.value)
          Base::store(to.line[i] + k, rows[i]);
        else if (line_in(i) < lines.count)
          Isa::store_masked(to.line[i] + k, rows[i], Isa::mask(0, here));
    });
  }

  // The types below read points with get(k), or write them with put(k, point). k counts points of complex lines, and
  // pairs of numbers of real ones. The last pair of a line of odd length is a single number.

  struct Beside {
    T* array;
    std::int64_t step;
    Beside(T* a, const Places& lines) : array(a + 2 * lines.begin[0]), step(2 * lines.stride) {}
    [[gnu::always_inline]] Point get(std::int64_t k) const {
      const T* const p = array + k * step;
      return parted(load(p), load(p + W), Lanes<W>{});
    }
    [[gnu::always_inline]] void put(std::int64_t k, const Point& a) const {
      T* const p = array + k * step;
      store(p, joined<0>(a, Lanes<W>{}));
      store(p + W, joined<W / 2>(a, Lanes<W>{}));
    }
  };

  /// Lines of which only some lie side by side: those of a row are a span of memory, with `parts` numbers a line. The
  /// spans together are the entries of `parts` vectors.
  template <int parts>
  class Spans {
   public:
    explicit Spans(const Places& lines) {
      for (int first = 0; first < lines.count;) {
        int end = first + 1;
        while (end < lines.count && lines.begin[end] == lines.begin[end - 1] + 1) ++end;
        for (int v = 0; v < parts; ++v) add(v, parts * first, parts * end, parts * lines.begin[first]);
        first = end;
      }
    }
    [[gnu::always_inline]] V load_vector(const T* p, int v) const {
      V numbers{};
      for (int i = 0; i < count_[v]; ++i) numbers = Isa::load_masked(numbers, p + at_[v][i], mask_[v][i]);
      return numbers;
    }
    [[gnu::always_inline]] void store_vector(T* p, const V& numbers, int v) const {
      for (int i = 0; i < count_[v]; ++i) Isa::store_masked(p + at_[v][i], numbers, mask_[v][i]);
    }

   private:
    /// Numbers `first` to `end` of all vectors are in memory from `place` on: adds vector v's share of them.
    void add(int v, int first, int end, std::int64_t place) {
      const int from = first > v * W ? first : v * W, to = end < (v + 1) * W ? end : (v + 1) * W;
      if (from >= to) return;
      at_[v][count_[v]] = place - first + v * W;
      mask_[v][count_[v]++] = Isa::mask(from - v * W, to - from);
    }

    int count_[parts] = {};
    std::int64_t at_[parts][W];  ///< the place of the vector's first entry
    typename Isa::Mask mask_[parts][W];
  };
  struct SpansOf {
    T* array;
    std::int64_t step;
    Spans<2> spans;
    SpansOf(T* a, const Places& lines) : array(a), step(2 * lines.stride), spans(lines) {}
    [[gnu::always_inline]] Point get(std::int64_t k) const {
      const T* const p = array + k * step;
      return parted(spans.load_vector(p, 0), spans.load_vector(p, 1), Lanes<W>{});
    }
    [[gnu::always_inline]] void put(std::int64_t k, const Point& a) const {
      T* const p = array + k * step;
      spans.store_vector(p, joined<0>(a, Lanes<W>{}), 0);
      spans.store_vector(p, joined<W / 2>(a, Lanes<W>{}), 1);
    }
  };

  /// Numbers from one pair to the next: of contiguous lines, and of others.
  struct Dense {
    static constexpr std::int64_t numbers = 2;
  };
  struct Apart {
    std::int64_t numbers;
  };

  /// Two numbers of each line, for lines anywhere in memory. Lanes without a line read the first one, and write
  /// nothing. `all`: every lane has a line.
  template <bool all, class Step>
  struct Rows {
    T* line[W];
    Step step;
    int count;
    /// `parts` numbers a point; `step` numbers from one pair to the next.
    Rows(T* array, const Places& lines, int parts, Step step_of_pairs) : step(step_of_pairs), count(lines.count) {
      for (int l = 0; l < W; ++l) line[l] = array + parts * lines.begin[l < count ? l : 0];
    }
    [[gnu::always_inline]] Point get(std::int64_t k) const {
      return parted(V(piece<0, W / 2>(k * step.numbers)), V(piece<W / 2, W / 2>(k * step.numbers)), Lanes<W>{});
    }
    [[gnu::always_inline]] V number(std::int64_t k) const {
      V a;
      for (int l = 0; l < W; ++l) a[lane_of(l)] = line[l][k * step.numbers / 2];
      return a;
    }
    [[gnu::always_inline]] void put(std::int64_t k, const Point& a) const {
      scatter<0>(joined<0>(a, Lanes<W>{}), k * step.numbers);
      scatter<W / 2>(joined<W / 2>(a, Lanes<W>{}), k * step.numbers);
    }
    [[gnu::always_inline]] void put_number(std::int64_t k, const V& a) const {
      for (int l = 0; l < W; ++l)
        if (all || l < count) line[l][k * step.numbers / 2] = a[lane_of(l)];
    }

   private:
    /// The numbers of `lines` lines, as doubles.
    template <int first, int lines>
    [[gnu::always_inline]] auto piece(std::int64_t at) const {
      using Doubles = typename VectorOf<double, 2 * lines * sizeof(T) / 8>::type;
      if constexpr (lines > half) {
        return joined_halves(piece<first, lines / 2>(at), piece<first + lines / 2, lines / 2>(at),
                             Lanes<2 * lines * sizeof(T) / 8>{});
      } else if constexpr (lines == 1) {
        Doubles numbers;
        __builtin_memcpy(&numbers, line[first] + at, sizeof(numbers));
        return numbers;
      } else {
        double one, two;
        __builtin_memcpy(&one, line[first] + at, sizeof(one));
        __builtin_memcpy(&two, line[first + 1] + at, sizeof(two));
        return Doubles{one, two};
      }
    }
    template <class D, int... I>
    [[gnu::always_inline]] static auto joined_halves(const D& a, const D& b, Sequence<I...>) {
      return __builtin_shufflevector(a, b, I...);
    }
    /// Writes the pairs of W / 2 lines.
    template <int first>
    [[gnu::always_inline]] void scatter(const V& pairs, std::int64_t at) const {
      for (int l = 0; l < W / 2; ++l)
        if (all || first + l < count)
          __builtin_memcpy(line[first + l] + at, reinterpret_cast<const T*>(&pairs) + 2 * l, 2 * sizeof(T));
    }
  };

  /// Real lines that lie side by side.
  struct RealBeside {
    T* array;
    std::int64_t stride;
    RealBeside(T* a, const Places& lines) : array(a + lines.begin[0]), stride(lines.stride) {}
    [[gnu::always_inline]] V number(std::int64_t k) const { return to_lanes(load(array + k * stride), Lanes<W>{}); }
    [[gnu::always_inline]] void put_number(std::int64_t k, const V& a) const {
      store(array + k * stride, to_lines(a, Lanes<W>{}));
    }
  };
  /// Real lines of which only some lie side by side.
  struct RealSpans : RealBeside {
    Spans<1> spans;
    RealSpans(T* a, const Places& lines) : RealBeside{a, lines}, spans(lines) { this->array = a; }
    [[gnu::always_inline]] V number(std::int64_t k) const {
      return to_lanes(spans.load_vector(this->array + k * this->stride, 0), Lanes<W>{});
    }
    [[gnu::always_inline]] void put_number(std::int64_t k, const V& a) const {
      spans.store_vector(this->array + k * this->stride, to_lines(a, Lanes<W>{}), 0);
    }
  };
  template <class Numbers>
  struct PairsOf : Numbers {
    [[gnu::always_inline]] Point get(std::int64_t k) const { return {this->number(2 * k), this->number(2 * k + 1)}; }
    [[gnu::always_inline]] void put(std::int64_t k, const Point& a) const {
      this->put_number(2 * k, a.re);
      this->put_number(2 * k + 1, a.im);
    }
  };

  /// Calls use() with a reader of complex lines or, if `writes`, a writer.
  template <bool writes, class Use>
  static void with_points(T* array, const Places& lines, const Use& use) {
    if (lines.all_beside()) return use(Beside(array, lines));
    if (lines.distance == 1) return use(SpansOf(array, lines));
    if (lines.stride != 1) return use(Rows<false, Apart>(array, lines, 2, {2 * lines.stride}));
    with_rows<writes>(array, lines, 2, use);
  }
  /// The same for real lines.
  template <bool writes, class Use>
  static void with_numbers(T* array, const Places& lines, const Use& use) {
    if (lines.all_beside()) return use(PairsOf<RealBeside>{{array, lines}});
    if (lines.distance == 1) return use(PairsOf<RealSpans>{{array, lines}});
    if (lines.stride != 1) return use(PairsOf<Rows<false, Apart>>{{array, lines, 1, {2 * lines.stride}}});
    with_rows<writes>(array, lines, 1, use);
  }
  template <bool writes, class Use>
  static void with_rows(T* array, const Places& lines, int parts, const Use& use) {
    if constexpr (writes)
      if (lines.count == W) return use(Rows<true, Dense>(array, lines, parts, {}));
    use(Rows<false, Dense>(array, lines, parts, {}));
  }
};

}  // namespace shardfft::lanes
