#include "given_options.hpp"

#include <cstdlib>
#include <sstream>
#include <string>

#include "shardfft/error.hpp"
#include "shardfft/option_table.hpp"

namespace shardfft::compat {

void set_given_options(Options& options, const char* variable) {
  const char* const given = std::getenv(variable);
  if (!given) return;
  std::istringstream words(given);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw Error(Status::invalid_argument,
                  std::string(variable) + " has the word '" + word + "', where NAME=VALUE is expected");
    try {
      set_option(options, word.substr(0, equals), word.substr(equals + 1));
    } catch (const Error& e) {
      throw Error(e.code(), std::string(variable) + ": " + e.what());
    }
  }
}

}  // namespace shardfft::compat
