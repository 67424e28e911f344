#pragma once
// The size of the kernel's pages.
#include <unistd.h>

#include <cstddef>

namespace shardfft {

inline std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace shardfft
