// For builds without a compiler for kernels.
#include "base/check.hpp"
#include "device/begin_kernels.hpp"
#include "device/factor_code.hpp"
#include "shardfft/kernels.hpp"

namespace shardfft {

std::vector<std::string> compile_kernels(const KernelsFor& /*plans*/) {
  fail(Status::unsupported, "this build has no compiler for kernels: it found no CUDA toolkit");
}

namespace device {

bool has_cores_for_kernels(int /*processes*/) { return false; }
void begin_kernels(const KernelsFor& /*plans*/) {}

std::string factor_code(const SpectralFactors& /*factors*/, ElementType /*element*/, int /*architecture*/) {
  fail(Status::unsupported, "operators of CUDA source text need a CUDA toolkit, which this build has not found");
}

}  // namespace device
}  // namespace shardfft
