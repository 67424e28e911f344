#pragma once
// Estimates the best cuts of both ends of a reshape: adds up the times of work that overlaps, for many cuts.
#include <vector>

#include "schedule/pieces.hpp"

namespace shardfft {

/// The times of a rank's passes and links, in any unit.
struct EndCosts {
  double before = 0, after = 0;  ///< the transforms at the ends
  double sent = 0;               ///< all messages of the rank
  double message = 0;            ///< added for each message ...
  double piece = 0;              ///< ... and for each piece of a transform
};

/// The time from the first piece of the transform before to the last one of the transform behind. Transforms run one
/// after the other. So do messages, beside the transforms.
double estimate(const EndCosts& costs, const EndCuts& cuts);

/// Cuts in more than one message, by estimated time, the shortest first. Pieces are near-equal, or grow at the sender
/// and shrink at the receiver: then little work is done before the first message and behind the last one. The sizes of
/// an end's pieces add up to at most `most_before` or `most_after`.
std::vector<EndCuts> possible_cuts(const EndCosts& costs, std::int64_t most_before, std::int64_t most_after);

}  // namespace shardfft
