// The main of drivers that measure something other than a whole FFT: the same command line and the same record.
#pragma once

#include <mpi.h>

#include <functional>

#include "case.hpp"

namespace shardfft::bench {

struct Probe {
  std::string library, version, language, licence;
  Json options;     // {"name": [values]} accepted in the case's "options"
  int threads = 0;  // MPI_THREAD_*, that the probe needs
  std::function<Json(const Case&, MPI_Comm)>
      measure;  // samples, error and what else the record has; complete on rank 0
};

// The larger of two errors, `worst` so far and that of one more number. NaN and infinity, which JSON does not know,
// count as 1e99.
double larger_error(double worst, double error);

// PROBE --describe | CASE [RECORD]; the exit code.
int probe_main(int argc, char** argv, const Probe& probe);

}  // namespace shardfft::bench
