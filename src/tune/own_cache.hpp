#pragma once
// The size of the cache that a core has for itself.
#include <unistd.h>

#include "tune/defaults.hpp"

namespace shardfft {

inline std::int64_t own_cache_bytes() {
  const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return l2 > 0 ? l2 : host_defaults().own_cache_bytes;
}

/// Bytes for a bundle of lines in such a cache: lines of source and result pass through it too.
inline std::int64_t bundle_bytes(std::int64_t own_cache) { return own_cache / host_defaults().bundles_in_own_cache; }
inline std::int64_t default_bundle_bytes() { return bundle_bytes(own_cache_bytes()); }

}  // namespace shardfft
