// Does the library give the right numbers for this case? Asked before any clock is started.
#pragma once

#include <mpi.h>

#include "adapter.hpp"
#include "field.hpp"

namespace shardfft::bench {

struct Error {
  double max = 0;  // max |found - exact| over the root mean square of the exact values
  double l2 = 0;   // ||found - exact|| / ||exact||
};

// Largest errors that pass: c * eps * log2(N), with c = 2 for l2 and 40 for max.
Error tolerance(const Case& wanted);
bool passes(const Error& error, const Error& bound);  // false for NaN

// Moves values between the exact field and a library's buffers, through host memory where those lie on a GPU.
class Examiner {
 public:
  Examiner(const Case& wanted, Adapter& adapter, MPI_Comm comm)
      : case_(wanted), adapter_(adapter), comm_(comm), field_(wanted) {}

  void fill_field();
  void fill_spectrum();
  // Errors over all ranks, the same on each, when the buffer holds the exact values times `scale`.
  Error field_error(double scale);
  Error spectrum_error(double scale);

  std::size_t field_bytes() const;
  std::size_t spectrum_bytes() const;

 private:
  template <class Visit>
  auto typed(bool real, void* data, Visit visit);
  Error combine(const ErrorSums& mine, const Triple& shape) const;

  const Case& case_;
  Adapter& adapter_;
  MPI_Comm comm_;
  Field field_;
};

Json to_json(const Error& error);

}  // namespace shardfft::bench
