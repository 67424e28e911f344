// NVRTC through dlopen().
#include "device/cuda/lines/nvrtc.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/check.hpp"
#include "device/cuda/lines/kernel_sources.hpp"

namespace shardfft::device::lines {
namespace {

struct Nvrtc {
  decltype(&::nvrtcVersion) version = nullptr;
  decltype(&::nvrtcCreateProgram) create = nullptr;
  decltype(&::nvrtcDestroyProgram) destroy = nullptr;
  decltype(&::nvrtcCompileProgram) compile = nullptr;
  decltype(&::nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&::nvrtcGetProgramLog) log = nullptr;
  decltype(&::nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&::nvrtcGetCUBIN) cubin = nullptr;
  decltype(&::nvrtcGetErrorString) error_string = nullptr;
  decltype(&::nvrtcGetLTOIRSize) linkable_size = nullptr;
  decltype(&::nvrtcGetLTOIR) linkable = nullptr;
  std::string found, file;
  bool keeps = false;  ///< whether it has a cache of its own
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Nvrtc open_nvrtc() {
  Nvrtc n;
  const std::string major = std::to_string(CUDA_VERSION / 1000);
  void* library = nullptr;
  for (const std::string& name : {"libnvrtc.so." + major, std::string("libnvrtc.so")})
    if (library == nullptr) library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return n;
  const bool whole = find(library, "nvrtcVersion", n.version) && find(library, "nvrtcCreateProgram", n.create) &&
                     find(library, "nvrtcDestroyProgram", n.destroy) &&
                     find(library, "nvrtcCompileProgram", n.compile) &&
                     find(library, "nvrtcGetProgramLogSize", n.log_size) &&
                     find(library, "nvrtcGetProgramLog", n.log) && find(library, "nvrtcGetCUBINSize", n.cubin_size) &&
                     find(library, "nvrtcGetCUBIN", n.cubin) && find(library, "nvrtcGetErrorString", n.error_string) &&
                     find(library, "nvrtcGetLTOIRSize", n.linkable_size) && find(library, "nvrtcGetLTOIR", n.linkable);
  int numbers[2] = {};
  if (whole && n.version(&numbers[0], &numbers[1]) == NVRTC_SUCCESS && numbers[0] >= 12) {
    n.found = std::to_string(numbers[0]) + "." + std::to_string(numbers[1]);
    Dl_info place{};
    if (dladdr(reinterpret_cast<const void*>(n.version), &place) != 0) n.file = place.dli_fname;
    n.keeps = numbers[0] > 12 || numbers[1] >= 9;
  }
  return n;
}

const Nvrtc& nvrtc() {
  static const Nvrtc all = open_nvrtc();
  return all;
}

void check(nvrtcResult status, const char* what) {
  if (status != NVRTC_SUCCESS) fail(Status::backend_failure, what, ": ", nvrtc().error_string(status));
}

/// The largest number before these words of the assembler's log, which lists all kernels.
int largest_before(const std::string& words, const std::string& log) {
  int largest = 0;
  for (std::size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) {
    std::size_t digits = at;
    while (digits > 0 && log[digits - 1] >= '0' && log[digits - 1] <= '9') --digits;
    largest = std::max(largest, std::atoi(log.c_str() + digits));
  }
  return largest;
}

/// A program with its owner.
class Program {
 public:
  explicit Program(const std::string& source) {
    std::vector<const char*> names, texts;
    for (const KernelSource& file : kernel_sources()) {
      names.push_back(file.name);
      texts.push_back(file.text);
    }
    check(nvrtc().create(&handle_, source.c_str(), "kernel.cu", static_cast<int>(names.size()), texts.data(),
                         names.data()),
          "nvrtcCreateProgram");
  }
  ~Program() { nvrtc().destroy(&handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string linkable(int architecture) const {
    compile(architecture, {"--std=c++20", "-dlto", "--relocatable-device-code=true"});
    std::size_t size = 0;
    check(nvrtc().linkable_size(handle_, &size), "nvrtcGetLTOIRSize");
    std::string code(size, '\0');
    check(nvrtc().linkable(handle_, code.data()), "nvrtcGetLTOIR");
    return code;
  }
  MachineCode code(int architecture) const {
    compile(architecture, compiler_options());
    std::size_t size = 0;
    check(nvrtc().cubin_size(handle_, &size), "nvrtcGetCUBINSize");
    MachineCode code{std::string(size, '\0'), largest_before(" bytes stack frame", log())};
    check(nvrtc().cubin(handle_, code.cubin.data()), "nvrtcGetCUBIN");
    return code;
  }

 private:
  void compile(int architecture, const std::vector<std::string>& more) const {
    const std::string target = "--gpu-architecture=sm_" + std::to_string(architecture);
    std::vector<const char*> options = {target.c_str()};
    for (const std::string& option : more) options.push_back(option.c_str());
    if (nvrtc().compile(handle_, static_cast<int>(options.size()), options.data()) != NVRTC_SUCCESS)
      fail(Status::backend_failure, "NVRTC could not compile a kernel for sm_", architecture, ":\n", log());
  }
  std::string log() const {
    std::size_t size = 0;
    if (nvrtc().log_size(handle_, &size) != NVRTC_SUCCESS) return {};
    std::string text(size, '\0');
    return nvrtc().log(handle_, text.data()) == NVRTC_SUCCESS ? text : std::string{};
  }

  nvrtcProgram handle_ = nullptr;
};

}  // namespace

const std::string& nvrtc_version() { return nvrtc().found; }

const std::string& nvrtc_file() { return nvrtc().file; }

const std::vector<std::string>& compiler_options() {
  static const std::vector<std::string> options = [] {
    // A function without annotation is arithmetic that host and device share.
    std::vector<std::string> all = {"--std=c++20", "-default-device", "--ptxas-options=-v"};
    // Code from NVRTC's own cache has no log, and so no bytes of stack. For that cache NVRTC also starts the driver,
    // which takes a second on machines with GPUs.
    if (nvrtc().keeps) all.push_back("--no-cache");
    return all;
  }();
  return options;
}

MachineCode compile(const std::string& source, int architecture) {
  if (nvrtc().found.empty()) fail(Status::unsupported, "libnvrtc was not found");
  return Program(source).code(architecture);
}

std::string compile_linkable(const std::string& source, int architecture) {
  if (nvrtc().found.empty()) fail(Status::unsupported, "libnvrtc was not found");
  return Program(source).linkable(architecture);
}

}  // namespace shardfft::device::lines
