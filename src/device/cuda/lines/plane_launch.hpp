#pragma once
// From a PlanePass to a kernel launch, and the sizes that have one. CUDA only.
#include "device/cuda/lines/launch.hpp"
#include "device/plane_pass.hpp"

namespace shardfft::device::lines {

/// A kernel for planes of n * n points, compiled with the library.
struct PlaneVariant {
  LineCut line;
  int width, threads;
  int bytes;                ///< of shared memory
  int complex_in_row_tile;  ///< rows that a tile of them has
  int real_in_row_tile;
  const void* kernel[2][2];  ///< [real][backward]
  int shared_bytes() const { return bytes; }
};
const PlaneVariant* find_planes_f64(int n);
const PlaneVariant* find_planes_f32(int n);

/// What a plane pass needs on the device it was prepared on.
struct PreparedPlanes {
  const PlaneVariant* variant = nullptr;
  const void* table = nullptr;
  Kernel kernel[2][2];
};
PreparedPlanes make_prepared(const PlaneVariant& variant, Precision precision);
/// Enqueues a pass whose arguments were checked.
void launch(const PreparedPlanes& prepared, const PlanePass& pass, std::uint32_t* counters, void* stream);

}  // namespace shardfft::device::lines
