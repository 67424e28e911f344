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

// PROBE --describe | CASE [RECORD]; the exit code.
int probe_main(int argc, char** argv, const Probe& probe);

}  // namespace shardfft::bench
