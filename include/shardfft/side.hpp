#pragma once
// One side of a plan, and the meaning of its indices: frequencies and coordinates.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// A number for each global index of an axis, computed on demand.
class AxisValues {
 public:
  /// `(index + first) * step`; `index - extent` replaces an `index` above `last_positive`. 0 at the index `zero`.
  AxisValues(std::int64_t extent, std::int64_t last_positive, double step, double first = 0, std::int64_t zero = 0)
      : extent_(extent), last_positive_(last_positive), step_(step), first_(first), zero_(first == 0 ? zero : -1) {}
  double operator[](std::int64_t index) const {
    if (index == zero_) return 0;
    return (static_cast<double>(index > last_positive_ ? index - extent_ : index) + first_) * step_;
  }

 private:
  std::int64_t extent_;
  std::int64_t last_positive_;
  double step_;
  double first_;
  std::int64_t zero_;
};

/// The number of waves that each global index of an axis of a spectrum stands for, computed on demand.
class AxisWeights {
 public:
  /// `lone` at the index `lone_index` (-1: none), else `first` at index 0 and `others` behind it.
  AxisWeights(double first, double others, std::int64_t lone_index, double lone)
      : first_(first), others_(others), lone_index_(lone_index), lone_(lone) {}
  double operator[](std::int64_t index) const {
    if (index == lone_index_) return lone_;
    return index == 0 ? first_ : others_;
  }

 private:
  double first_;
  double others_;
  std::int64_t lone_index_;
  double lone_;
};

/// This rank's side of a plan's input or output.
struct Side {
  Layout layout;
  ElementType element;
  std::int64_t fields = 1;
  int rank = 0;
  /// The axes that the plan transforms, in its order.
  std::vector<int> axes{};
  /// The transform along each of them.
  std::vector<AxisTransform> transforms{};
  /// The number of points n along each of them; a spectrum with fewer modes has a smaller extent.
  std::vector<std::int64_t> points{};
  /// Half spectra only: extent of the halved axis in the real array; else 0.
  std::int64_t real_extent = 0;
  /// The number of modes m along each axis of `axes`, of n points; a halved axis of a spectrum has m/2 + 1 numbers.
  std::vector<std::int64_t> modes{};
  /// The treatment of the mode -m/2 if m is even and below n.
  LoneMode lone_mode = LoneMode::split;

  /// The halved axis of a half spectrum, which is the last with a Fourier transform; else -1.
  int halved_axis() const;
  /// The transform along `axis`. Throws Error for an axis that the plan does not transform.
  AxisTransform transform_of(int axis) const;

  /// Elements of this rank's array, all fields together.
  std::int64_t count() const { return layout.count(rank) * fields; }
  /// count() in the type that containers take: std::vector<double> field(plan.input().size()).
  std::size_t size() const { return static_cast<std::size_t>(count()); }
  std::size_t bytes() const { return size() * element.bytes(); }

  /// Frequency of each global index of a transformed axis, in cycles per unit of `spacing`, the distance between two
  /// samples: k / (n spacing), with k = 0, 1, ..., -2, -1 as in NumPy's fftfreq (the middle mode of an even n is -n/2),
  /// or 0, 1, ..., n/2 as in its rfftfreq on the halved axis; m modes of n points have the k of m points. 2 pi times
  /// the frequency is the wavenumber. Throws Error for axes that have no Fourier transform and for real sides.
  AxisValues frequencies(int axis, double spacing = 1.0) const;
  /// Wavenumber of each global index of any transformed axis, of a domain of that length: 2 pi k / length with k as
  /// above; of cosine and sine transforms pi k / length with k = 0, 1, ... (dct1, dct2), 1, 2, ... (dst1, dst2) or
  /// 1/2, 3/2, ... (types III and IV). Throws Error for real sides of plans with Fourier transforms.
  AxisValues wavenumbers(int axis, double length) const;
  /// The wavenumbers for derivatives of odd order along an axis with a Fourier transform: 0 for the mode that stands
  /// for both k and -k, whose slope vanishes at all points.
  AxisValues slopes(int axis, double length) const;
  /// Position of each global index of any axis: index times spacing.
  AxisValues coordinates(int axis, double spacing = 1.0) const;
  /// Position of each global index of any axis in a domain of that length, at the points of the axis's transform: index
  /// times length / n of Fourier axes and of axes that are not transformed; those of cosine and sine transforms begin
  /// at a wall, half a step or a step behind it (docs/operators.md). Throws Error for spectra that are halved or have
  /// fewer modes than points.
  AxisValues positions(int axis, double length) const;
  /// Weights of a sum over the modes of a spectrum, which is the product over its transformed axes: how many waves a
  /// number stands for. 2 on halved axes, for k and -k, but 1 at 0 and n/2; 2 on cosine and sine axes, but 1 at the
  /// waves 0 and n; 1 on others. The lone mode of an even number of modes below n has the weight 1/2 if it is split, 0
  /// if it is zero. The mean of |x|^2 over all points is the sum of weights times |X|^2 with the norm "forward" (at the
  /// walls of dct1, dct3 and dst3 points count half). Throws Error for real sides of plans with Fourier transforms.
  AxisWeights weights(int axis) const;
};

}  // namespace shardfft
