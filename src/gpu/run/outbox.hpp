#pragma once
// Where what a rank has before a reshape waits until it has left: in the output of the transform behind the reshape, as
// far as nobody writes there before that.
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/pass/line_owners.hpp"
#include "schedule/pass.hpp"

namespace shardfft::gpu {

struct Outbox {
  /// Where a rank alone packs what goes to others, in the order in which it leaves; none: all lies as before the
  /// reshape.
  std::optional<Layout> packed{};
  std::vector<LineOwners> owners{};             ///< then, by piece of the transform: where it leaves its points
  std::int64_t offset = 0;                      ///< bytes of the output before it
  std::int64_t rest_begin = 0, rest_bytes = 0;  ///< of it, in bytes: what has no place in the output
  std::vector<bool> pieces{}, messages{};       ///< of the transform, of the reshape: those in the output
};

/// For a pipeline that ends elsewhere than it lands, of transforms at both ends: in the output, which is no other array
/// of it, while pieces behind the reshape are written there. Packed, only where the pass before it transforms one axis
/// (others keep more than results in the array that they write). Nothing where none of it has a place there.
std::optional<Outbox> outbox_of(const Joined& steps, const Pieces& pieces, int rank, Precision precision, bool packed);

}  // namespace shardfft::gpu
