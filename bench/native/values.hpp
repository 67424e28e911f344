// Exact values in a library's buffers, wherever these lie: put there, compared there, put back before each repeat.
#pragma once

#include <stdexcept>

#include "field.hpp"

namespace shardfft::bench {

enum class Side { field, spectrum };

class Values {
 public:
  virtual ~Values() = default;
  // The field's or the spectrum's exact values of this rank's part into the library's buffer.
  virtual void fill(Side side) = 0;
  // This rank's errors when the buffer holds the exact values times `scale`.
  virtual ErrorSums compare(Side side, double scale) = 0;
  // restore() puts what fill(side) has just put there into the buffer again; cheap, for it runs before each repeat.
  virtual void keep(Side side) = 0;
  virtual void restore() = 0;
  // Multiplies the library's spectrum by what the case applies; values on GPUs cannot.
  virtual void apply() { throw std::logic_error("this driver's spectrum is out of reach"); }
};

}  // namespace shardfft::bench
