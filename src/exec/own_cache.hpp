#pragma once
// The cache that a core has for itself.
#include <unistd.h>

#include "tune/defaults.hpp"

namespace shardfft {

inline std::int64_t own_cache_bytes() {
  const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return l2 > 0 ? l2 : host_defaults().own_cache_bytes;
}

/// A bundle of lines: those of source and result pass through the cache too.
inline std::int64_t default_bundle_bytes() { return own_cache_bytes() / host_defaults().bundles_in_own_cache; }

}  // namespace shardfft
