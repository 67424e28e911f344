#pragma once
// Names of what belongs to another process (a process number with a descriptor or an address, a handle of a GPU) may
// mean something else to who is told them: containers count processes anew, hosts have names in common. So owners write
// a proof into what they offer and tell it beside the name, and nobody uses what he finds under a name before he has
// found its proof there.
#include <cstdint>

namespace shardfft {

/// What no two offers have in common.
struct Proof {
  std::uint64_t word = 0;                   ///< random
  std::uint64_t owner = ~std::uint64_t{0};  ///< its rank, or another number of its own
  friend bool operator==(const Proof&, const Proof&) = default;
};

/// A random number from the kernel.
std::uint64_t random_word();
/// The random number of this process, which tells it from all others whatever their process numbers are.
std::uint64_t process_word();

/// What is found under a name that another one told: what was meant, something else, or nothing.
enum class Found : std::uint8_t { itself, other, nothing };

}  // namespace shardfft
