#pragma once
// The part of the hierarchical exchange that crosses hosts, as an exchange of its own. Leaders and other members run
// different code.
#include "exchange/host_plan.hpp"

namespace shardfft {

/// Sends its leader one run with all data for other hosts, and receives one run.
std::unique_ptr<Exchange> make_far_member(const ExchangeSetup& setup, const HostPlan& plan);
/// Gathers the runs of its host, exchanges one run with each other leader, scatters the received data.
std::unique_ptr<Exchange> make_far_leader(const ExchangeSetup& setup, const HostPlan& plan);

/// Tags between a member and its leader.
inline constexpr int gather_channel = 1;
inline constexpr int scatter_channel = 2;

}  // namespace shardfft
