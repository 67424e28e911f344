// Kernels of operators with CUDA source text, on devices.
#include <map>
#include <mutex>
#include <utility>

#include "device/cuda/factor_pass.hpp"
#include "device/cuda/lines/registry.hpp"
#include "device/factor_code.hpp"
#include "device/pointwise.hpp"

namespace shardfft::device {
namespace {

lines::Kernel load(const std::string& code) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  lines::check(lines::driver().load_module(&module, code.data()), "cuModuleLoadData");
  lines::check(lines::driver().function_of(&function, module, "multiply"), "cuModuleGetFunction");
  return {function, threads, 0, 1};
}

/// Kernels are kept until exit, by device.
const lines::Kernel& kernel_of(const SpectralFactors& factors, ElementType element) {
  static std::mutex mutex;
  static auto& kernels = *new std::map<std::pair<std::string, int>, lines::Kernel>;  // passes may run at exit
  const std::lock_guard<std::mutex> lock(mutex);
  lines::Kernel& kernel = kernels[{factor_source(factors, element), current_device()}];
  if (!kernel) kernel = load(factor_code(factors, element, lines::architecture()));
  return kernel;
}

}  // namespace

void prepare_texts(const SpectralFactors& factors, ElementType element) {
  if (!lines::can_compile())
    fail(Status::unsupported, "operators of CUDA source text need libnvrtc, which was not found, or SHARDFFT_JIT is 0");
  static_cast<void>(factor_code(factors, element, lines::architecture()));  // throws if a text does not compile
  static_cast<void>(kernel_of(factors, element));
}

void multiply_by_texts(const void* in, void* out, const SpectralFactors& factors, const std::complex<double>* numbers,
                       const std::vector<Piece>& pieces, ElementType element, void* stream) {
  const lines::Kernel& kernel = kernel_of(factors, element);
  for (const FactorPass& pass : factor_passes(in, out, factors, numbers, pieces))
    kernel.launch(&pass, blocks_of(pass), 0, stream);
}

}  // namespace shardfft::device
