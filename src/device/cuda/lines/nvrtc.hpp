#pragma once
// NVIDIA's run-time compiler, opened when it is first asked for: the library does not need it to start.
#include <string>
#include <vector>

namespace shardfft::device::lines {

/// Version of the compiler that was found, "13.0"; empty if there is none.
const std::string& nvrtc_version();
/// The file that holds it.
const std::string& nvrtc_file();
/// The compiler's options for every program, besides the architecture.
const std::vector<std::string>& compiler_options();
/// Kernels for one architecture.
struct MachineCode {
  std::string cubin;
  int stack_bytes = 0;  ///< the most that a thread needs beyond its registers
};

/// Machine code of `source` for compute capability `architecture` (90: 9.0). `source` includes the kernels' headers by
/// their names. Throws Error with the compiler's log.
MachineCode compile(const std::string& source, int architecture);
/// Code of functions, which a library of the vendor's links into its kernels. Throws Error.
std::string compile_linkable(const std::string& source, int architecture);

}  // namespace shardfft::device::lines
