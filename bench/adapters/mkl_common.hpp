// What the two MKL adapters share.
#pragma once

#include <mkl_dfti.h>
#include <mkl_service.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace shardfft::bench {

// MKL_LONG is a macro of two words: no function-style cast.
inline MKL_LONG mkl_long(std::int64_t value) { return static_cast<MKL_LONG>(value); }

inline void mkl_check(MKL_LONG status) {
  if (status != DFTI_NO_ERROR) throw std::runtime_error(std::string("MKL: ") + DftiErrorMessage(status));
}

inline std::string mkl_version_text() {
  MKLVersion version;
  mkl_get_version(&version);
  return std::to_string(version.MajorVersion) + "." + std::to_string(version.MinorVersion) + "." +
         std::to_string(version.UpdateVersion);
}

}  // namespace shardfft::bench
