#pragma once
// The compiler in a process of its own: threads of one process take turns in NVRTC's front end, processes do not.
#include <optional>
#include <string>

#include "device/cuda/lines/nvrtc.hpp"

namespace shardfft::device::lines {

/// The program that compiles: what SHARDFFT_COMPILER says, else shardfft/kernel-compiler beside the file that holds the
/// library. Empty for none.
std::string compiler_program();
/// As compile(). Nothing where that program cannot be started or ends without an answer. The process that asks keeps
/// its signals, files and output to itself: the program has an end of a socket.
std::optional<MachineCode> compile_apart(const std::string& source, int architecture);

}  // namespace shardfft::device::lines
