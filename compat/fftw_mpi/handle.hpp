#pragma once
// Plans in the form of FFTW 3.3's own.
//
// FFTW's fftw_execute, fftw_destroy_plan, fftw_print_plan and so on call a table of functions that each plan names:
// FFTW's serial library can thus run plans of FFTW's MPI library. The plans made here have the same form. Any FFTW that
// a program calls can run them, from a shared library, from an archive or loaded by the program itself. No function of
// FFTW's serial library needs to be replaced.
#include <cstdint>
#include <string>

#include "chain.hpp"
#include "shardfft/types.hpp"

namespace shardfft::compat {

/// A plan for FFTW's functions, which own it: fftw_destroy_plan frees it. fftw_print_plan writes `text`; `flops` is the
/// nominal number of operations of all ranks.
void* make_handle(Chain chain, const void* in, void* out, std::string text, double flops);

/// Runs any plan, of this library or of FFTW, on other arrays.
void run_on(void* plan, const void* in, void* out);

/// The reason why the process's fftw_execute cannot run such plans: a library other than FFTW 3.3 provides it. Empty if
/// it can.
std::string foreign_fftw(Precision precision);

}  // namespace shardfft::compat
