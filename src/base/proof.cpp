#include "base/proof.hpp"

#include <random>

namespace shardfft {

std::uint64_t random_word() {
  // Making a device takes as long as hundreds of words from it.
  thread_local std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

std::uint64_t process_word() {
  static const std::uint64_t word = random_word();
  return word;
}

}  // namespace shardfft
