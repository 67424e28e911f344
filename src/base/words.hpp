#pragma once
// The words of public enumerations, as users write and read them.
#include "shardfft/types.hpp"

namespace shardfft {

inline const char* to_text(Kind kind) {
  switch (kind) {
    case Kind::c2c:
      return "c2c";
    case Kind::r2c:
      return "r2c";
    case Kind::c2r:
      return "c2r";
    case Kind::r2r:
      return "r2r";
  }
  return "unknown";
}

inline const char* to_text(AxisTransform transform) {
  static const char* const words[] = {"fft", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4"};
  return words[static_cast<int>(transform)];
}

inline const char* to_text(Precision precision) { return precision == Precision::f64 ? "double" : "single"; }

}  // namespace shardfft
