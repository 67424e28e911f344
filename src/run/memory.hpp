#pragma once
// The memory of plans and their parts.
#include <algorithm>
#include <cstddef>

namespace shardfft {

/// Bytes that a runner needs, of the member that needs most; or the bytes that a part adds to these.
struct RunnerMemory {
  std::size_t workspace = 0;  ///< private memory, which set_workspace() may bring
  std::size_t table = 0;      ///< factors, matrices and lists of copies, kept as long as the plan lives
  std::size_t library = 0;    ///< memory of the libraries of local transforms, as observed
  std::size_t pinned = 0;     ///< GPUs: host memory pinned for messages
  std::size_t window = 0;     ///< memory that ranks of the host share

  void operator+=(const RunnerMemory& part) {
    combine(part, [](std::size_t a, std::size_t b) { return a + b; });
  }
  /// Raises each kind to the larger of both.
  void grow_to(const RunnerMemory& other) {
    combine(other, [](std::size_t a, std::size_t b) { return std::max(a, b); });
  }

 private:
  template <class Combine>
  void combine(const RunnerMemory& other, const Combine& combined) {
    for (auto bytes : {&RunnerMemory::workspace, &RunnerMemory::table, &RunnerMemory::library, &RunnerMemory::pinned,
                       &RunnerMemory::window})
      this->*bytes = combined(this->*bytes, other.*bytes);
  }
};

}  // namespace shardfft
