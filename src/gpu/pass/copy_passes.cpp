// Passes that transform nothing.
#include "device/copy_box.hpp"
#include "device/pointwise.hpp"
#include "gpu/pass/catalogue.hpp"

namespace shardfft::gpu {

namespace {

/// Copies elements from the loops' places in the input to those in the output, and multiplies them by FftSpec::scale;
/// both sides have one type.
class CopyPass : public FftPass {
 public:
  explicit CopyPass(const FftSpec& spec) : element_(input_element(spec)), factor_(spec.scale) {
    const Loops loops = merged(spec.batch);
    from_ = box_of(loops, &Loop::from);
    to_ = box_of(loops, &Loop::to);
    whole_ = loops.empty() || (loops.size() == 1 && loops.front().from == 1 && loops.front().to == 1);
  }
  void enqueue(const PassArrays& arrays, device::StreamHandle stream) const override {
    const std::size_t bytes = element_.bytes();
    if (!whole_) device::copy_box(arrays.from, from_, arrays.to, to_, bytes, stream);
    if (factor_ != 1)
      device::scale(whole_ ? arrays.from : arrays.to, arrays.to, to_.elements(), element_, factor_, stream);
    else if (whole_ && arrays.from != arrays.to)
      device::copy_bytes(arrays.to, arrays.from, static_cast<std::size_t>(from_.elements()) * bytes, stream);
  }
  std::string name() const override { return "copy"; }

 private:
  ElementType element_;
  double factor_;
  Box from_, to_;
  bool whole_ = false;  ///< one run of memory on both sides
};

class ScalePass : public FftPass {
 public:
  explicit ScalePass(const FftSpec& spec)
      : count_(points(output_loops(spec))), element_(output_element(spec)), factor_(spec.scale) {}
  void enqueue(const PassArrays& arrays, device::StreamHandle stream) const override {
    device::scale(arrays.to, arrays.to, count_, element_, factor_, stream);
  }
  std::string name() const override { return "scale"; }

 private:
  std::int64_t count_;
  ElementType element_;
  double factor_;
};

}  // namespace

extern const PassRecord copy_pass{
    .name = "copy",
    .scales = true,
    .where_it_lies = false,
    .fits = [](const FftSpec& spec, const PassUse&) { return spec.transform.empty(); },
    .make = [](const FftSpec& spec, const PassUse&) -> PassPointer { return std::make_unique<CopyPass>(spec); }};

const PassRecord scale_pass{
    .name = "scale",
    .in_one_array = true,
    .fits = [](const FftSpec&, const PassUse&) { return true; },
    .make = [](const FftSpec& spec, const PassUse&) -> PassPointer { return std::make_unique<ScalePass>(spec); }};

}  // namespace shardfft::gpu
