#pragma once
// How both ends of a reshape should be cut: what runs beside each other is added up for many cuts.
#include <vector>

#include "schedule/pieces.hpp"

namespace shardfft {

/// What a rank's passes and links take, in a unit of time of the caller's.
struct EndCosts {
  double before = 0, after = 0;  ///< the transforms at the ends
  double sent = 0;               ///< all that the rank sends
  double message = 0;            ///< more for each message ...
  double piece = 0;              ///< ... and for each piece of a transform
};

/// From the first piece of the transform before to the last one of the transform behind. Transforms run one after the
/// other, and so do messages, beside them.
double estimate(const EndCosts& costs, const EndCuts& cuts);

/// Cuts in more than one message whose pieces are near-equal, or grow at the sender and shrink at the receiver: so
/// little is done before the first message and behind the last one. Pieces are no smaller than one in so many parts at
/// each end. Those that take the least time by the estimate come first.
std::vector<EndCuts> possible_cuts(const EndCosts& costs, std::int64_t most_before, std::int64_t most_after);

}  // namespace shardfft
