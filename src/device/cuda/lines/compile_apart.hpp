#pragma once
// The compiler in a process of its own: threads of one process take turns in NVRTC's front end, processes do not.
#include <chrono>
#include <optional>
#include <string>

#include "device/cuda/lines/nvrtc.hpp"

namespace shardfft::device::lines {

/// How long a compiler may neither read nor write. Kernels take it a few seconds.
constexpr std::chrono::seconds longest_compilation{60};
/// The program that compiles: what SHARDFFT_COMPILER says, else shardfft/kernel-compiler beside the file that holds the
/// library, if its name begins at the root. Empty for none.
std::string compiler_program();
bool has_compiler_program();
/// As compile(). Nothing where that program cannot be started, or gives no answer that can be read. The process
/// that asks keeps its signals, files and output to itself: the program has an end of a socket.
std::optional<MachineCode> compile_apart(const std::string& source, int architecture,
                                         std::chrono::seconds patience = longest_compilation);

}  // namespace shardfft::device::lines
