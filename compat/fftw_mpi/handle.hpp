#pragma once
// Plans in the form in which FFTW 3.3 knows its own.
//
// FFTW's fftw_execute, fftw_destroy_plan, fftw_print_plan and so on work through a table of functions that each plan
// names, so that FFTW's own MPI library can make plans that its serial library runs. The plans made here have the same
// form. So whichever FFTW a program calls, from a shared library, from an archive or from one that it loaded for
// itself, it runs them, and no function of FFTW's serial library has to be replaced.
#include <cstdint>
#include <string>

#include "chain.hpp"
#include "shardfft/types.hpp"

namespace shardfft::compat {

/// A plan for FFTW's functions, which own it: fftw_destroy_plan frees it. `text` is what fftw_print_plan writes,
/// `flops` the nominal number of operations of all ranks.
void* make_handle(Chain chain, const void* in, void* out, std::string text, double flops);

/// Runs any plan, of this library or of FFTW, on other arrays.
void run_on(void* plan, const void* in, void* out);

/// Why the fftw_execute that the process sees cannot run such plans: another library than FFTW 3.3 provides it. Empty
/// where it can.
std::string foreign_fftw(Precision precision);

}  // namespace shardfft::compat
