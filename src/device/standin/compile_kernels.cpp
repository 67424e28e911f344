// Where no compiler for kernels is known when the library is built.
#include "base/check.hpp"
#include "shardfft/kernels.hpp"

namespace shardfft {

std::vector<std::string> compile_kernels(const KernelsFor& /*plans*/) {
  fail(Status::unsupported, "this build has no compiler for kernels: it found no CUDA toolkit");
}

}  // namespace shardfft
