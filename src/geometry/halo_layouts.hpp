#pragma once
// Parts of an array with halos around them, as layouts of their memory.
#include <vector>

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

}  // namespace shardfft
