// The program kernel-compiler: reads one request from the socket that is its standard input (lines/compile_apart.cpp),
// compiles that kernel, and ends.
#include <dirent.h>
#include <dlfcn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda/lines/kernel_sources.hpp"
#include "device/cuda/lines/nvrtc.hpp"
#include "device/cuda/lines/texts.hpp"
#include "shardfft/error.hpp"

namespace shardfft::device::lines {
namespace {

std::vector<std::string>& request() {
  static std::vector<std::string> texts;
  return texts;
}
enum Part : std::size_t { file, version, architecture, source, headers };

/// Closes the descriptors inherited from the asking process: devices and connections.
void close_others() {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return;
  std::vector<int> open;
  while (const dirent* entry = readdir(folder)) open.push_back(std::atoi(entry->d_name));
  closedir(folder);
  for (const int descriptor : open)
    if (descriptor > STDERR_FILENO) close(descriptor);
}

/// Returns nothing if the requested compiler cannot be loaded or has another version.
std::optional<std::vector<std::string>> answer() {
  if (request().size() < headers || dlopen(request()[file].c_str(), RTLD_NOW) == nullptr) return std::nullopt;
  if (nvrtc_version() != request()[version]) return std::nullopt;
  try {
    const MachineCode code = compile(request()[source], std::stoi(request()[architecture]));
    return std::vector{std::to_string(code.stack_bytes), code.cubin};
  } catch (const Error& error) {
    return std::vector<std::string>{error.what()};
  }
}

int run() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close_others();
  auto asked = receive_texts(STDIN_FILENO);
  if (!asked) return 1;
  request() = *std::move(asked);
  const auto made = answer();
  return made && send_texts(STDIN_FILENO, *made) ? 0 : 1;
}

}  // namespace

/// The headers that the asking library sent.
const std::vector<KernelSource>& kernel_sources() {
  static const std::vector<KernelSource> all = [] {
    std::vector<KernelSource> found;
    for (std::size_t at = headers; at + 1 < request().size(); at += 2)
      found.push_back({request()[at].c_str(), request()[at + 1].c_str()});
    return found;
  }();
  return all;
}

}  // namespace shardfft::device::lines

int main() { _exit(shardfft::device::lines::run()); }
