#pragma once
// Sentences for users on standard error.
#include <iostream>
#include <mutex>
#include <set>
#include <string>

namespace shardfft {

/// Says a sentence on standard error, unless this process has said it before.
inline void say_once(const std::string& sentence) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(sentence).second) std::cerr << "shardfft: " << sentence << std::endl;
}

}  // namespace shardfft
