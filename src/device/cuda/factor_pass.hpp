#pragma once
// Converts an operator's factors to arguments of its kernels. For files that a GPU's compiler compiles.
#include <vector>

#include "device/cuda/factors.cuh"
#include "pack/spectral_factors.hpp"

namespace shardfft::device {

inline FactorTerms terms_of(const SpectralFactors& factors) {
  using What = FactorTerms::What;
  constexpr What joins[] = {What::plus, What::minus, What::times, What::over};
  FactorTerms terms;
  long long numbers = 0;
  for (const SpectralFactors::Term& term : factors.terms) {
    FactorTerms::Term& made = terms.term[terms.count++];
    if (const auto* constant = std::get_if<std::complex<double>>(&term)) {
      made = {What::constant, 0, 0, {constant->real(), constant->imag()}};
    } else if (const auto* axis = std::get_if<SpectralFactors::OfAxis>(&term)) {
      made = {What::axis, axis->axis + 1, numbers, {}};
      numbers += static_cast<long long>(axis->numbers->size());
    } else if (const auto* join = std::get_if<SpectralFactors::Join>(&term)) {
      made = {joins[static_cast<int>(*join)], 0, 0, {}};
    } else {
      made = {What::text, 0, 0, {}};
    }
  }
  return terms;
}

/// Blocks for all lines of a piece, each with `width` threads.
inline unsigned blocks_of(const FactorPass& pass) {
  return blocks_for(pass.walk.elements / pass.walk.count[pass.walk.axes - 1] * pass.width);
}

/// The most threads along one line: with more, each would look up its place for too few numbers.
constexpr int longest_row = 32;

/// One pass for each piece that is not empty.
inline std::vector<FactorPass> factor_passes(const void* in, void* out, const SpectralFactors& factors,
                                             const std::complex<double>* numbers, const std::vector<Piece>& pieces) {
  std::vector<FactorPass> passes;
  for (const Piece& piece : pieces) {
    FactorPass pass{in, out, reinterpret_cast<const Complex<double>*>(numbers), walk_of(piece), terms_of(factors),
                    1,  0};
    if (pass.walk.elements == 0) continue;
    const int inner = pass.walk.axes - 1, axis = pass.walk.axis[inner];
    while (pass.width < longest_row && pass.width < pass.walk.count[inner]) pass.width *= 2;
    const auto varies = [axis](const FactorTerms::Term& term) {
      return term.what == FactorTerms::What::axis && term.axis == axis;
    };
    while (pass.same < pass.terms.count && !varies(pass.terms.term[pass.same])) ++pass.same;
    passes.push_back(pass);
  }
  return passes;
}

}  // namespace shardfft::device
