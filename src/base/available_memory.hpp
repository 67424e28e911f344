#pragma once
// What memory is left, asked before libraries are called that end the process where there is none.
#include <cstddef>
#include <string>

namespace shardfft {

/// Bytes that processes of this host can still get, as the kernel estimates them; 0 where it does not tell.
std::size_t available_memory();

/// Throws Error(out_of_memory) where `bytes` more cannot be had by this process. `what` needs them, for the error.
void require_memory(double bytes, const std::string& what);

}  // namespace shardfft
