#pragma once
// Processes that this one has started and that are at work.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace shardfft::test {

inline std::set<int> child_processes() {
  std::set<int> all;
  std::error_code ended;
  for (const auto& folder : std::filesystem::directory_iterator("/proc", ended)) {
    std::ifstream file(folder.path() / "stat");
    int process = 0, parent = 0;
    char state = 0;
    std::string name;
    if (file >> process && std::getline(file, name, ')') && file >> state >> parent && parent == getpid() &&
        state != 'Z')
      all.insert(process);
  }
  return all;
}

}  // namespace shardfft::test
