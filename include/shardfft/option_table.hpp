#pragma once
// All facts of every option, as data. Validation, the agreement between ranks, the Python package, the command line,
// benchmark drivers and docs/options.md read this table; nothing else lists the options.
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "shardfft/options.hpp"

namespace shardfft {

/// The value of any option: choices, names, paths and lines are text, addresses are numbers.
using OptionValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<std::string>>;

/// The values that an option takes.
enum class OptionType {
  flag,
  integer,
  number,
  integers,  ///< a list
  choice,    ///< one of a fixed set of words: an enum in Options
  words,     ///< a list of such words
  name,      ///< one of the names that this build has, or "auto"
  path,      ///< a file
  text,      ///< a line that the library itself wrote
  address    ///< a handle of the GPU runtime
};

/// The processors that the ranks of a plan run on.
enum class Place {
  cpu,
  gpu,     ///< one process a GPU
  devices  ///< GPUs of one process
};

/// The values that ranks must agree on.
enum class Agreement {
  same,      ///< all are given the same value
  presence,  ///< all are given one, or none
  none       ///< each rank may be given its own
};

/// All facts of one option.
struct OptionRow {
  std::string name;  ///< as in Options, in Python and on command lines
  OptionType type = OptionType::integer;
  std::string sentence;  ///< its purpose, in docs/options.md and Python's documentation
  /// Places with an effect; in others only the default is accepted.
  std::vector<Place> effect = {Place::cpu, Place::gpu, Place::devices};
  Agreement agreement = Agreement::same;
  /// Whether it belongs to problem_key(): whether it changes the result or the choice of the program.
  bool in_key = true;
  std::int64_t least = 0;                                      ///< of integers and of each in a list
  double below = std::numeric_limits<double>::infinity();      ///< of integers and numbers
  std::vector<std::string> choices{};                          ///< of a choice, and of each in a list of words
  std::function<std::vector<std::string>(Place)> known = {};   ///< of a name, without "auto"
  std::string example{};                                       ///< a value that is not the default; none for addresses
  std::function<OptionValue(const Options&)> get = {};         ///< throws Error for an enum's value that has no word
  std::function<void(Options&, const OptionValue&)> set = {};  ///< throws Error if the value has another type
};

const std::vector<OptionRow>& option_table();  ///< A row for each option.
/// Throws Error(invalid_argument) with the known names when there is none.
const OptionRow& option_row(const std::string& name);
/// This library's counterpart of an option that other libraries have, as a sentence; empty for any other name.
std::string option_hint(const std::string& name);

/// Sets one option from text: "yes"/"no" for flags, "2,4" or "fft,dct2" for lists. Throws Error if the text is not of
/// the option's type. Ranges are checked when a plan is made.
void set_option(Options& options, const std::string& name, const std::string& text);
/// The text that set_option() would take.
std::string option_text(const OptionRow& row, const Options& options);
/// The words of the table, as in Python and on command lines. Throws Error for values that have no word.
std::string to_text(Norm norm);
std::string to_text(Effort effort);
std::string to_text(Processor processor);
std::string to_text(MemoryModel memory);

}  // namespace shardfft
