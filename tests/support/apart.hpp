#pragma once
// What tests/apart.sh did with the ranks of this program.
#include <cstdlib>
#include <string>

namespace shardfft::test {

inline std::string how_apart() {
  const char* how = std::getenv("SHARDFFT_TEST_APART");
  return how == nullptr ? "" : how;
}
/// All ranks have process numbers of their own but the first two.
inline bool some_apart() { return how_apart() == "some"; }
/// Ranks have process numbers of their own.
inline bool processes_apart() { return how_apart() == "pid" || how_apart() == "all" || some_apart(); }

}  // namespace shardfft::test
