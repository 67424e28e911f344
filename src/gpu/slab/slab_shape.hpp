#pragma once
// Which rank owns what in a slab transform: planes x of the field and rows y of the spectrum, in near-equal runs.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/plane_pass.hpp"
#include "shardfft/types.hpp"

namespace shardfft::gpu {

/// Part `index` of `parts` near-equal runs of [0, n): the first n % parts runs are one longer.
inline std::int64_t run_begin(std::int64_t n, std::int64_t parts, std::int64_t index) {
  return n / parts * index + (index < n % parts ? index : n % parts);
}
inline std::int64_t run_count(std::int64_t n, std::int64_t parts, std::int64_t index) {
  return n / parts + (index < n % parts ? 1 : 0);
}

/// A field of nx * ny * nz points. Rank r holds field[x_count(r)][ny][nz] and
/// spectrum[nx][y_count(r)][spectrum_pitch()]. If `woven`, the first two axes change places: field[ny][x_count(r)][nz]
/// and spectrum[y_count(r)][nx][spectrum_pitch()]. Only the first nzc() numbers of a z line of the spectrum are data;
/// what follows up to the pitch is padding.
struct SlabShape {
  Transform transform;
  std::int64_t nx = 1, ny = 1, nz = 1;
  int ranks = 1;
  /// The z lines of planes and spectrum are padded to whole bundles. Then passes of our own and copies of whole rows
  /// can take them, and no bundle straddles two of the units in which memory is read. Complex z lines are only padded
  /// with dense_spectrum, because their planes may be the user's field.
  bool padded = true;
  /// The user's spectrum has no padding, although the arrays in between may have: the pass along x leaves the padding
  /// away, or puts it back. Needs line passes for y and x (fusion_of).
  bool dense_spectrum = false;
  /// y is the slowest axis of all arrays, so that the rows of an x plane lie apart, with those of other planes between
  /// them. Only plane passes can take that.
  bool woven = false;

  /// How many z lines lie between the first z lines of neighbouring x (or y): in the field and the planes of rank r,
  /// and in its rows and spectrum.
  std::int64_t field_x() const { return woven ? 1 : ny; }
  std::int64_t field_y(int r) const { return woven ? x_count(r) : 1; }
  std::int64_t spectrum_x(int r) const { return woven ? 1 : y_count(r); }
  std::int64_t spectrum_y() const { return woven ? nx : 1; }

  bool real() const { return transform.kind != Kind::c2c; }
  std::int64_t nzc() const { return device::lines::spectrum_points(nz, real()); }
  std::int64_t x_begin(int r) const { return run_begin(nx, ranks, r); }
  std::int64_t x_count(int r) const { return run_count(nx, ranks, r); }
  std::int64_t y_begin(int r) const { return run_begin(ny, ranks, r); }
  std::int64_t y_count(int r) const { return run_count(ny, ranks, r); }
  /// Tells a pass that the n points of each of its lines, along x or y, are owned by the ranks in near-equal runs.
  void share(device::lines::Side& side, std::int64_t n) const {
    side.block = static_cast<int>(run_count(n, ranks, 0));
    if (n % ranks != 0) side.whole_owners = static_cast<int>(n % ranks);
  }
  std::size_t complex_bytes() const { return ElementType{transform.precision, true}.bytes(); }
  std::size_t field_element_bytes() const {
    return ElementType{transform.precision, transform.kind == Kind::c2c}.bytes();
  }
  /// Bytes of the arrays of rank r.
  std::size_t field_bytes(int r) const {
    return field_element_bytes() * static_cast<std::size_t>(x_count(r) * ny * nz);
  }
  /// Complex elements from one z line of planes and spectrum to the next.
  std::int64_t pitch() const {
    return padded && (real() || dense_spectrum) ? device::lines::whole_bundles(nzc(), transform.precision) : nzc();
  }
  /// Whether the planes lie in memory as the field does.
  bool planes_like_field() const { return !real() && pitch() == nz; }
  std::int64_t spectrum_pitch() const { return dense_spectrum ? nzc() : pitch(); }
  std::size_t planes_bytes(int r) const {
    return complex_bytes() * static_cast<std::size_t>(x_count(r) * ny * pitch());
  }
  std::size_t rows_bytes(int r) const { return complex_bytes() * static_cast<std::size_t>(nx * y_count(r) * pitch()); }
  std::size_t spectrum_bytes(int r) const {
    return complex_bytes() * static_cast<std::size_t>(nx * y_count(r) * spectrum_pitch());
  }
};

/// How a slab transform is cut and run.
struct SlabOptions {
  /// Into how many runs the x planes are cut: one run is on its way while the next one is transformed. 0: by size.
  int chunks = 0;
  /// Line passes where they exist. False: only cuFFT and copies, because the GPUs of the team differ in their passes.
  bool fused = true;
  /// Passes sum their lines themselves (option verify). Needs SlabFusion::checked.
  bool checks = false;
  /// Passes store what belongs to other ranks straight into their memory, in one chunk and part. False: copy engines
  /// send it beside the passes. Needs SlabFusion::direct. Faster for small arrays, where the time of launches decides
  /// (docs/gpu-design.md).
  bool stores = false;
  /// Input and result may be one array, which the planes are too (SlabShape::planes_like_field): backward a part of the
  /// columns may be written by others only when its x lines have been read, and the own block is copied like others'.
  bool in_place = false;
  bool planes = false;  ///< plane passes take planes on all GPUs (SlabFusion::planes)
  /// With three ranks or more: only one rank at a time sends to a GPU (gpu/move/send_turns.hpp). Nothing: only if
  /// shares are large.
  std::optional<bool> paired;
  /// Shares of the z range that are sent one after the other, so that the x lines of one share are transformed while
  /// the next one is on its way. One entry: it is not cut. None: by size. Only transforms by passes of our own can be
  /// cut.
  std::vector<double> parts;
  double forward_scale = 1, backward_scale = 1;  ///< applied only if line passes transform the x lines
};

/// Chooses what the options leave open, by the number of GPUs and bytes (tune/defaults.hpp).
SlabOptions chosen(SlabOptions options, const SlabShape& shape);

}  // namespace shardfft::gpu
