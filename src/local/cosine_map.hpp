#pragma once
// Cosine and sine transforms of n points as a complex Fourier transform between two rounds of butterflies, each of two
// numbers at most. Plain arithmetic, for processors, for kernels and for the stand-in.
//
// All of it is linear over the complex numbers, so that one complex line carries two real ones, for any n:
// - II, after Makhoul (1980): even points forward, then odd ones backward, n points; V[k], V[n - k] make k and n - k.
// - III: the same turned round.
// - IV, n even: z[2m] and z[n - 1 - 2m] make a point each of two lines of n/2 points.
// - IV, n odd, after Heideman (1992): every fourth point of the line's extension, n points, and eighth roots of one.
// - I: the even (DCT, 2(n - 1) points) or odd (DST, 2(n + 1) points) extension.
// Sine transforms II to IV are cosine transforms with a side reversed and the signs of the other one alternating.
#include <cstdint>

#include "shardfft/types.hpp"

namespace shardfft::cosine_map {

/// out[o] = sum over i of i^quarter[o][i] e^turn[o][i] in[i], with e = exp(i pi angle / half_turn). -1: there is none.
struct CosineUnit {
  std::int64_t in[2] = {-1, -1}, out[2] = {-1, -1};
  int quarter[2][2] = {}, turn[2][2] = {};
  std::int64_t angle = 0, half_turn = 1;
};

constexpr bool is_sine(AxisTransform type) { return type >= AxisTransform::dst1; }
constexpr bool is_type(AxisTransform type, AxisTransform cosine, AxisTransform sine) {
  return type == cosine || type == sine;
}
constexpr bool is_type1(AxisTransform t) { return is_type(t, AxisTransform::dct1, AxisTransform::dst1); }
constexpr bool is_type2(AxisTransform t) { return is_type(t, AxisTransform::dct2, AxisTransform::dst2); }
constexpr bool is_type3(AxisTransform t) { return is_type(t, AxisTransform::dct3, AxisTransform::dst3); }

/// The Fourier transforms of one line: how many, of how many points. The second follows the first.
constexpr std::int64_t fourier_lines(AxisTransform type, std::int64_t n) {
  return is_type1(type) || is_type2(type) || is_type3(type) || n % 2 != 0 ? 1 : 2;
}
constexpr std::int64_t fourier_points(AxisTransform type, std::int64_t n) {
  if (type == AxisTransform::dct1) return 2 * (n - 1);
  if (type == AxisTransform::dst1) return 2 * (n + 1);
  return n / fourier_lines(type, n);
}
constexpr Direction fourier_direction(AxisTransform type) {
  return is_type3(type) ? Direction::backward : Direction::forward;
}

/// Butterflies from the line to the Fourier transform's input, and from its output to the result.
constexpr std::int64_t units_before(AxisTransform type, std::int64_t n) {
  if (type == AxisTransform::dst1) return n + 1;
  if (is_type3(type)) return n / 2 + 1;
  return n / fourier_lines(type, n);
}
constexpr std::int64_t units_after(AxisTransform type, std::int64_t n) {
  if (is_type1(type) || is_type3(type)) return n;
  return is_type2(type) ? n / 2 + 1 : (n + 1) / 2;
}

/// out = in.
constexpr CosineUnit moved(std::int64_t in, std::int64_t out) {
  CosineUnit unit;
  unit.in[0] = in;
  unit.out[0] = out;
  return unit;
}

/// From two numbers to two.
constexpr CosineUnit crossed(std::int64_t a, std::int64_t b, std::int64_t first, std::int64_t second) {
  CosineUnit unit = moved(a, first);
  unit.in[1] = b;
  unit.out[1] = second;
  return unit;
}

/// (a, b) -> (e a + i^q e b, e* a - i^q e* b).
constexpr CosineUnit crossed_before(std::int64_t a, std::int64_t b, std::int64_t first, std::int64_t second, int q) {
  CosineUnit unit = crossed(a, b, first, second);
  unit.quarter[0][1] = q;
  unit.quarter[1][1] = q + 2;
  unit.turn[0][0] = unit.turn[0][1] = 1;
  unit.turn[1][0] = unit.turn[1][1] = -1;
  return unit;
}

/// (a, b) -> (e* a + e b, i^q e* a + i^-q e b).
constexpr CosineUnit crossed_after(std::int64_t a, std::int64_t b, std::int64_t first, std::int64_t second, int q) {
  CosineUnit unit = crossed(a, b, first, second);
  unit.quarter[1][0] = q;
  unit.quarter[1][1] = -q;
  unit.turn[0][0] = unit.turn[1][0] = -1;
  unit.turn[0][1] = unit.turn[1][1] = 1;
  return unit;
}

/// Point h of an even or odd extension.
constexpr CosineUnit extended(AxisTransform type, std::int64_t n, std::int64_t h) {
  const std::int64_t all = fourier_points(type, n);
  const bool sine = is_sine(type);
  if (sine && h == n) {  // zeroes between the two halves
    CosineUnit unit;
    unit.out[0] = 0;
    unit.out[1] = n + 1;
    return unit;
  }
  CosineUnit unit = moved(h, sine ? h + 1 : h);
  unit.out[1] = sine ? all - 1 - h : h == 0 || h == n - 1 ? -1 : all - h;
  unit.quarter[1][0] = sine ? 2 : 0;
  return unit;
}

/// Every fourth point of the extension of an odd line by u[-1-j] = u[j], u[2n-1-j] = -u[j].
constexpr CosineUnit fourth(std::int64_t n, std::int64_t h) {
  const std::int64_t j = ((n - 1) / 2 + 4 * h) % (4 * n), quarter = j / n;
  const std::int64_t in = quarter == 0 ? j : quarter == 1 ? 2 * n - 1 - j : quarter == 2 ? j - 2 * n : 4 * n - 1 - j;
  CosineUnit unit = moved(in, h);
  unit.quarter[0][0] = quarter == 1 || quarter == 2 ? 2 : 0;
  return unit;
}

constexpr CosineUnit cosine_before(AxisTransform type, std::int64_t n, std::int64_t h) {
  if (is_type1(type)) return extended(type, n, h);
  if (is_type2(type)) return moved(2 * h < n ? 2 * h : 2 * (n - h) - 1, h);
  if (is_type3(type)) {
    const bool alone = h == 0 || 2 * h == n;
    CosineUnit unit = crossed_before(h, h == 0 ? -1 : n - h, h, alone ? -1 : n - h, 3);
    unit.angle = h;
    unit.half_turn = 2 * n;
    return unit;
  }
  if (n % 2 != 0) return fourth(n, h);
  CosineUnit unit = crossed_before(2 * h, n - 1 - 2 * h, h, n / 2 + h, 1);
  unit.angle = -(8 * h + 1);
  unit.half_turn = 8 * n;
  return unit;
}

constexpr CosineUnit cosine_after(AxisTransform type, std::int64_t n, std::int64_t h) {
  if (is_type1(type)) {
    CosineUnit unit = moved(is_sine(type) ? h + 1 : h, h);
    unit.quarter[0][0] = is_sine(type) ? 1 : 0;
    return unit;
  }
  if (is_type3(type)) return moved(h % 2 == 0 ? h / 2 : n - (h + 1) / 2, h);
  if (is_type2(type)) {
    const bool alone = h == 0 || 2 * h == n;
    CosineUnit unit = crossed_after(h, h == 0 ? 0 : n - h, h, alone ? -1 : n - h, 1);
    unit.angle = h;
    unit.half_turn = 2 * n;
    return unit;
  }
  const bool even = n % 2 == 0;
  const std::int64_t points = fourier_points(type, n), a = even ? h : (2 * h + 1) % n;
  const std::int64_t partner = a == 0 ? 0 : points - a;
  CosineUnit unit = even ? crossed_after(a, points + partner, 2 * h, n - 1 - 2 * h, 1)
                         : crossed_after(a, partner, h, 2 * h + 1 == n ? -1 : n - 1 - h, static_cast<int>(n % 4));
  unit.angle = even ? 8 * h + 1 : (2 * h + 1) % 8;
  unit.half_turn = even ? 8 * n : 4;
  return unit;
}

/// The butterfly of a sine transform, as that of a cosine transform with reversed indices and alternating signs.
constexpr CosineUnit before_unit(AxisTransform type, std::int64_t n, std::int64_t h) {
  CosineUnit unit = cosine_before(type, n, h);
  if (!is_sine(type) || is_type1(type)) return unit;
  for (int i = 0; i < 2; ++i) {
    if (unit.in[i] < 0) continue;
    if (!is_type2(type))
      unit.in[i] = n - 1 - unit.in[i];
    else if (unit.in[i] % 2 != 0)
      for (int o = 0; o < 2; ++o) unit.quarter[o][i] += 2;
  }
  return unit;
}
constexpr CosineUnit after_unit(AxisTransform type, std::int64_t n, std::int64_t h) {
  CosineUnit unit = cosine_after(type, n, h);
  if (!is_sine(type) || is_type1(type)) return unit;
  for (int o = 0; o < 2; ++o) {
    if (unit.out[o] < 0) continue;
    if (is_type2(type))
      unit.out[o] = n - 1 - unit.out[o];
    else if (unit.out[o] % 2 != 0)
      for (int i = 0; i < 2; ++i) unit.quarter[o][i] += 2;
  }
  return unit;
}

/// A number of two lines, the second as imaginary part.
template <class T>
struct TwoReals {
  T re = 0, im = 0;
};

/// Output `o` of a butterfly; `e` is exp(i pi angle / half_turn).
template <class T>
constexpr TwoReals<T> output_of(const CosineUnit& unit, int o, const TwoReals<T> (&in)[2], TwoReals<T> e) {
  TwoReals<T> sum;
  for (int i = 0; i < 2; ++i) {
    if (unit.in[i] < 0) continue;
    TwoReals<T> z = in[i];
    if (unit.turn[o][i] != 0) {
      const T im = unit.turn[o][i] > 0 ? e.im : -e.im;
      z = {z.re * e.re - z.im * im, z.re * im + z.im * e.re};
    }
    switch (unit.quarter[o][i] & 3) {
      case 0:
        break;
      case 1:
        z = {-z.im, z.re};
        break;
      case 2:
        z = {-z.re, -z.im};
        break;
      default:
        z = {z.im, -z.re};
        break;
    }
    sum = {sum.re + z.re, sum.im + z.im};
  }
  return sum;
}

}  // namespace shardfft::cosine_map
