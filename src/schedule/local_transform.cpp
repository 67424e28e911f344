#include "schedule/local_transform.hpp"

#include "lower/fft_spec.hpp"

namespace shardfft {

FftSpec fft_spec(const LocalTransform& local, int rank, Precision precision, const Slice& slice) {
  FftSpec spec =
      fft_spec_between(local.step, sliced(only_piece(local.before.layout, rank), slice),
                       sliced(only_piece(local.after.layout, rank), slice), precision, local.before.is_complex);
  spec.ranks = local.before.layout.ranks();
  spec.scale = local.scale;
  spec.in_place = local.in_place;
  spec.preserve_input = local.preserve_input;
  return spec;
}

PlacedFft placed_fft(const LocalTransform& local, int rank, Precision precision, const Slice& slice) {
  const auto offset = [&](const State& state) {
    return sliced(only_piece(state.layout, rank), slice).offset *
           static_cast<std::int64_t>(element_bytes(state, precision));
  };
  return {fft_spec(local, rank, precision, slice), offset(local.before), offset(local.after)};
}

}  // namespace shardfft
