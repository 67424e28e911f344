#pragma once
// Cases that plans on CPUs and on GPUs are tried with alike. What visits them is given their number, from 0 on.
#include <string>
#include <vector>

#include "support/transform_check.hpp"

namespace shardfft::test {

/// Cosine and sine transforms beside Fourier transforms. The halved axis is the last one with a Fourier transform,
/// wherever it is. `options_of`: of transforms and an algorithm.
template <class OptionsOf, class Visit>
void sweep_mixed_cosines(const OptionsOf& options_of, const Visit& visit) {
  using enum AxisTransform;
  using Types = std::vector<AxisTransform>;
  std::size_t turn = 0;
  for (const Types& types : {Types{fft, fft, dct1}, Types{dct2, fft, fft}, Types{fft, dst1, fft},
                             Types{dst3, fft, dct4}, Types{fft, dct3, dst2}})
    for (const std::string algorithm : {"auto", "slab", "pencil", "brick", "cyclic"})
      for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
        Options options = options_of(types, algorithm);
        options.batch = turn % 4 == 0 ? 2 : 1;
        visit(turn, TransformCase{{6, 5, 9},
                                  turn % 2 == 0 ? "slab" : "pencil",
                                  turn % 3 == 0 ? "natural" : "left",
                                  kind,
                                  turn % 5 == 0 ? Precision::f32 : Precision::f64,
                                  options});
        ++turn;
      }
}

/// Fewer modes along some axes and all: rules for lone modes, algorithms and kinds with each other, and each with all
/// modes, which take turns. `options_of`: of modes, rule and algorithm;
/// `c2r_output`: c2r plans must be told where they lead to.
template <class OptionsOf, class Visit>
void sweep_modes(const OptionsOf& options_of, const std::string& c2r_output, const Visit& visit) {
  const Shape all_modes[] = {{6, 5, 4}, {3, 0, 6}, {0, 4, 0}, {5, 0, 0}};
  std::size_t turn = 0;
  for (const LoneMode rule : {LoneMode::split, LoneMode::keep, LoneMode::zero})
    for (const std::string algorithm : {"auto", "slab", "pencil", "brick", "cyclic"})
      for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
        const Shape& modes = all_modes[(turn / 3 + turn % 3) % 4];
        Options options = options_of(modes, rule, algorithm);
        options.batch = turn % 13 < 4 ? 2 : 1;
        // A lone mode that is kept has no mirror image: half spectra with one belong to no real array.
        const bool fits = kind == Kind::c2c || rule != LoneMode::keep || modes == Shape{3, 0, 6};
        if (!fits) options.modes = {5, 3, 4};
        visit(turn, TransformCase{{9, 8, 7},
                                  turn % 2 == 0 ? "slab" : "pencil",
                                  kind == Kind::c2r ? c2r_output
                                  : turn % 7 < 2    ? "natural"
                                                    : "left",
                                  kind,
                                  turn % 11 < 3 ? Precision::f32 : Precision::f64,
                                  options});
        ++turn;
      }
}

}  // namespace shardfft::test
