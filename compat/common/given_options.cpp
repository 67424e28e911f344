#include "given_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "shardfft/error.hpp"
#include "shardfft/option_table.hpp"

namespace shardfft::compat {

void set_given_options(Options& options, const char* variable) {
  const char* const given = std::getenv(variable);
  if (!given) return;
  const std::string_view words(given), blanks(" \t\n");
  for (std::size_t begin = words.find_first_not_of(blanks), end; begin != words.npos;
       begin = words.find_first_not_of(blanks, end)) {
    end = std::min(words.find_first_of(blanks, begin), words.size());
    const std::string word(words.substr(begin, end - begin));
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw Error(Status::invalid_argument,
                  std::string(variable) + " has the word '" + word + "'; NAME=VALUE is expected");
    try {
      set_option(options, word.substr(0, equals), word.substr(equals + 1));
    } catch (const Error& e) {
      throw Error(e.code(), std::string(variable) + ": " + e.what());
    }
  }
}

}  // namespace shardfft::compat
