#pragma once
// An array before a change of layout in two parts: the elements that leave their rank lie one behind the other, and
// those that stay lie in another array, in their places after the change. Pure geometry.
#include <optional>
#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft {

struct StayingPart {
  Layout from, to;  ///< the change
  Layout places;    ///< of the elements that stay
  int axis = 0;     ///< along which a rank's elements that stay are a run

  /// Places, before a complex-to-real transform of `axes`, of the elements that stay: in numbers of complex size, where
  /// real results of the same other indices come later. None if they have no room there.
  static std::optional<Layout> places_before_c2r(const Layout& from, const Layout& to, const Layout& real,
                                                 const std::vector<int>& axes);
  /// None if no element stays, or if a rank's part would have to be cut along more than one axis.
  static std::optional<StayingPart> between(const Layout& from, const Layout& to, const Layout& places);

  std::vector<Piece> leaving(int rank) const;
  std::vector<Piece> staying(int rank) const;
  /// Every rank's elements that leave it.
  Layout leaving() const;
  /// The same, but those that stay on `rank` for that rank: there it reads.
  Layout sources(int rank) const;
  /// The elements of `rank`: those that leave it, and, as those of a rank behind the last one, those that stay.
  Layout targets(int rank) const;
};

}  // namespace shardfft
