#include "base/heap.hpp"

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace shardfft {

std::size_t heap_bytes() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  // If another heap took the place of glibc's (sanitizers), the first call sets glibc's up, without a lock.
  static const struct mallinfo2 first = mallinfo2();
  (void)first;
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

}  // namespace shardfft
