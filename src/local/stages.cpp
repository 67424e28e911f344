#include "local/stages.hpp"

#include "base/aligned.hpp"
#include "local/passes.hpp"

namespace shardfft {
namespace {

/// Scratch for a dense array.
std::size_t dense_bytes(const Loops& loops, ElementType element) {
  return round_up(static_cast<std::size_t>(points(loops)) * element.bytes(), cache_line);
}

/// Loops with other strides on one side.
Loops with_strides(Loops loops, std::int64_t FftDim::*side, const std::vector<std::int64_t>& strides) {
  for (std::size_t i = 0; i < loops.size(); ++i) loops[i].*side = strides[i];
  return loops;
}

class Nothing : public LocalFft {
 public:
  void execute(const void*, void*, std::byte*, ReadAhead&) const override {}
};

class Copy : public LocalFft {
 public:
  explicit Copy(const FftSpec& spec)
      : in_(input_element(spec)), out_(output_element(spec)), loops_(merged(output_loops(spec))), scale_(spec.scale) {}
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

class ConjugatedC2r : public LocalFft {
 public:
  ConjugatedC2r(const FftSpec& spec, const SubFactory& make)
      : element_(input_element(spec)), loops_(input_loops(spec)), dense_bytes_(dense_bytes(loops_, element_)) {
    const auto strides = dense_strides(loops_);
    loops_ = with_strides(loops_, &FftDim::out_stride, strides);
    FftSpec sub = spec;
    set_strides(sub, &FftDim::in_stride, strides);
    sub.direction = Direction::backward;
    sub.in_place = false;
    sub.preserve_input = false;
    fft_ = make(sub);
  }
  std::size_t scratch_bytes() const override { return dense_bytes_ + fft_->scratch_bytes(); }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    copy_points(element_, element_, loops_, in, scratch, 1, true);
    fft_->execute(scratch, out, scratch + dense_bytes_, ahead);
  }

 private:
  ElementType element_;
  Loops loops_;
  std::size_t dense_bytes_;
  std::unique_ptr<LocalFft> fft_;
};

class Staged : public LocalFft {
 public:
  Staged(const FftSpec& spec, const SubFactory& make)
      : element_(output_element(spec)), loops_(output_loops(spec)), dense_bytes_(dense_bytes(loops_, element_)) {
    const auto strides = dense_strides(loops_);
    loops_ = with_strides(loops_, &FftDim::in_stride, strides);
    FftSpec sub = spec;
    set_strides(sub, &FftDim::out_stride, strides);
    sub.in_place = false;
    sub.preserve_input = false;
    fft_ = make(sub);
  }
  std::size_t scratch_bytes() const override { return dense_bytes_ + fft_->scratch_bytes(); }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    fft_->execute(in, scratch, scratch + dense_bytes_, ahead);
    copy_points(element_, element_, loops_, scratch, out);
  }

 private:
  ElementType element_;
  Loops loops_;
  std::size_t dense_bytes_;
  std::unique_ptr<LocalFft> fft_;
};

}  // namespace

std::unique_ptr<LocalFft> make_nothing() { return std::make_unique<Nothing>(); }
std::unique_ptr<LocalFft> make_copy(const FftSpec& spec) { return std::make_unique<Copy>(spec); }
std::unique_ptr<LocalFft> make_finished(const FftSpec& spec, const SubFactory& make) {
  return std::make_unique<Finished>(spec, make);
}
std::unique_ptr<LocalFft> make_conjugated_c2r(const FftSpec& spec, const SubFactory& make) {
  return std::make_unique<ConjugatedC2r>(spec, make);
}
std::unique_ptr<LocalFft> make_staged(const FftSpec& spec, const SubFactory& make) {
  return std::make_unique<Staged>(spec, make);
}

}  // namespace shardfft
