#include "gpu/pass/in_place_fft.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "gpu/pass/placed_passes.hpp"
#include "local/loops.hpp"
#include "lower/fft_spec.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// A pass, and cuFFT, may have one such part of the array beside it.
constexpr std::int64_t parts_of_array = 1000;
constexpr std::int64_t least_piece_bytes = 32 << 10;
/// What cosine transforms need for a piece, in pieces: their extension, cuFFT's work areas, copies.
constexpr std::int64_t cosine_pieces = 8;

std::int64_t piece_bytes(const FftSpec& spec) {
  const std::int64_t in = points(input_loops(spec)) * static_cast<std::int64_t>(input_element(spec).bytes());
  const std::int64_t out = points(output_loops(spec)) * static_cast<std::int64_t>(output_element(spec).bytes());
  return std::clamp(std::max(in, out) / parts_of_array, least_piece_bytes, gpu_defaults().transposed_piece_bytes);
}

/// The transform along one axis of several; the others are its batch.
FftSpec along(const FftSpec& spec, std::size_t axis) {
  FftSpec stage = spec;
  stage.scale = 1;
  stage.transform = {spec.transform[axis]};
  if (spec.kind == Kind::r2r) stage.types = {spec.types[axis]};
  for (std::size_t i = 0; i < spec.transform.size(); ++i)
    if (i != axis) stage.batch.push_back(spec.transform[i]);
  return stage;
}

/// In the order they run. Cosine transforms of one point multiply.
std::vector<FftSpec> stages_of(const FftSpec& spec) {
  std::vector<FftSpec> stages;
  if (is_empty(spec)) return stages;
  if (is_halved(spec)) {
    stages.push_back(spec);
    stages.back().scale = 1;
    return stages;
  }
  for (std::size_t i = spec.transform.size(); i-- > 0;)
    if (spec.transform[i].n > 1 || spec.kind == Kind::r2r) stages.push_back(along(spec, i));
  return stages;
}

bool scales_itself(const FftSpec& stage) { return stage.kind == Kind::r2r || line_pass_fits(stage); }

PassPointer make_pass(const FftSpec& stage, std::int64_t piece) {
  if (stage.kind == Kind::r2r) return make_cosine_pass(stage, piece / cosine_pieces);
  if (PassPointer line = make_line_pass(stage)) return line;
  return blocked_rows_pass_fits(stage) ? make_blocked_rows_pass(stage, piece) : make_transposed_pass(stage, piece);
}

}  // namespace

std::unique_ptr<DeviceOperation> make_in_place_fft(const FftSpec& spec) {
  std::vector<FftSpec> stages = stages_of(spec);
  const auto carrier = std::find_if(stages.rbegin(), stages.rend(), scales_itself);
  if (carrier != stages.rend()) carrier->scale = spec.scale;
  const Spot array{RunArray::out};
  std::vector<PlacedPass> passes;
  std::size_t scratch = 0;
  std::string text = describe_fft(spec) + " in place";
  for (const FftSpec& stage : stages) {
    PassPointer pass = make_pass(stage, piece_bytes(spec));
    scratch = std::max(scratch, pass->scratch_bytes());
    text += (passes.empty() ? " by " : ", ") + pass->name();
    passes.push_back({array, array, std::move(pass), {RunArray::scratch}, stage});
  }
  if (spec.scale != 1 && carrier == stages.rend() && !is_empty(spec))
    passes.push_back({array, array, make_scale_pass(points(output_loops(spec)), output_element(spec), spec.scale)});
  return std::make_unique<DeviceFft>(std::move(passes), scratch, true, text);
}

bool scales_free_in_place(const FftSpec& spec) {
  const std::vector<FftSpec> stages = stages_of(spec);
  return is_empty(spec) || std::any_of(stages.begin(), stages.end(), scales_itself);
}

}  // namespace shardfft::gpu
