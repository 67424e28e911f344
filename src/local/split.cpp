// Transforms of several axes as two transforms of fewer: for libraries that cannot make them, or not this c2r, and for
// one large transform on several threads.
#include <algorithm>

#include "base/aligned.hpp"
#include "local/stages.hpp"

namespace shardfft {
namespace {

/// The transform of the first axis alone, complex except for r2r, on one side's strides (in place there).
FftSpec first_axis(const FftSpec& spec, Loops complex_loops, std::int64_t Loop::*side) {
  for (Loop& d : complex_loops) d.from = d.to = d.*side;
  FftSpec first = spec;
  if (spec.kind != Kind::r2r) first.kind = Kind::c2c;
  first.types.resize(std::min<std::size_t>(1, spec.types.size()));
  first.transform = {complex_loops.front()};
  first.batch.assign(complex_loops.begin() + 1, complex_loops.end());
  first.in_place = true;
  return first;
}

/// The transform of all axes except the first.
FftSpec other_axes(const FftSpec& spec) {
  FftSpec others = spec;
  others.batch.insert(others.batch.begin(), spec.transform.front());
  others.transform.erase(others.transform.begin());
  if (!others.types.empty()) others.types.erase(others.types.begin());
  return others;
}

/// c2c, r2c and r2r: the other axes from input to output, then the first axis in place.
class SplitForward : public LocalFft {
 public:
  SplitForward(const FftSpec& spec, const SubFactory& make) {
    FftSpec others = other_axes(spec);
    others.scale = 1;
    others_ = make(others);
    first_ = make(first_axis(spec, output_loops(spec), &Loop::to));
  }
  std::size_t scratch_bytes() const override { return std::max(first_->scratch_bytes(), others_->scratch_bytes()); }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    others_->execute(in, out, scratch, ahead);
    first_->execute(out, out, scratch, ahead);
  }

 private:
  std::unique_ptr<LocalFft> others_, first_;
};

/// c2r: the first axis in place of the input or into scratch, then the other axes, which may destroy their input.
class SplitC2r : public LocalFft {
 public:
  SplitC2r(const FftSpec& spec, const SubFactory& make) : keeps_(!spec.in_place && spec.preserve_input) {
    if (keeps_)
      dense_bytes_ =
          round_up(static_cast<std::size_t>(points(input_loops(spec))) * input_element(spec).bytes(), cache_line);
    FftSpec first = first_axis(spec, input_loops(spec), &Loop::from);
    FftSpec others = other_axes(spec);
    first.scale = 1;
    if (keeps_) {
      const auto strides = dense_strides(input_loops(spec));
      FftSpec dense = spec;
      set_strides(dense, &Loop::from, strides);
      others = other_axes(dense);
      others.preserve_input = false;
      first.in_place = false;
      first.transform.front().to = strides.front();
      for (std::size_t i = 0; i < first.batch.size(); ++i) first.batch[i].to = strides[i + 1];
    }
    first_ = make(first);
    others_ = make(others);
  }
  std::size_t scratch_bytes() const override {
    return dense_bytes_ + std::max(first_->scratch_bytes(), others_->scratch_bytes());
  }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    void* const middle = keeps_ ? scratch : const_cast<void*>(in);
    first_->execute(in, middle, scratch + dense_bytes_, ahead);
    others_->execute(middle, out, scratch + dense_bytes_, ahead);
  }

 private:
  bool keeps_;
  std::size_t dense_bytes_ = 0;
  std::unique_ptr<LocalFft> first_, others_;
};

}  // namespace

std::unique_ptr<LocalFft> make_split(const FftSpec& spec, const SubFactory& make) {
  if (spec.kind == Kind::c2r) return std::make_unique<SplitC2r>(spec, make);
  return std::make_unique<SplitForward>(spec, make);
}

}  // namespace shardfft
