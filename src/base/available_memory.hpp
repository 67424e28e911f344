#pragma once
// The memory that is left, and its limits: asked before calls that would end the process without memory.
#include <cstddef>
#include <string>

namespace shardfft {

/// Bytes that can still be had, and their limit in words for errors: its name and its value.
struct Room {
  std::size_t bytes = 0;
  std::string limit;
};

/// "1.5 MiB".
std::string in_mebibytes(double bytes);

/// Memory for the processes of this host, or of this control group (containers, batch systems), whichever is less, as
/// the kernel estimates it. `root` is the folder of /proc and /sys. If the kernel does not tell, no limit.
Room memory_room(const std::string& root = {});
/// Addresses that this process may still map (RLIMIT_AS).
Room address_room();
/// Bytes of one file, files in memory included (RLIMIT_FSIZE). The kernel ends a process that makes a larger one.
Room file_room();

/// The limit on the number of mappings of this process (vm.max_map_count), in words, if fewer than an eighth of them
/// are left, which its other libraries need; else empty. `root` as above.
std::string no_more_mappings(const std::string& root = {});

/// Bytes of memory_room(); 0 if the kernel does not tell.
std::size_t available_memory();

/// Throws Error(out_of_memory) if this process cannot have `bytes` more. `what` needs them, for the error.
void require_memory(double bytes, const std::string& what);

/// Throws Error(out_of_memory) if an array has more bytes than all memory of this host: to list the bundles of
/// its transform would take time and memory in proportion. `what` it is, for the error.
void require_fits_host(double bytes, const std::string& what);

}  // namespace shardfft
