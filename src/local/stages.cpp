#include "local/stages.hpp"

#include "base/aligned.hpp"
#include "local/passes.hpp"

namespace shardfft {
namespace {

class Copy : public LocalFft {
 public:
  explicit Copy(const FftSpec& spec)
      : in_(input_element(spec)),
        out_(output_element(spec)),
        loops_(is_empty(spec) ? Loops{{0, 1, 1}} : merged(output_loops(spec))),
        scale_(spec.scale) {}
  void execute(const void* in, void* out, std::byte*, ReadAhead&) const override {
    copy_points(in_, out_, loops_, in, out, scale_);
  }

 private:
  ElementType in_, out_;
  Loops loops_;
  double scale_;
};

class Finished : public LocalFft {
 public:
  Finished(const FftSpec& spec, const SubFactory& make)
      : element_(output_element(spec)),
        loops_(output_loops(spec)),
        scale_(spec.scale),
        conjugate_(spec.kind == Kind::r2c && spec.direction == Direction::backward) {
    FftSpec sub = spec;
    sub.scale = 1;
    if (conjugate_) sub.direction = Direction::forward;
    fft_ = make(sub);
  }
  std::size_t scratch_bytes() const override { return fft_->scratch_bytes(); }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    fft_->execute(in, out, scratch, ahead);
    scale_points(element_, loops_, out, scale_, conjugate_);
  }

 private:
  ElementType element_;
  Loops loops_;
  double scale_;
  bool conjugate_;
  std::unique_ptr<LocalFft> fft_;
};

/// One side is in scratch: the conjugated input of a c2r, or the output of a transform in place.
class Staged : public LocalFft {
 public:
  Staged(const FftSpec& spec, const SubFactory& make, bool conjugates)
      : conjugates_(conjugates),
        element_(conjugates ? input_element(spec) : output_element(spec)),
        loops_(conjugates ? input_loops(spec) : output_loops(spec)),
        dense_bytes_(round_up(static_cast<std::size_t>(points(loops_)) * element_.bytes(), cache_line)) {
    const auto strides = dense_strides(loops_);
    for (std::size_t i = 0; i < loops_.size(); ++i) (conjugates ? loops_[i].to : loops_[i].from) = strides[i];
    FftSpec sub = spec;
    set_strides(sub, conjugates ? &Loop::from : &Loop::to, strides);
    if (conjugates) sub.direction = Direction::backward;
    sub.in_place = false;
    sub.preserve_input = false;
    fft_ = make(sub);
  }
  std::size_t scratch_bytes() const override { return dense_bytes_ + fft_->scratch_bytes(); }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    if (conjugates_) copy_points(element_, element_, loops_, in, scratch, 1, true);
    fft_->execute(conjugates_ ? scratch : in, conjugates_ ? out : scratch, scratch + dense_bytes_, ahead);
    if (!conjugates_) copy_points(element_, element_, loops_, scratch, out);
  }

 private:
  bool conjugates_;
  ElementType element_;
  Loops loops_;
  std::size_t dense_bytes_;
  std::unique_ptr<LocalFft> fft_;
};

}  // namespace

std::unique_ptr<LocalFft> make_copy(const FftSpec& spec) { return std::make_unique<Copy>(spec); }
std::unique_ptr<LocalFft> make_finished(const FftSpec& spec, const SubFactory& make) {
  return std::make_unique<Finished>(spec, make);
}
std::unique_ptr<LocalFft> make_staged(const FftSpec& spec, const SubFactory& make, bool conjugates) {
  return std::make_unique<Staged>(spec, make, conjugates);
}

}  // namespace shardfft
