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

  /// The first `count` lanes of n complex points; others are zero. put(k, point) takes them in order.
  template <class Put>
  static void read_complex(const T* in, const Lines& lines, int count, std::int64_t n, const Put& put) {
    std::int64_t k = 0;
    if (count == W && lines.distance == 1)
      for (const BesideIn beside{in, 2 * lines.stride}; k < n; ++k) put(k, beside.get(k));
    else if (count == W && lines.stride == 1)
      for (; k + W / 2 <= n; k += W / 2) {
        V rows[W];
        for (int l = 0; l < W; ++l) rows[l] = load(in + 2 * (l * lines.distance + k));
        transpose(rows);
        for (int i = 0; i < W / 2; ++i) put(k + i, Point{rows[2 * i], rows[2 * i + 1]});
      }
    for (; k < n; ++k) {
      Point a{V{}, V{}};
      for (int l = 0; l < count; ++l) {
        const T* const p = in + 2 * (l * lines.distance + k * lines.stride);
        a.re[l] = p[0];
        a.im[l] = p[1];
      }
      put(k, a);
    }
  }
  /// get(k) gives them.
  template <class Get>
  static void write_complex(T* out, const Lines& lines, int count, std::int64_t n, const Get& get) {
    std::int64_t k = 0;
    if (count == W && lines.distance == 1)
      for (; k < n; ++k) {
        const Point a = get(k);
        T* const p = out + 2 * k * lines.stride;
        store(p, Base::low_joined(a, Lanes<W>{}));
        store(p + W, Base::high_joined(a, Lanes<W>{}));
      }
    else if (count == W && lines.stride == 1)
      for (; k + W / 2 <= n; k += W / 2) {
        V rows[W];
        for (int i = 0; i < W / 2; ++i) {
          const Point a = get(k + i);
          rows[2 * i] = a.re;
          rows[2 * i + 1] = a.im;
        }
        transpose(rows);
        for (int l = 0; l < W; ++l) store(out + 2 * (l * lines.distance + k), rows[l]);
      }
    for (; k < n; ++k) {
      const Point a = get(k);
      for (int l = 0; l < count; ++l) {
        T* const p = out + 2 * (l * lines.distance + k * lines.stride);
        p[0] = a.re[l];
        p[1] = a.im[l];
      }
    }
  }

  /// The same of real points; put(k, numbers).
  template <class Put>
  static void read_real(const T* in, const Lines& lines, int count, std::int64_t n, const Put& put) {
    std::int64_t k = 0;
    if (count == W && lines.distance == 1)
      for (; k < n; ++k) put(k, load(in + k * lines.stride));
    else if (count == W && lines.stride == 1)
      for (; k + W <= n; k += W) {
        V rows[W];
        for (int l = 0; l < W; ++l) rows[l] = load(in + l * lines.distance + k);
        transpose(rows);
        for (int i = 0; i < W; ++i) put(k + i, rows[i]);
      }
    for (; k < n; ++k) {
      V a{};
      for (int l = 0; l < count; ++l) a[l] = in[l * lines.distance + k * lines.stride];
      put(k, a);
    }
  }
  template <class Get>
  static void write_real(T* out, const Lines& lines, int count, std::int64_t n, const Get& get) {
    std::int64_t k = 0;
    if (count == W && lines.distance == 1)
      for (; k < n; ++k) store(out + k * lines.stride, get(k));
    else if (count == W && lines.stride == 1)
      for (; k + W <= n; k += W) {
        V rows[W];
        for (int i = 0; i < W; ++i) rows[i] = get(k + i);
        transpose(rows);
        for (int l = 0; l < W; ++l) store(out + l * lines.distance + k, rows[l]);
      }
    for (; k < n; ++k) {
      const V a = get(k);
      for (int l = 0; l < count; ++l) out[l * lines.distance + k * lines.stride] = a[l];
    }
  }
};

}  // namespace shardfft::lanes
