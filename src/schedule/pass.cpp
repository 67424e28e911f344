#include "schedule/pass.hpp"

#include "lower/fft_spec.hpp"

namespace shardfft {

FftSpec fft_spec(const Pass& pass, int rank, Precision precision, const Slice& slice) {
  FftSpec spec =
      fft_spec_between(pass.step, sliced(only_piece(pass.before.layout, rank), slice),
                       sliced(only_piece(pass.after.layout, rank), slice), precision, pass.before.is_complex);
  spec.ranks = pass.before.layout.ranks();
  spec.scale = pass.scale;
  spec.in_place = pass.in_place;
  spec.preserve_input = pass.preserve_input;
  return spec;
}

PlacedFft placed_fft(const Pass& pass, int rank, Precision precision, const Slice& slice) {
  const auto offset = [&](const State& state) {
    return sliced(only_piece(state.layout, rank), slice).offset *
           static_cast<std::int64_t>(element_bytes(state, precision));
  };
  return {fft_spec(pass, rank, precision, slice), offset(pass.before), offset(pass.after)};
}

}  // namespace shardfft
