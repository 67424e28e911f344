// fftwl_mpi_*: every plan is refused. Sizes are those of the other precisions. FFTW's long double library is not used
// and need not be installed.
#include <fftw3-mpi.h>

#include <algorithm>

#include "handle.hpp"
#include "planner.hpp"

#define SERIAL(name) fftwl_##name
#define PARALLEL(name) fftwl_mpi_##name
#define FORTRAN(name) fftwl_mpi_##name##_f03
#define REAL long double
#define COMPLEX fftwl_complex
#define PRECISION Precision::f64
#define SUPPORTED false
#define EXPORT_WISDOM []() -> char* { return nullptr; }
#define IMPORT_WISDOM [](const char*) { return 1; }
#define CLEANUP []() {}
#include "interface.inc"
