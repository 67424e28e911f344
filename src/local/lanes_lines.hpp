#pragma once
// How lines come into the lanes of vectors and out of them again: side by side, each contiguous, or in any other way.
#include "local/lanes_passes.hpp"

namespace shardfft::lanes {

template <class Isa>
struct LaneLines : LanePasses<Isa> {
  using Base = LanePasses<Isa>;
  using Base::W, Base::load, Base::store;
  using typename Base::BesideIn, typename Base::Point, typename Base::T, typename Base::V;
  using Part = typename Isa::Part;  ///< some numbers of a vector

  /// Up to W lines of one array: where each begins, in points.
  struct Places {
    std::int64_t stride;    ///< of points
    std::int64_t distance;  ///< of lines, where all are of one row
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

  /// Of two rows S apart: blocks of S beside the diagonal change places.
  template <int S, int... I>
  [[gnu::always_inline]] static V upper_blocks(const V& a, const V& b, Sequence<I...>) {
    return __builtin_shufflevector(a, b, ((I & S) ? W + (I - S) : I)...);
  }
  template <int S, int... I>
  [[gnu::always_inline]] static V lower_blocks(const V& a, const V& b, Sequence<I...>) {
    return __builtin_shufflevector(a, b, ((I & S) ? W + I : I + S)...);
  }
  /// W rows of W numbers.
  template <int S = W / 2>
  [[gnu::always_inline]] static void transpose(V* rows) {
    for (int r = 0; r < W; ++r) {
      if (r & S) continue;
      const V a = rows[r], b = rows[r + S];
      rows[r] = upper_blocks<S>(a, b, Lanes<W>{});
      rows[r + S] = lower_blocks<S>(a, b, Lanes<W>{});
    }
    if constexpr (S > 1) transpose<S / 2>(rows);
  }

  /// Numbers of lines that lie side by side, `parts` of them a line, which are the entries of `parts` vectors: those of
  /// a row of lines are a span of memory each.
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
      for (int i = 0; i < count_[v]; ++i) numbers = Isa::load_part(numbers, p + at_[v][i], part_[v][i]);
      return numbers;
    }
    [[gnu::always_inline]] void store_vector(T* p, const V& numbers, int v) const {
      for (int i = 0; i < count_[v]; ++i) Isa::store_part(p + at_[v][i], numbers, part_[v][i]);
    }

   private:
    /// Numbers `first` to `end` of all vectors lie from `place` on: what vector v has of them.
    void add(int v, int first, int end, std::int64_t place) {
      const int from = first > v * W ? first : v * W, to = end < (v + 1) * W ? end : (v + 1) * W;
      if (from >= to) return;
      at_[v][count_[v]] = place - first + v * W;
      part_[v][count_[v]++] = Isa::part(from - v * W, to - from);
    }

    int count_[parts] = {};
    std::int64_t at_[parts][W];  ///< where the vector would begin
    Part part_[parts][W];
  };

  /// `numbers` of each of the lines, which are contiguous, from their number k on; what is missing in W rows is zero.
  template <bool full, int parts>
  [[gnu::always_inline]] static void load_rows(V* rows, const T* p, const Places& lines, int numbers) {
    for (int l = 0; l < W; ++l)
      if constexpr (full)
        rows[l] = load(p + parts * lines.begin[l]);
      else
        rows[l] = l < lines.count ? Isa::load_part(V{}, p + parts * lines.begin[l], Isa::part(0, numbers)) : V{};
  }
  template <bool full, int parts>
  [[gnu::always_inline]] static void store_rows(T* p, const V* rows, const Places& lines, int numbers) {
    for (int l = 0; l < W; ++l)
      if constexpr (full)
        store(p + parts * lines.begin[l], rows[l]);
      else if (l < lines.count)
        Isa::store_part(p + parts * lines.begin[l], rows[l], Isa::part(0, numbers));
  }

  /// Contiguous lines in blocks of W numbers: block(whether all W lines have W numbers in it, first number, numbers).
  template <class Block>
  static void for_each_block(int count, std::int64_t numbers, const Block& block) {
    std::int64_t k = 0;
    if (count == W)
      for (; k + W <= numbers; k += W) block(Truth<true>{}, k, W);
    for (; k < numbers; k += W) block(Truth<false>{}, k, static_cast<int>(numbers - k < W ? numbers - k : W));
  }

  /// n complex points of each line; lanes without a line are zero. put(k, point) takes them in order.
  template <class Put>
  static void read_complex(const T* in, const Places& lines, std::int64_t n, const Put& put) {
    if (lines.all_beside()) {
      const BesideIn beside{in + 2 * lines.begin[0], 2 * lines.stride};
      for (std::int64_t k = 0; k < n; ++k) put(k, beside.get(k));
    } else if (lines.distance == 1) {
      const Spans<2> spans(lines);
      for (std::int64_t k = 0; k < n; ++k) {
        const T* const p = in + 2 * k * lines.stride;
        put(k, Base::parted(spans.load_vector(p, 0), spans.load_vector(p, 1), Lanes<W>{}));
      }
    } else if (lines.stride == 1) {
      for_each_block(lines.count, 2 * n, [&](auto full, std::int64_t k, int numbers) {
        V rows[W];
        load_rows<full.value, 2>(rows, in + k, lines, numbers);
        transpose(rows);
        for (int i = 0; 2 * i < numbers; ++i) put(k / 2 + i, Point{rows[2 * i], rows[2 * i + 1]});
      });
    } else {
      for (std::int64_t k = 0; k < n; ++k) {
        Point a{V{}, V{}};
        for (int l = 0; l < lines.count; ++l) {
          const T* const p = in + 2 * (lines.begin[l] + k * lines.stride);
          a.re[l] = p[0];
          a.im[l] = p[1];
        }
        put(k, a);
      }
    }
  }
  /// get(k) gives them.
  template <class Get>
  static void write_complex(T* out, const Places& lines, std::int64_t n, const Get& get) {
    if (lines.all_beside()) {
      T* p = out + 2 * lines.begin[0];
      for (std::int64_t k = 0; k < n; ++k, p += 2 * lines.stride) {
        const Point a = get(k);
        store(p, Base::low_joined(a, Lanes<W>{}));
        store(p + W, Base::high_joined(a, Lanes<W>{}));
      }
    } else if (lines.distance == 1) {
      const Spans<2> spans(lines);
      for (std::int64_t k = 0; k < n; ++k) {
        const Point a = get(k);
        T* const p = out + 2 * k * lines.stride;
        spans.store_vector(p, Base::low_joined(a, Lanes<W>{}), 0);
        spans.store_vector(p, Base::high_joined(a, Lanes<W>{}), 1);
      }
    } else if (lines.stride == 1) {
      for_each_block(lines.count, 2 * n, [&](auto full, std::int64_t k, int numbers) {
        V rows[W];
        for (int i = 0; 2 * i < W; ++i) {
          const Point a = full.value || 2 * i < numbers ? get(k / 2 + i) : Point{V{}, V{}};
          rows[2 * i] = a.re;
          rows[2 * i + 1] = a.im;
        }
        transpose(rows);
        store_rows<full.value, 2>(out + k, rows, lines, numbers);
      });
    } else {
      for (std::int64_t k = 0; k < n; ++k) {
        const Point a = get(k);
        for (int l = 0; l < lines.count; ++l) {
          T* const p = out + 2 * (lines.begin[l] + k * lines.stride);
          p[0] = a.re[l];
          p[1] = a.im[l];
        }
      }
    }
  }

  /// The same of real points; put(k, numbers).
  template <class Put>
  static void read_real(const T* in, const Places& lines, std::int64_t n, const Put& put) {
    if (lines.all_beside()) {
      const T* p = in + lines.begin[0];
      for (std::int64_t k = 0; k < n; ++k, p += lines.stride) put(k, load(p));
    } else if (lines.distance == 1) {
      const Spans<1> spans(lines);
      for (std::int64_t k = 0; k < n; ++k) put(k, spans.load_vector(in + k * lines.stride, 0));
    } else if (lines.stride == 1) {
      for_each_block(lines.count, n, [&](auto full, std::int64_t k, int numbers) {
        V rows[W];
        load_rows<full.value, 1>(rows, in + k, lines, numbers);
        transpose(rows);
        for (int i = 0; i < numbers; ++i) put(k + i, rows[i]);
      });
    } else {
      for (std::int64_t k = 0; k < n; ++k) {
        V a{};
        for (int l = 0; l < lines.count; ++l) a[l] = in[lines.begin[l] + k * lines.stride];
        put(k, a);
      }
    }
  }
  template <class Get>
  static void write_real(T* out, const Places& lines, std::int64_t n, const Get& get) {
    if (lines.all_beside()) {
      T* p = out + lines.begin[0];
      for (std::int64_t k = 0; k < n; ++k, p += lines.stride) store(p, get(k));
    } else if (lines.distance == 1) {
      const Spans<1> spans(lines);
      for (std::int64_t k = 0; k < n; ++k) spans.store_vector(out + k * lines.stride, get(k), 0);
    } else if (lines.stride == 1) {
      for_each_block(lines.count, n, [&](auto full, std::int64_t k, int numbers) {
        V rows[W];
        for (int i = 0; i < W; ++i) rows[i] = full.value || i < numbers ? get(k + i) : V{};
        transpose(rows);
        store_rows<full.value, 1>(out + k, rows, lines, numbers);
      });
    } else {
      for (std::int64_t k = 0; k < n; ++k) {
        const V a = get(k);
        for (int l = 0; l < lines.count; ++l) out[lines.begin[l] + k * lines.stride] = a[l];
      }
    }
  }
};

}  // namespace shardfft::lanes
