#pragma once
// Options of plans behind an interface without options: from an environment variable.
#include "shardfft/options.hpp"

namespace shardfft::compat {

/// Sets the options that the variable names ("exchange=p2p local_fft=fftw"). Throws Error for words of another form,
/// unknown options and wrong values; the message names the variable.
void set_given_options(Options& options, const char* variable);

}  // namespace shardfft::compat
