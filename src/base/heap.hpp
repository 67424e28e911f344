#pragma once
// The bytes of the heap that this process uses: the only way to see the memory of libraries that keep no accounts.
#include <cstddef>

namespace shardfft {

/// Bytes that are allocated now, by any code; 0 if the C library does not tell.
std::size_t heap_bytes();

}  // namespace shardfft
