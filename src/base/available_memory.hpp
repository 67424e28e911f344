#pragma once
// What memory is left, and who limits it: asked before something is called or made that would end the process where
// there is none.
#include <cstddef>
#include <string>

namespace shardfft {

/// Bytes that can still be had, and the limit that says so in words for errors: its name and its value.
struct Room {
  std::size_t bytes = 0;
  std::string limit;
};

/// "1.5 MiB".
std::string in_mebibytes(double bytes);

/// Memory for the processes of this host, or of this control group (containers, batch systems), whichever is less, as
/// the kernel estimates it. `root` is where /proc and /sys lie. Where the kernel does not tell, as much as there can
/// be.
Room memory_room(const std::string& root = {});
/// Addresses that this process may still map (RLIMIT_AS).
Room address_room();
/// Bytes of one file, files in memory included (RLIMIT_FSIZE). The kernel ends a process that makes a larger one.
Room file_room();

/// What limits the number of mappings of this process (vm.max_map_count), in words, if fewer than an eighth of them are
/// left, which its other libraries need; else empty. `root` as above.
std::string no_more_mappings(const std::string& root = {});

/// Bytes of memory_room(); 0 where the kernel does not tell.
std::size_t available_memory();

/// Throws Error(out_of_memory) where `bytes` more cannot be had by this process. `what` needs them, for the error.
void require_memory(double bytes, const std::string& what);

}  // namespace shardfft
