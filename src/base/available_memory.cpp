#include "base/available_memory.hpp"

#include <cstdlib>
#include <fstream>

#include "base/check.hpp"

namespace shardfft {

std::size_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, unit; file >> name;) {
    std::size_t kilobytes = 0;
    if (name == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
    std::getline(file, unit);
  }
  return 0;
}

void require_memory(double bytes, const std::string& what) {
  constexpr double small = 64 << 20;  // not worth reading a file for
  constexpr double mebibyte = 1 << 20;
  if (bytes > small) {
    const auto available = static_cast<double>(available_memory());
    if (available > 0 && bytes > available)
      fail(Status::out_of_memory, what, " needs about ", bytes / mebibyte, " MiB, but ", available / mebibyte,
           " MiB are available");
  }
  // Limits of the process are known to the allocator only. Memory that is not touched costs nothing; volatile, because
  // compilers leave out an allocation that nobody uses.
  void* volatile probe = std::malloc(static_cast<std::size_t>(bytes));
  if (probe == nullptr)
    fail(Status::out_of_memory, what, " needs about ", bytes / mebibyte, " MiB, and cannot get them");
  std::free(probe);
}

}  // namespace shardfft
