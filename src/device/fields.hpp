#pragma once
// Figures of fields in device memory, and additions of boxes to them, enqueued on a stream of the current device.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/schedule.hpp"
#include "pack/powers.hpp"
#include "shardfft/types.hpp"

namespace shardfft::device {

/// What is added up: Re(a conj(b)), the real part of a, or its size.
enum class Summand { product, number, size };

/// Sums of numbers in shells. Each index of an axis has a square and a weight: an element's shell is the root of the
/// sum of its squares over `width`, rounded, and its weight the product of its weights.
struct ShellSums {
  ElementType element;
  std::vector<Piece> pieces;
  Shape extents;  ///< of the whole array, an entry an axis of the pieces
  Summand summand = Summand::product;
  double width = 1;
  std::int64_t shells = 1;
};
/// Adds to `sums`. `tables`: of each axis the squares of all its indices, then their weights. Both in device memory.
void add_in_shells(const std::byte* a, const std::byte* b, const ShellSums& what, const double* tables, double* sums,
                   void* stream);

/// The powers of `parts` near-equal runs of each of `fields` arrays of `count` numbers, one behind the other. `powers`
/// is device memory, of which each run has one.
void powers_of_runs(const std::byte* array, std::int64_t count, std::int64_t fields, std::int64_t parts,
                    Precision precision, Powers* powers, void* stream);

/// Adds the numbers of one box to those of another, as in pack/add.hpp; clear_box() makes them 0.
void add_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to, ElementType element,
             void* stream);
void clear_box(std::byte* array, const Box& box, ElementType element, void* stream);

}  // namespace shardfft::device
