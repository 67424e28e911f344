#pragma once
// How lines come into the lanes of vectors and out of them again: side by side, each contiguous, or in any other way.
#include "local/lanes_passes.hpp"

namespace shardfft::lanes {

template <class Isa>
struct LaneLines : LanePasses<Isa> {
  using Base = LanePasses<Isa>;
  using Base::W, Base::load, Base::store;
  using typename Base::BesideIn, typename Base::Point, typename Base::T, typename Base::V;

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

  /// `numbers` of each of the first `count` lines, which are contiguous; the rest of the W rows is zero.
  template <bool full>
  [[gnu::always_inline]] static void load_rows(V* rows, const T* p, std::int64_t distance, int count, int numbers) {
    for (int l = 0; l < W; ++l)
      if constexpr (full)
        rows[l] = load(p + l * distance);
      else
        rows[l] = l < count ? Isa::load_first(p + l * distance, numbers) : V{};
  }
  template <bool full>
  [[gnu::always_inline]] static void store_rows(T* p, const V* rows, std::int64_t distance, int count, int numbers) {
    for (int l = 0; l < W; ++l)
      if constexpr (full)
        store(p + l * distance, rows[l]);
      else if (l < count)
        Isa::store_first(p + l * distance, rows[l], numbers);
  }

  /// Contiguous lines in blocks of W numbers: block(whether all W lines have W numbers in it, first number, numbers).
  template <class Block>
  static void for_each_block(int count, std::int64_t numbers, const Block& block) {
    std::int64_t k = 0;
    if (count == W)
      for (; k + W <= numbers; k += W) block(Truth<true>{}, k, W);
    for (; k < numbers; k += W) block(Truth<false>{}, k, static_cast<int>(numbers - k < W ? numbers - k : W));
  }

  /// The first `count` lanes of n complex points; others are zero. put(k, point) takes them in order.
  template <class Put>
  static void read_complex(const T* in, const Lines& lines, int count, std::int64_t n, const Put& put) {
    if (lines.distance == 1 && count == W) {
      const BesideIn beside{in, 2 * lines.stride};
      for (std::int64_t k = 0; k < n; ++k) put(k, beside.get(k));
    } else if (lines.distance == 1) {
      const int low = 2 * count < W ? 2 * count : W, high = 2 * count - low;
      for (std::int64_t k = 0; k < n; ++k) {
        const T* const p = in + 2 * k * lines.stride;
        put(k, Base::parted(Isa::load_first(p, low), Isa::load_first(p + W, high), Lanes<W>{}));
      }
    } else if (lines.stride == 1) {
      for_each_block(count, 2 * n, [&](auto full, std::int64_t k, int numbers) {
        V rows[W];
        load_rows<full.value>(rows, in + k, 2 * lines.distance, count, numbers);
        transpose(rows);
        for (int i = 0; 2 * i < numbers; ++i) put(k / 2 + i, Point{rows[2 * i], rows[2 * i + 1]});
      });
    } else {
      for (std::int64_t k = 0; k < n; ++k) {
        Point a{V{}, V{}};
        for (int l = 0; l < count; ++l) {
          const T* const p = in + 2 * (l * lines.distance + k * lines.stride);
          a.re[l] = p[0];
          a.im[l] = p[1];
        }
        put(k, a);
      }
    }
  }
  /// get(k) gives them.
  template <class Get>
  static void write_complex(T* out, const Lines& lines, int count, std::int64_t n, const Get& get) {
    if (lines.distance == 1) {
      const int low = 2 * count < W ? 2 * count : W, high = 2 * count - low;
      for (std::int64_t k = 0; k < n; ++k) {
        const Point a = get(k);
        T* const p = out + 2 * k * lines.stride;
        const V first = Base::low_joined(a, Lanes<W>{}), second = Base::high_joined(a, Lanes<W>{});
        if (count == W) {
          store(p, first);
          store(p + W, second);
        } else {
          Isa::store_first(p, first, low);
          Isa::store_first(p + W, second, high);
        }
      }
    } else if (lines.stride == 1) {
      for_each_block(count, 2 * n, [&](auto full, std::int64_t k, int numbers) {
        V rows[W];
        for (int i = 0; 2 * i < W; ++i) {
          const bool some = full.value || 2 * i < numbers;
          const Point a = some ? get(k / 2 + i) : Point{V{}, V{}};
          rows[2 * i] = a.re;
          rows[2 * i + 1] = a.im;
        }
        transpose(rows);
        store_rows<full.value>(out + k, rows, 2 * lines.distance, count, numbers);
      });
    } else {
      for (std::int64_t k = 0; k < n; ++k) {
        const Point a = get(k);
        for (int l = 0; l < count; ++l) {
          T* const p = out + 2 * (l * lines.distance + k * lines.stride);
          p[0] = a.re[l];
          p[1] = a.im[l];
        }
      }
    }
  }

  /// The same of real points; put(k, numbers).
  template <class Put>
  static void read_real(const T* in, const Lines& lines, int count, std::int64_t n, const Put& put) {
    if (lines.distance == 1) {
      for (std::int64_t k = 0; k < n; ++k) {
        const T* const p = in + k * lines.stride;
        put(k, count == W ? load(p) : Isa::load_first(p, count));
      }
    } else if (lines.stride == 1) {
      for_each_block(count, n, [&](auto full, std::int64_t k, int numbers) {
        V rows[W];
        load_rows<full.value>(rows, in + k, lines.distance, count, numbers);
        transpose(rows);
        for (int i = 0; i < numbers; ++i) put(k + i, rows[i]);
      });
    } else {
      for (std::int64_t k = 0; k < n; ++k) {
        V a{};
        for (int l = 0; l < count; ++l) a[l] = in[l * lines.distance + k * lines.stride];
        put(k, a);
      }
    }
  }
  template <class Get>
  static void write_real(T* out, const Lines& lines, int count, std::int64_t n, const Get& get) {
    if (lines.distance == 1) {
      for (std::int64_t k = 0; k < n; ++k) {
        T* const p = out + k * lines.stride;
        if (count == W)
          store(p, get(k));
        else
          Isa::store_first(p, get(k), count);
      }
    } else if (lines.stride == 1) {
      for_each_block(count, n, [&](auto full, std::int64_t k, int numbers) {
        V rows[W];
        for (int i = 0; i < W; ++i) rows[i] = full.value || i < numbers ? get(k + i) : V{};
        transpose(rows);
        store_rows<full.value>(out + k, rows, lines.distance, count, numbers);
      });
    } else {
      for (std::int64_t k = 0; k < n; ++k) {
        const V a = get(k);
        for (int l = 0; l < count; ++l) out[l * lines.distance + k * lines.stride] = a[l];
      }
    }
  }
};

}  // namespace shardfft::lanes
