#pragma once
// What simulated ranks have in place of this machine.
#include "base/simulated_ranks.hpp"

namespace shardfft::sim {

/// Of one rank, in bytes and operations a second, and seconds.
struct Figures {
  bool model = true;  ///< computations and large arrays are modelled; else they are real
  double memory = 8e9;
  double cache = 40e9;
  double cache_bytes = 2e6;
  double flops = 3e9;
  double products = 10e9;
  double overhead = 0;  ///< a message, on each side
  int ranks_per_node = 1;
};

/// For all ranks; the first call counts.
void install(const Figures& figures);

}  // namespace shardfft::sim
