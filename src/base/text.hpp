#pragma once
// Streams of numbers that users, files, caches and compilers read: an application may have set a global locale that
// groups digits or has decimal commas, which new streams take.
#include <fstream>
#include <iomanip>
#include <locale>
#include <sstream>
#include <utility>

namespace shardfft {

/// A stream in the classic locale, for any global one.
template <class Stream>
struct Classic : Stream {
  template <class... Arguments>
  explicit Classic(Arguments&&... arguments) : Stream(std::forward<Arguments>(arguments)...) {
    this->imbue(std::locale::classic());
  }
};

using Text = Classic<std::ostringstream>;
using WordsOf = Classic<std::istringstream>;
using FileText = Classic<std::ofstream>;
using TextOfFile = Classic<std::ifstream>;

}  // namespace shardfft
