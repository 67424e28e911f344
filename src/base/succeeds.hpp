#pragma once
// For work whose failure is no error of its caller's.
#include <exception>

namespace shardfft {

/// Whether `work` runs without throwing.
template <class Work>
bool succeeds(const Work& work) {
  try {
    work();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace shardfft
