#pragma once
// Which rank owns what in a slab transform: planes x of the field, rows y of the spectrum, near-equal runs.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/plane_pass.hpp"
#include "gpu/slab/slab_observer.hpp"
#include "shardfft/types.hpp"

namespace shardfft::gpu {

/// Part `index` of `parts` near-equal runs of [0, n): the first n % parts runs are one longer.
inline std::int64_t run_begin(std::int64_t n, std::int64_t parts, std::int64_t index) {
  return n / parts * index + (index < n % parts ? index : n % parts);
}
inline std::int64_t run_count(std::int64_t n, std::int64_t parts, std::int64_t index) {
  return n / parts + (index < n % parts ? 1 : 0);
}

/// A field of nx * ny * nz points. Rank r holds field[x_count(r)][ny][nz] and spectrum[nx][y_count(r)][pitch()], of
/// which the first nzc() numbers of a z line mean something; or woven, field[ny][x_count(r)][nz] and
/// spectrum[y_count(r)][nx][pitch()].
struct SlabShape {
  Transform transform;
  std::int64_t nx = 1, ny = 1, nz = 1;
  int ranks = 1;
  /// Pad the z lines of planes and spectrum to whole bundles, so that the fused passes and whole-row copies apply and
  /// no run straddles those of the memory. Complex ones only with dense_spectrum: their planes may be the field.
  bool padded = true;
  /// The spectrum itself has dense z lines even so: the x lines leave the padding away and put it back. Needs line
  /// passes for y and x (fusion_of).
  bool dense_spectrum = false;

  /// The rows of an x plane lie apart, between those of the others, in all arrays. For plane passes only.
  bool woven = false;

  /// z lines from an x, or a y, to the next one: in field and planes of rank r, and in its rows and spectrum.
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
  /// A line of n points, one along x or y, whose owners are the ranks.
  void share(device::lines::Side& side, std::int64_t n) const {
    side.block = static_cast<int>(run_count(n, ranks, 0));
    if (n % ranks != 0) side.whole_owners = static_cast<int>(n % ranks);
  }
  std::size_t complex_bytes() const { return ElementType{transform.precision, true}.bytes(); }
  std::size_t field_element_bytes() const {
    return ElementType{transform.precision, transform.kind == Kind::c2c}.bytes();
  }
  /// Bytes of each array of rank r.
  std::size_t field_bytes(int r) const {
    return field_element_bytes() * static_cast<std::size_t>(x_count(r) * ny * nz);
  }
  /// Complex elements from one z line of planes and spectrum to the next.
  std::int64_t pitch() const {
    return padded && (real() || dense_spectrum) ? device::lines::whole_bundles(nzc(), transform.precision) : nzc();
  }
  std::int64_t spectrum_pitch() const { return dense_spectrum ? nzc() : pitch(); }
  std::size_t planes_bytes(int r) const {
    return complex_bytes() * static_cast<std::size_t>(x_count(r) * ny * pitch());
  }
  std::size_t rows_bytes(int r) const { return complex_bytes() * static_cast<std::size_t>(nx * y_count(r) * pitch()); }
  std::size_t spectrum_bytes(int r) const {
    return complex_bytes() * static_cast<std::size_t>(nx * y_count(r) * spectrum_pitch());
  }
};

/// How the work is cut.
struct SlabOptions {
  int chunks = 0;      ///< runs of x planes: a run is on the links while the next one is transformed; 0: by size
  bool fused = true;   ///< line passes where they exist; false: cuFFT and copies only
  bool planes = true;  ///< z and y lines in one pass over memory where that exists
  /// Passes add up their lines themselves (option verify). Only where SlabFusion::checked.
  bool checks = false;
  /// Passes store what belongs to peers straight into their memory, in one chunk and part; false: copy engines send it
  /// beside the passes. Only where SlabFusion::direct. Faster where launches bind (docs/gpu-design.md).
  bool stores = false;
  /// Of three ranks or more: one sender at a time into a GPU (SlabRank::tokens). Nothing: where shares are large.
  std::optional<bool> paired;
  /// Shares of the z range that are sent one after the other, so that the x lines of one are transformed while the
  /// next is on the links. One entry: no cut; none: by size. Only fused transforms can be cut.
  std::vector<double> parts;
  double forward_scale = 1, backward_scale = 1;  ///< applied by fused x lines only
  SlabObserver* observer = nullptr;              ///< told of every piece; must outlive the plan
};

/// Fills in what was left to choose: by how many GPUs and bytes there are (tune/defaults.hpp).
SlabOptions chosen(SlabOptions options, const SlabShape& shape);

}  // namespace shardfft::gpu
