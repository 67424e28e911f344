#pragma once
// Checks of one plan's options by the option table.
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "choose/way.hpp"
#include "shardfft/option_table.hpp"

namespace shardfft {

/// "processor = cpu", "processor = gpu", or that the ranks are devices of one process.
std::string place_text(Place place);

/// Enums that are no options: throws Error if `value` is none of `words`, the last of which stands for `last`.
template <class Enum>
void require_known(const char* what, Enum value, Enum last, const char* words) {
  const int number = static_cast<int>(value);
  require(number >= 0 && number <= static_cast<int>(last), what, " has the value ", number,
          ", which stands for none of: ", words);
}

/// Throws Error for any value out of range, for names that are not known, and for options that have no effect in
/// `place`. Does not communicate.
void validate_options(const Options& options, Place place);
/// The same if nothing is transformed: all options except `heeded` must have their defaults.
void require_only(const Options& options, Place place, const std::vector<std::string>& heeded);

/// The way that the option `way` says, which becomes the value of the options that it stands for. Throws Error if one
/// of those has another value; does not communicate.
Way take_way(Options& options);

/// A fact that all ranks must share: its name, a number of this rank's that differs if the fact does, and words for it.
struct Agreed {
  std::string what;
  std::uint64_t number = 0;
  std::string text{};
};
/// The facts of all options that ranks must agree on, in the order of the table.
std::vector<Agreed> agreed_options(const Options& options);

/// The options that change the result or the way to it, as "name=value" in the order of the table.
std::string options_key(const Options& options);

}  // namespace shardfft
