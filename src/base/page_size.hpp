#pragma once
// The sizes of the kernel's pages: 4 KiB and 2 MiB on most machines, 64 KiB and 512 MiB on some of ARM's.
#include "base/hooks.hpp"

namespace shardfft {

/// The sizes of the installed PageSizes, or the kernel's.
PageSizes page_sizes();
inline std::size_t page_size() { return page_sizes().page; }

}  // namespace shardfft
