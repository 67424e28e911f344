#pragma once
// The compiler in a process of its own: threads of one process take turns in NVRTC's front end, processes do not.
#include <chrono>
#include <optional>
#include <string>

#include "device/cuda/lines/nvrtc.hpp"

namespace shardfft::device::lines {

/// The longest time in which a compiler may neither read nor write. A kernel takes it a few seconds.
constexpr std::chrono::seconds longest_compilation{60};
/// The program that compiles: SHARDFFT_COMPILER if it is set, else shardfft/kernel-compiler beside the file that holds
/// the library. Empty if its name does not begin at the root.
std::string compiler_program();
bool has_compiler_program();
/// As compile(). Returns nothing if the program cannot be started or gives no readable answer. The program shares no
/// signals, files or output with this process, only a socket.
std::optional<MachineCode> compile_apart(const std::string& source, int architecture,
                                         std::chrono::seconds patience = longest_compilation);

}  // namespace shardfft::device::lines
