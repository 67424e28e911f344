#pragma once
// Parts of an array with halos around them, as layouts of their memory.
#include <vector>

#include "shardfft/halo.hpp"

namespace shardfft {

/// Extents of a rank's padded array, of one field; 0 along all axes where it owns nothing.
Shape padded_extents(const Layout& layout, const std::vector<HaloWidth>& widths, int rank);

/// Where elements lie in padded arrays, with the fields as axis 0. What `halos` says of one rank is also another's, so
/// it tiles no array: it is what an exchange writes.
struct HaloLayouts {
  Layout owned, halos;
};
/// Throws Error unless each rank has a box, and widths are an entry an axis and not negative.
HaloLayouts make_halo_layouts(const Layout& layout, const std::vector<HaloWidth>& widths, std::int64_t fields,
                              Corners corners);

}  // namespace shardfft
