#pragma once
// Parts of an array with halos around them, as layouts of their memory.
#include <vector>

#include "geometry/schedule.hpp"
#include "shardfft/halo.hpp"

namespace shardfft {

/// Extents of one field of a rank's padded array; 0 along all axes if it owns nothing.
Shape padded_extents(const Layout& layout, const std::vector<HaloWidth>& widths, int rank);

/// The places of elements in padded arrays, with the fields as axis 0. Elements in `halos` of one rank are also
/// another's: that layout does not tile the array. An exchange writes it.
struct HaloLayouts {
  Layout owned, halos;
};
/// Throws Error unless each rank has a box, and there is one width an axis, not negative.
HaloLayouts make_halo_layouts(const Layout& layout, const std::vector<HaloWidth>& widths, std::int64_t fields,
                              Corners corners);

/// The elements in halos, each as often as it is there: a last axis numbers the pieces of all ranks' halos. `copies`
/// has them on the ranks of their parts, one piece behind the other, so that an exchange brings all there.
struct HaloCopies {
  Layout halos, copies;
};
HaloCopies make_halo_copies(const Layout& layout, const HaloLayouts& layouts);
/// The places of a rank's copies, and those of its part to which they are added.
std::vector<LocalCopy> copies_to_part(const HaloCopies& all, const HaloLayouts& layouts, int rank);

}  // namespace shardfft
