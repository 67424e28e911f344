#include "base/page_size.hpp"

#include <unistd.h>

#include "base/text.hpp"

namespace shardfft {

PageSizes page_sizes() {
  static const PageSizes kernels = [] {
    PageSizes sizes{static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), 0};
    TextOfFile("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> sizes.huge;
    return sizes;
  }();
  const PageSizes* const told = installed<PageSizes>();
  return told != nullptr ? *told : kernels;
}

}  // namespace shardfft
