#pragma once
// A name of another process's object (a process number with a descriptor or an address, a handle of a GPU) may mean
// another object here: containers count processes anew, hosts have names in common. Therefore an owner writes a proof
// into the object that it offers and tells it beside the name, and others use the object only if they find this proof
// in it.
#include <cstdint>

namespace shardfft {

/// A value that no two offers have in common.
struct Proof {
  std::uint64_t word = 0;                   ///< random
  std::uint64_t owner = ~std::uint64_t{0};  ///< its rank, or another number of its own
  friend bool operator==(const Proof&, const Proof&) = default;
};

/// A random number from the kernel.
std::uint64_t random_word();
/// The random number of this process, which tells it from all others, even from those with its process number.
std::uint64_t process_word();

/// The object found under another process's name: the one that was meant, another one, or none.
enum class Found : std::uint8_t { itself, other, nothing };

}  // namespace shardfft
