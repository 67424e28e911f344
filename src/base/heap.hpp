#pragma once
// How much of the heap this process uses: the only way to see what libraries take that keep no accounts.
#include <cstddef>

namespace shardfft {

/// Bytes that are allocated now, by whomever; 0 where the C library does not tell.
std::size_t heap_bytes();

}  // namespace shardfft
