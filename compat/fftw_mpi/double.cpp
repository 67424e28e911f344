// fftw_mpi_*
#include <fftw3-mpi.h>

#include <algorithm>

#include "handle.hpp"
#include "planner.hpp"

#define SERIAL(name) fftw_##name
#define PARALLEL(name) fftw_mpi_##name
#define FORTRAN(name) fftw_mpi_##name##_f03
#define REAL double
#define COMPLEX fftw_complex
#define PRECISION Precision::f64
#define SUPPORTED true
#define EXPORT_WISDOM fftw_export_wisdom_to_string
#define IMPORT_WISDOM fftw_import_wisdom_from_string
#define CLEANUP fftw_cleanup
#include "interface.inc"
