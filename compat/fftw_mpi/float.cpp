// fftwf_mpi_*
#include <fftw3-mpi.h>

#include <algorithm>

#include "handle.hpp"
#include "planner.hpp"

#define SERIAL(name) fftwf_##name
#define PARALLEL(name) fftwf_mpi_##name
#define FORTRAN(name) fftwf_mpi_##name##_f03
#define REAL float
#define COMPLEX fftwf_complex
#define PRECISION Precision::f32
#define SUPPORTED true
#define EXPORT_WISDOM fftwf_export_wisdom_to_string
#define IMPORT_WISDOM fftwf_import_wisdom_from_string
#define CLEANUP fftwf_cleanup
#include "interface.inc"
