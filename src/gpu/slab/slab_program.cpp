#include "gpu/slab/slab_program.hpp"

#include <algorithm>

#include "gpu/slab/slab.hpp"

namespace shardfft::gpu {

namespace {

bool transforms(const Step& step, const std::vector<int>& axes, Kind kind) {
  const auto* fft = std::get_if<TransformStep>(&step);
  return fft != nullptr && fft->numbers() == axes && fft->kind() == kind &&
         std::all_of(fft->axes.begin(), fft->axes.end(),
                     [](const AxisStep& axis) { return axis.kind != Kind::r2r && axis.sign == Direction::forward; });
}

/// One field of three axes, of which `cut` is cut in near-equal runs, in natural order.
bool is_cut_along(const Layout& layout, int cut) {
  const Shape& shape = layout.shape();
  return layout.same_as(Layout::slab({shape[1], shape[2], shape[3]}, layout.ranks(), cut).with_batch(1));
}

}  // namespace

std::optional<SlabShape> slab_shape_of(const Program& program, int first, Precision precision) {
  const auto at = static_cast<std::size_t>(first);
  if (first < 0 || at + slab_steps > program.steps.size()) return std::nullopt;
  const State& field = program.states[at];
  const Kind kind = field.is_complex ? Kind::c2c : Kind::r2c;
  const Shape& shape = field.layout.shape();
  if (shape.size() != 4 || shape[0] != 1 || !std::holds_alternative<ReshapeStep>(program.steps[at + 1]))
    return std::nullopt;
  for (const int x : {1, 2}) {
    const int y = 3 - x;
    bool same = transforms(program.steps[at], {y, 3}, kind) && transforms(program.steps[at + 2], {x}, Kind::c2c);
    for (std::size_t state = 0; state < 4; ++state)
      same = same && is_cut_along(program.states[at + state].layout, (state < 2 ? x : y) - 1);
    if (!same) continue;
    SlabShape made;
    made.transform = {kind, precision};
    made.nx = shape[static_cast<std::size_t>(x)];
    made.ny = shape[static_cast<std::size_t>(y)];
    made.nz = shape[3];
    made.ranks = field.layout.ranks();
    made.padded = false;  // users' spectra are dense
    made.woven = x == 2;
    return made;
  }
  return std::nullopt;
}

std::optional<SlabShape> slab_shape_of_either(const Program& program, int first, Precision precision) {
  const std::optional<SlabShape> shape = slab_shape_of(program, first, precision);
  if (shape) return shape;
  const Program back = reversed(program);
  return slab_shape_of(back, static_cast<int>(back.steps.size()) - first - slab_steps, precision);
}

}  // namespace shardfft::gpu
