#pragma once
// The one way through which this library computes on CPUs: local transforms, copies between boxes, loops over elements,
// matrix products.
#include "base/hooks.hpp"

namespace shardfft {

/// Runs `action`, which does `work`, or leaves that to the hook that is installed.
template <class Action>
void compute(const Work& work, const Action& action) {
  if (ComputeHook* const hook = installed<ComputeHook>())
    hook->compute(work, action);
  else
    action();
}

}  // namespace shardfft
