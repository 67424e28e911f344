#pragma once
// The loops over the numbers that a check adds up, here and in the array of a copy's other side.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pack/loop_nest.hpp"

namespace shardfft {

/// One loop over an array: along a transformed axis, with weights, or over the transforms of a batch.
struct CheckLoop {
  std::int64_t n;
  std::int64_t stride;                       ///< elements
  std::int64_t unit_stride;                  ///< transforms; 0 along a transformed axis
  std::size_t loop;                          ///< its number: loops of the transform, then those of the batch
  std::vector<std::complex<double>> weight;  ///< along a transformed axis
  bool has_parts = false;                    ///< its weights are complex; those of other transformed axes are real
};

/// The numbers begin, begin + step, ... of a loop.
struct CheckCut {
  std::int64_t begin, count, step;
};

/// A cut loop.
struct NestedLoop {
  std::int64_t count = 1;
  std::int64_t stride = 0;
  std::int64_t unit_stride = 0;
  const std::complex<double>* weight = nullptr;  ///< one in `weight_step`; null along a batch
  std::int64_t weight_step = 1;
  std::int64_t other_stride = 0;  ///< in the array that is copied from or to

  std::complex<double> weight_of(std::int64_t i) const { return weight == nullptr ? 1 : weight[i * weight_step]; }
};

/// Which side of a copy is added up.
enum class CopySide { from, to };
/// The extent of a copy on that side: the whole array, or the cut alone.
enum class CopyOf { array, cut };

/// Cut loops, in their order; the loops live as long.
class CheckNest {
 public:
  /// `cuts`: one a loop, by its number; none: all of the array.
  CheckNest(const std::vector<CheckLoop>& loops, const std::vector<CheckCut>& cuts);
  /// The loops; neighbouring loops over a batch are one if that makes no difference.
  std::vector<NestedLoop> merged() const;
  /// To be called before copies: one side of this copy is the array, or the cut. False if a loop has no single stride
  /// on the other side, or another one than in the copy before.
  bool join(const LoopNest& copy, CopySide side, CopyOf what);
  bool is_joined() const { return joined_; }
  std::int64_t first() const { return first_; }                ///< element
  std::int64_t first_unit() const { return first_unit_; }      ///< transform
  std::int64_t first_weight() const { return first_weight_; }  ///< of the last loop
  std::int64_t other_first() const { return other_first_; }    ///< element, once joined
  std::size_t table_bytes() const { return loops_.size() * sizeof(NestedLoop) + begins_.size() * sizeof(Begin); }

 private:
  /// The beginning of a cut loop in the side's loop, and that loop's stride.
  struct Begin {
    std::int64_t at, stride;
  };

  std::vector<NestedLoop> loops_;
  std::vector<Begin> begins_;
  std::int64_t first_ = 0, first_unit_ = 0, first_weight_ = 0, other_first_ = 0;
  bool joined_ = false;
};

}  // namespace shardfft
