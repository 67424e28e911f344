#pragma once
// Replacements of memory, clock and computations for simulated ranks.
#include "base/simulated_ranks.hpp"

namespace shardfft::sim {

/// Figures of one rank, in bytes and operations a second, bytes, and seconds.
struct Figures {
  bool model = true;  ///< computations and large arrays are modelled; else they are real
  double memory = 8e9;
  double cache = 40e9;
  double cache_bytes = 2e6;
  double flops = 3e9;
  double products = 10e9;
  double overhead = 0;  ///< of a message, on each side
  int ranks_per_node = 1;
};

/// Installs the replacements for all ranks; only the first call counts.
void install(const Figures& figures);

}  // namespace shardfft::sim
