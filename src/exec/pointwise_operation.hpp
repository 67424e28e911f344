#pragma once
// Steps that touch every element once: twiddles, promotions, half spectra, copies.
#include "exec/operation.hpp"

namespace shardfft {

/// Multiplies by the twiddle factors over the rank's piece of `layout` (conjugated when backward).
std::unique_ptr<Operation> make_twiddle(const TwiddleFactors& factors, const Layout& layout, int rank,
                                        Direction direction, Precision precision, Trace* trace);
/// Real to complex (forward) or the real part of complex (backward), `count` elements.
std::unique_ptr<Operation> make_promote(std::int64_t count, Direction direction, Precision precision, Trace* trace);
/// Doubles the modes of a half spectrum that stand for two.
std::unique_ptr<Operation> make_half_spectrum(const HalfSpectrum& modes, const Layout& layout, int rank,
                                              Precision precision, Trace* trace);
/// A plain copy, for programs without steps.
std::unique_ptr<Operation> make_copy(std::size_t bytes, Trace* trace);

}  // namespace shardfft
