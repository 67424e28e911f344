// Does the library give the right numbers for this case? Asked before any clock is started.
#pragma once

#include <mpi.h>

#include "adapter.hpp"

namespace shardfft::bench {

struct Error {
  double max = 0;  // max |found - exact| over the root mean square of the exact values
  double l2 = 0;   // ||found - exact|| / ||exact||
};

// Largest errors that pass: c * eps * log2(N), with c = 2 for l2 and 40 for max; where a case's option is called
// tolerance, that much more for l2, and 20 times it for max.
Error tolerance(const Case& wanted);
bool passes(const Error& error, const Error& bound);  // false for NaN

// Errors of what a library's buffers hold, over all ranks. Made after the adapter has planned.
class Examiner {
 public:
  Examiner(const Case& wanted, Adapter& adapter, MPI_Comm comm)
      : case_(wanted), comm_(comm), values_(adapter.make_values(wanted)) {}

  Values& values() { return *values_; }
  // The same on each rank, when the buffer holds the exact values times `scale`.
  Error error(Side side, double scale);

 private:
  const Case& case_;
  MPI_Comm comm_;
  std::unique_ptr<Values> values_;
};

Json to_json(const Error& error);

}  // namespace shardfft::bench
