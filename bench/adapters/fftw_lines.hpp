// FFTW along one axis (or the two fastest) of a packed part, for libraries that only move data.
#pragma once

#include <memory>
#include <vector>

#include "../native/box.hpp"
#include "fftw_api.hpp"

namespace shardfft::bench {

// A list of stages, each a forward and a backward plan in place, executed by number.
template <class Real>
class FftwLines {
 public:
  using Api = FftwApi<Real>;
  using Complex = typename Api::Complex;

  bool empty() const { return stages_.empty(); }

  // Complex lines along `axis`, which is the fastest of the part; `two` transforms axes 1 and 2 of a part whose
  // planes along axis 0 are whole.
  void add(const Part& part, void* data, int axis, bool two, unsigned effort) {
    auto stage = std::make_unique<FftwPlans<Real>>();
    auto* values = static_cast<Complex*>(data);
    const int n[2] = {int(part.count[1]), int(part.count[axis])};
    const int length = two ? n[0] * n[1] : n[1];
    const int lines = length > 0 ? int(part.volume() / length) : 0;
    const int* first = two ? n : n + 1;
    const int rank = two ? 2 : 1;
    if (lines > 0) {
      stage->forward =
          Api::many(rank, first, lines, values, nullptr, 1, length, values, nullptr, 1, length, FFTW_FORWARD, effort);
      stage->backward =
          Api::many(rank, first, lines, values, nullptr, 1, length, values, nullptr, 1, length, FFTW_BACKWARD, effort);
    }
    stages_.push_back(std::move(stage));
  }

  // Real lines along axis 2 of `field` to complex lines of `lines`, and back; `two` as above.
  void add_real(const Part& field, void* reals, const Part& lines, void* data, bool two, unsigned effort) {
    auto stage = std::make_unique<FftwPlans<Real>>();
    auto* values = static_cast<Complex*>(data);
    const int n[2] = {int(field.count[1]), int(field.count[2])};
    const int rank = two ? 2 : 1;
    const int* first = two ? n : n + 1;
    const int from = two ? n[0] * n[1] : n[1];
    const int to = int(two ? lines.count[1] * lines.count[2] : lines.count[2]);
    const int count = from > 0 ? int(field.volume() / from) : 0;
    if (count > 0) {
      auto* source = static_cast<Real*>(reals);
      stage->forward = Api::r2c(rank, first, count, source, nullptr, 1, from, values, nullptr, 1, to, effort);
      stage->backward = Api::c2r(rank, first, count, values, nullptr, 1, to, source, nullptr, 1, from, effort);
    }
    stages_.push_back(std::move(stage));
  }

  void execute(int stage, bool forward) {
    const auto& plans = *stages_[stage];
    // A rank without lines has no plan.
    if (plans.forward) Api::execute(forward ? plans.forward : plans.backward);
  }

 private:
  std::vector<std::unique_ptr<FftwPlans<Real>>> stages_;
};

}  // namespace shardfft::bench
