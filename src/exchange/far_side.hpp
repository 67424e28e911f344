#pragma once
// The part of the hierarchical exchange that crosses hosts, as an exchange of its own: leaders and the others do
// different things in it.
#include "exchange/host_plan.hpp"

namespace shardfft {

/// Gives its leader one run with everything for other hosts, and gets one run back.
std::unique_ptr<Exchange> make_far_member(const ExchangeSetup& setup, const HostPlan& plan);
/// Gathers the runs of its host, exchanges one run with each other leader, scatters what came.
std::unique_ptr<Exchange> make_far_leader(const ExchangeSetup& setup, const HostPlan& plan);

/// Tags between a member and its leader.
inline constexpr int gather_channel = 1;
inline constexpr int scatter_channel = 2;

}  // namespace shardfft
