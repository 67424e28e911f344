#pragma once
// The rows of a plane pass: the places of a tile's rows in memory, the rows that make a line of the FFT, and the points
// that a thread reads and writes.
#include "device/cuda/lines/kernel_planes.hpp"
#include "device/cuda/lines/line_sums.cuh"

namespace shardfft::device::lines {

/// Whether the second axis will read a point of a row.
__device__ __forceinline__ bool keeps(const KernelRows& rows, unsigned point) {
  return point - rows.kept_begin < rows.kept_count;
}

/// Stores a point. Points that wait for the second axis stay in the cache; if rows come last, none wait.
template <class V>
__device__ __forceinline__ void store(V* to, V value, bool keep) {
  if (keep)
    *to = value;
  else
    __stcs(to, value);
}

/// Rows of a plane, of which a tile has some lines.
template <class Plane, unsigned InLine>
struct RowsOfPlane {
  static constexpr unsigned count = Plane::Columns::N, in_tile = Plane::lines * InLine;
  /// Whether the last tile has as many as the others.
  static constexpr bool whole = count % in_tile == 0;
  /// Whether the plane has this row.
  static __device__ __forceinline__ bool has(unsigned row) { return whole || row < count; }
};

/// Rows of N numbers as they are fetched into a tile: in whole units of 16 bytes. Odd rows may begin and end within a
/// unit. The rest of these units is fetched too, except behind the last row of an array.
template <unsigned N, unsigned NumberBytes>
struct FetchedRows {
  static constexpr unsigned row_bytes = N * NumberBytes;
  static constexpr bool odd = row_bytes % 16 != 0;
  static constexpr unsigned step = row_bytes % 8 == 0 ? 8 : NumberBytes;  ///< odd rows begin at multiples of this
  /// Room for a row in a tile.
  static constexpr unsigned bytes = odd ? (row_bytes + 16 - step + 15) / 16 * 16 : row_bytes;

  /// Bytes that are fetched before a row at this address.
  static __device__ __forceinline__ unsigned before(unsigned address) { return odd ? address % 16 : 0; }
  /// All bytes that are fetched; `last`: without a unit that the row does not fill.
  static __device__ __forceinline__ unsigned fetched(unsigned address, bool last) {
    return odd ? (before(address) + row_bytes + (last ? 0 : 15)) / 16 * 16 : row_bytes;
  }
};
/// Spectra are fetched in whole units: padding follows a row.
template <unsigned N, unsigned NumberBytes>
struct FetchedSpectra {
  static constexpr bool odd = false;
  static constexpr unsigned bytes = (N * NumberBytes + 15) / 16 * 16;
  static __device__ __forceinline__ unsigned before(unsigned) { return 0; }
  static __device__ __forceinline__ unsigned fetched(unsigned, bool) { return bytes; }
};
template <bool Spectra, unsigned N, unsigned NumberBytes>
struct FetchedAs {
  using Type = FetchedRows<N, NumberBytes>;
};
template <unsigned N, unsigned NumberBytes>
struct FetchedAs<true, N, NumberBytes> {
  using Type = FetchedSpectra<N, NumberBytes>;
};

/// The lower parts of the addresses from which the rows of a line were fetched: of the first one, and the distance.
struct FetchedFrom {
  unsigned first, step;
  __device__ __forceinline__ unsigned row(unsigned r) const { return first + r * step; }
};

/// Rows of complex numbers: one to a line, two in single precision.
template <class Plane, class T, bool Backward>
struct ComplexRows {
  using Cut = typename Plane::Rows;
  static constexpr unsigned in_line = Traits<T>::lines;
  using Fetched = typename FetchedAs<Backward, Cut::N, 16 / in_line>::Type;
  static constexpr unsigned bytes = Fetched::bytes;
  using Of = RowsOfPlane<Plane, in_line>;

  /// `in` sums the points (LineSums).
  template <class In>
  static __device__ __forceinline__ void take(Cx<double> (&v)[Plane::E], const double2* tile, unsigned t, unsigned lane,
                                              FetchedFrom, In& in) {
    const double2* const line = tile + lane * Cut::N + t;
    each_point<Cut, 0>(t, [&](int i, int offset) {
      v[i] = unpack<Backward>(line[offset], static_cast<double*>(nullptr));
      in.add(offset, v[i]);
    });
  }
  template <class In>
  static __device__ __forceinline__ void take(Cx<Twin> (&v)[Plane::E], const double2* tile, unsigned t, unsigned lane,
                                              FetchedFrom from, In& in) {
    const char* const line = reinterpret_cast<const char*>(tile) + 2 * lane * bytes;
    const float2* rows[2];
#pragma unroll
    for (int r = 0; r < 2; ++r)
      rows[r] = reinterpret_cast<const float2*>(line + r * bytes + Fetched::before(from.row(r))) + t;
    each_point<Cut, 0>(t, [&](int i, int offset) {
      const float2 a = rows[0][offset], b = rows[1][offset];
      v[i] = Backward ? Cx<Twin>{{a.y, b.y}, {a.x, b.x}} : Cx<Twin>{{a.x, b.x}, {a.y, b.y}};
      in.add(offset, v[i]);
    });
  }
  /// `to`: the place of the line's first row, whose number in the plane is `first`. `exchange`: its shared memory.
  template <class Sync>
  static __device__ __forceinline__ void leave(const Cx<double> (&v)[Plane::E], const KernelRows& rows, char* to,
                                               unsigned first, unsigned t, double* /*exchange*/, Sync /*sync*/) {
    if (!Of::has(first)) return;
    auto* const row = reinterpret_cast<double2*>(to) + t;
    each_point<Cut, Cut::stages - 1>(
        t, [&](int i, int offset) { store(row + offset, pack<Backward>(v[i]), !Backward && keeps(rows, t + offset)); });
  }
  template <class Sync>
  static __device__ __forceinline__ void leave(const Cx<Twin> (&v)[Plane::E], const KernelRows& rows, char* to,
                                               unsigned first, unsigned t, Twin* /*exchange*/, Sync /*sync*/) {
    if (!Of::has(first)) return;
    const bool second = Of::has(first + 1);
    auto *const row = reinterpret_cast<float2*>(to) + t, *const next =
                                                             reinterpret_cast<float2*>(to + rows.out_stride) + t;
    each_point<Cut, Cut::stages - 1>(t, [&](int i, int offset) {
      const bool keep = !Backward && keeps(rows, t + offset);
      const auto &re = v[i].re, &im = v[i].im;
      store(row + offset, Backward ? float2{im.a, re.a} : float2{re.a, im.a}, keep);
      if (second) store(next + offset, Backward ? float2{im.b, re.b} : float2{re.b, im.b}, keep);
    });
  }
  /// Barriers of leave().
  static constexpr int barriers = 0;
};

/// The number of a real row in a point of its line: two rows are the parts of a complex line, and two more are those of
/// its twin.
__device__ __forceinline__ double& number(Cx<double>& v, int row) { return row == 0 ? v.re : v.im; }
__device__ __forceinline__ float& number(Cx<Twin>& v, int row) {
  Twin& part = row % 2 == 0 ? v.re : v.im;
  return row < 2 ? part.a : part.b;
}

/// Rows of N real numbers, and of the N / 2 + 1 complex ones of their half spectra. Two real rows a and b make a
/// complex line a + i b, whose spectrum V has those of both:
/// 2 A[k] = V[k] + conj V[N - k], 2 i B[k] = V[k] - conj V[N - k].
/// An address is that of a thread's point t, or N - t, plus a known offset: sums of unsigned numbers would each need a
/// register of their own.
template <class Plane, class T, bool Backward>
struct RealRows {
  using Cut = typename Plane::Rows;
  using Real = typename Traits<T>::Scalar;
  using Complex = typename Traits<T>::Factor;
  /// Points of half a spectrum after the first one; the points from `upper` on have their mirror images among these.
  static constexpr unsigned half = Cut::N / 2, upper = Cut::N - half;
  static constexpr bool even = Cut::N % 2 == 0;  ///< then point `half` is its own mirror image, and real
  static constexpr unsigned in_line = 2 * Traits<T>::lines;
  using Of = RowsOfPlane<Plane, in_line>;
  using Fetched =
      typename FetchedAs<Backward, Backward ? half + 1 : Cut::N, Backward ? sizeof(Complex) : sizeof(Real)>::Type;
  static constexpr unsigned bytes = Fetched::bytes;

  /// The side of the middle on which the points t + offset are.
  enum class Where { below, above, both };
  template <int S>
  static __host__ __device__ constexpr Where where(int offset) {
    constexpr int reach = Cut::team;
    return unsigned(offset) >= upper ? Where::above : unsigned(offset + reach) <= upper ? Where::below : Where::both;
  }

  /// Whether t + offset is that point; for most offsets the compiler knows that it is not.
  static __device__ __forceinline__ bool is(unsigned t, int offset, int point) {
    return point >= offset && point - offset < Cut::team && t == unsigned(point - offset);
  }

  /// As take() and leave() of complex rows, with the sums of their points (LineSums).
  template <class Sums>
  static __device__ __forceinline__ void take(Cx<T> (&v)[Plane::E], const double2* tile, unsigned t, unsigned lane,
                                              unsigned first, FetchedFrom from, Sums& sums,
                                              const LineChecks<T>& checks) {
    unsigned bits = 0;
    T sum{};
    const char* const line = reinterpret_cast<const char*>(tile) + lane * (in_line * bytes);
    // A row that does not exist would spoil the spectrum of its neighbour.
    if constexpr (!Backward) {
      auto in = Sums::input(t, checks);
      const Real* mine[in_line];
#pragma unroll
      for (unsigned r = 0; r < in_line; ++r)
        mine[r] = reinterpret_cast<const Real*>(line + r * bytes + Fetched::before(from.row(r))) + t;
      each_point<Cut, 0>(t, [&](int i, int offset) {
#pragma unroll
        for (unsigned r = 0; r < in_line; ++r) number(v[i], r) = Of::has(first + r) ? mine[r][offset] : Real(0);
        in.add(offset, v[i]);
      });
      sums.took(in, true, true, true, checks);
    } else {
      const char* const mine = line + t * sizeof(Complex);
      const char* const others = line + (Cut::N - static_cast<int>(t)) * int(sizeof(Complex));
      each_point<Cut, 0>(t, [&](int i, int offset) {
        const Where at = where<0>(offset);
        const int distance = offset * int(sizeof(Complex));
        const unsigned k = t + offset;
        const bool mirrored = at == Where::above || (at == Where::both && k >= upper);
        const char* const point = mirrored ? others - distance : mine + distance;
        const bool is_real = is(t, offset, 0) || (even && is(t, offset, half));
        const bool lower = unsigned(offset) <= half && k <= half;  // mirrored points come twice
        Cx<T> of_a{}, of_b{};
#pragma unroll
        for (unsigned pair = 0; pair < in_line / 2; ++pair) {
          Complex a = *reinterpret_cast<const Complex*>(point + 2 * pair * bytes);
          Complex b = *reinterpret_cast<const Complex*>(point + (2 * pair + 1) * bytes);
          if (!Of::has(first + 2 * pair)) a = Complex{};
          if (!Of::has(first + 2 * pair + 1)) b = Complex{};
          if (lower) bits += words(a.x) + words(a.y) + words(b.x) + words(b.y);
          if (is_real) a.y = b.y = 0;
          number(of_a, 2 * pair) = a.x;
          number(of_a, 2 * pair + 1) = a.y;
          number(of_b, 2 * pair) = b.x;
          number(of_b, 2 * pair + 1) = b.y;
          // Parts exchanged, as unpack<true>() does.
          number(v[i], 2 * pair + 1) = mirrored ? a.x + b.y : a.x - b.y;
          number(v[i], 2 * pair) = mirrored ? b.x - a.y : b.x + a.y;
        }
        if (lower) sums.template spectra<Cut>(sum, t, offset, of_a, of_b, true, false, checks);
      });
      sums.close_input(sum, checks);
      sums.took(bits, false);
    }
  }

  template <class Sync, class Sums>
  static __device__ __forceinline__ void leave(Cx<T> (&v)[Plane::E], const KernelRows& rows, char* to, unsigned first,
                                               unsigned t, T* exchange, Sync sync, Sums& sums,
                                               const LineChecks<T>& checks) {
    constexpr int last = Cut::stages - 1;
    unsigned bits = 0;
    if constexpr (Backward) {
      sums.template close_lines<Cut>(v, t, checks);
      each_point<Cut, last>(t, [&](int i, int offset) {
        Cx<T> x = v[i];
#pragma unroll
        for (unsigned r = 0; r < in_line; ++r) {
          if (!Of::has(first + r)) continue;
          bits += words(number(x, r ^ 1));
          __stcs(reinterpret_cast<Real*>(to + r * rows.out_stride) + t + offset, number(x, r ^ 1));
        }
      });
    } else {
      constexpr int middle = half;
      T* const mine = exchange + t;
      const T* const others = exchange + (Cut::N - static_cast<int>(t));
      sync();
      each_point<Cut, last>(t,
                            [&](int i, int offset) {  // the upper half, for the threads that have the mirrored points
                              const Where at = where<last>(offset);
                              if (at == Where::below || (at == Where::both && t + offset < upper)) return;
                              mine[offset - middle] = v[i].re;
                              mine[offset] = v[i].im;
                            });
      sync();
      T sum{};
      const auto put = [&](unsigned begin, int offset, Cx<T> a, Cx<T> b) {
        const bool keep = keeps(rows, begin + offset);
        sums.template spectra<Cut>(sum, begin, offset, a, b, false, true, checks);
#pragma unroll
        for (unsigned r = 0; r < in_line; ++r) {
          if (!Of::has(first + r)) continue;
          Cx<T>& x = r % 2 == 0 ? a : b;  // a, b of the first pair, then of the second one
          bits += words(number(x, r & 2)) + words(number(x, (r & 2) + 1));
          store(reinterpret_cast<Complex*>(to + r * rows.out_stride) + begin + offset,
                Complex{number(x, r & 2), number(x, (r & 2) + 1)}, keep);
        }
      };
      each_point<Cut, last>(t, [&](int i, int offset) {
        const Where at = where<last>(offset);
        if (even && is(t, offset, half)) put(0, middle, {v[i].re, T{}}, {v[i].im, T{}});
        if (at == Where::above || (at == Where::both && t + offset >= upper)) return;
        Cx<T> m{others[-offset - middle], others[-offset]};
        if (is(t, offset, 0)) m = v[i];
        put(t, offset, {Real(0.5) * (v[i].re + m.re), Real(0.5) * (v[i].im - m.im)},
            {Real(0.5) * (v[i].im + m.im), Real(0.5) * (m.re - v[i].re)});
      });
      sums.close_output(sum, checks);
    }
    sums.left(bits, Backward);
  }
  static constexpr int barriers = Backward ? 0 : 2;
};

template <bool Real, class Plane, class T, bool Backward>
struct RowsOf {
  using Type = ComplexRows<Plane, T, Backward>;
};
template <class Plane, class T, bool Backward>
struct RowsOf<true, Plane, T, Backward> {
  using Type = RealRows<Plane, T, Backward>;
};

}  // namespace shardfft::device::lines
