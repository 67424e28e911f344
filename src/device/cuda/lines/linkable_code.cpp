#include "device/linkable_code.hpp"

#include "device/cuda/lines/nvrtc.hpp"
#include "device/cuda/lines/registry.hpp"

namespace shardfft::device {

std::string linkable_code(const std::string& source) { return lines::compile_linkable(source, lines::architecture()); }

}  // namespace shardfft::device
