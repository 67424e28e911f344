// A transform inside one array, in stages.
#include <algorithm>

#include "gpu/pass/fft_plan.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// A pass may use the array's bytes divided by this as memory beside the array, and cuFFT as much again.
constexpr std::int64_t parts_of_array = 1000;
constexpr std::int64_t least_piece_bytes = 32 << 10;

std::int64_t piece_bytes(const FftSpec& spec) {
  const std::int64_t in = points(input_loops(spec)) * static_cast<std::int64_t>(input_element(spec).bytes());
  const std::int64_t out = points(output_loops(spec)) * static_cast<std::int64_t>(output_element(spec).bytes());
  return std::clamp(std::max(in, out) / parts_of_array, least_piece_bytes, gpu_defaults().transposed_piece_bytes);
}

/// The transform along one axis of several; the others are its batch.
FftSpec along(const FftSpec& spec, std::size_t axis) {
  FftSpec stage = spec;
  stage.transform = {spec.transform[axis]};
  if (spec.kind == Kind::r2r) stage.types = {spec.types[axis]};
  for (std::size_t i = 0; i < spec.transform.size(); ++i)
    if (i != axis) stage.batch.push_back(spec.transform[i]);
  return stage;
}

}  // namespace

StageList stages_in_one_array(const FftSpec& spec) {
  StageList list;
  list.in_place = true;
  list.how = " in place";
  PassUse use;
  use.piece_bytes = piece_bytes(spec);
  const auto add = [&](FftSpec stage) {
    stage.scale = 1;
    list.stages.push_back({std::move(stage), {PassBuffer::out}, {PassBuffer::out}, use});
  };
  if (is_empty(spec)) return list;
  if (is_halved(spec)) add(spec);
  // Cosine transforms of one point multiply.
  for (std::size_t i = is_halved(spec) ? 0 : spec.transform.size(); i-- > 0;)
    if (spec.transform[i].count > 1 || spec.kind == Kind::r2r) add(along(spec, i));
  return list;
}

}  // namespace shardfft::gpu
