#pragma once
// Bits that flip in the arrays of GPU plans with the option verify: whether the plan tells what matters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/hooks.hpp"
#include "mpi/communicator.hpp"
#include "support/device_check.hpp"

namespace shardfft::test {

using Moment = DeviceStepHook::Moment;

/// Flips a bit of one number of an array of one member here at one moment of a run.
class DeviceFlip : public DeviceStepHook {
 public:
  struct Where {
    std::size_t step = 0;
    Moment moment = Moment::before;
    std::size_t member = 0;
    double part = 0;  ///< of the array, below 1
    std::size_t number_bytes = 8;
    int bit = 0;
  };
  explicit DeviceFlip(const Where& where) : where_(where), left_(where.member) {}
  /// Whether there was a number to change.
  bool happened() const { return happened_; }

  void reached(std::size_t step, Moment moment, std::byte* array, std::size_t bytes, void* stream) override {
    if (step != where_.step || moment != where_.moment || left_-- != 0 || bytes == 0) return;
    const auto numbers = static_cast<double>(bytes / where_.number_bytes);
    std::byte* const at = array + static_cast<std::size_t>(where_.part * numbers) * where_.number_bytes +
                          static_cast<std::size_t>(where_.bit / 8);
    std::byte value{};
    device::copy_bytes(&value, at, 1, stream);
    device::synchronize(stream);
    value ^= static_cast<std::byte>(1U << (where_.bit % 8));
    device::copy_bytes(at, &value, 1, stream);
    device::synchronize(stream);
    happened_ = true;
  }

 private:
  Where where_;
  std::size_t left_;
  bool happened_ = false;
};

/// Of a process that is alone, or of all: what one of them answers with yes.
using AnyOf = std::function<bool(bool)>;
inline bool alone(bool mine) { return mine; }

inline const std::vector<PlanReport::Step>& steps_of(const PlanReport& report, Direction direction) {
  return (direction == Direction::forward ? report.forward : report.backward).steps;
}

/// The first step that is a transform and the reshape beside it; the number of steps where none is.
inline std::size_t joined_step(const PlanReport& report, Direction direction) {
  const auto& steps = steps_of(report, direction);
  const auto joined = std::find_if(steps.begin(), steps.end(), [](const PlanReport::Step& step) {
    return step.text.find("fft ") != std::string::npos && step.text.find(" peers, ") != std::string::npos;
  });
  return to_size(joined - steps.begin());
}

/// A plan with verify, an input of noise in device memory, and the right result.
class VerifiedCall {
 public:
  VerifiedCall(Plan& plan, const TransformCase& c, AnyOf any = alone, Direction direction = Direction::forward)
      : plan_(plan),
        case_(c),
        any_(std::move(any)),
        direction_(direction),
        members_(members_of(plan)),
        arrays_(make_arrays(members_, c, direction, "device", false)) {
    fill();
    EXPECT_FALSE(told());
    for (const CallArrays& a : arrays_) right_.push_back(result_of(a));
    for (std::size_t m = 0; m < arrays_.size(); ++m)
      for (std::int64_t i = 0; i < arrays_[m].to_side.count(); ++i)
        scale_ = std::max(scale_, std::abs(right_[m].get(i)));
  }

  void fill(double size = 1, double orders = 0, std::uint64_t salt = 0) {
    for (CallArrays& a : arrays_) {
      const auto s = salt * 100 + static_cast<std::uint64_t>(a.from_side.rank);
      for (std::int64_t i = 0; i < a.from_side.count(); ++i) {
        const auto n = static_cast<std::uint64_t>(i);
        const double magnitude = size * std::pow(10.0, orders * noise(s, n, 2));
        a.host_in.set(i, {magnitude * (1.5 + 0.5 * noise(s, n, 0)),
                          a.from_side.element.is_complex ? magnitude * noise(s, n, 1) : 0.0});
      }
      a.source().put(a.host_in.data());
    }
  }
  /// One beside zeroes.
  void fill_where(const std::function<bool(std::int64_t)>& one) {
    for (CallArrays& a : arrays_) {
      for (std::int64_t i = 0; i < a.from_side.count(); ++i)
        a.host_in.set(i, {one(i) ? 1 + 0.5 * noise(1, static_cast<std::uint64_t>(i), 0) : 0.0, 0.0});
      a.source().put(a.host_in.data());
    }
  }
  /// Whether all ranks were told of a wrong result; no other error.
  bool told() {
    std::vector<const void*> ins;
    std::vector<void*> outs;
    for (CallArrays& a : arrays_) {
      ins.push_back(a.source().data());
      outs.push_back(a.out.data());
    }
    const Failure said = failure_of([&] { members_.run(direction_, ins, outs); });
    EXPECT_TRUE(!said.failed() || said.code == Status::corrupted) << said.text;
    if (said.failed()) {
      EXPECT_NE(said.text.find("verify found a wrong result in step "), std::string::npos) << said.text;
      EXPECT_NE(said.text.find("[rank "), std::string::npos) << said.text;
    }
    EXPECT_EQ(any_(said.failed()), said.failed()) << "not on all ranks";
    return said.failed();
  }
  bool wrong() {
    double worst = 0;
    for (std::size_t m = 0; m < arrays_.size(); ++m) {
      const LocalArray now = result_of(arrays_[m]);
      for (std::int64_t i = 0; i < arrays_[m].to_side.count(); ++i) {
        const double difference = std::abs(now.get(i) - right_[m].get(i));
        worst = std::isfinite(difference) ? std::max(worst, difference) : 1e300;
      }
    }
    return any_(worst > (case_.precision == Precision::f64 ? 1e-8 : 3e-3) * scale_);
  }

  /// Flips one bit (none here: another process flips its own); returns whether that was told.
  bool check_flip(const std::optional<DeviceFlip::Where>& where, Moment moment) {
    fill();
    DeviceFlip flip(where.value_or(DeviceFlip::Where{}));
    bool found = false;
    if (where) {
      const Installed<DeviceStepHook> installed(flip);
      found = told();
    } else {
      found = told();
    }
    const bool happened = any_(flip.happened());
    const bool exact = (moment == Moment::before || moment == Moment::between) && happened;
    EXPECT_TRUE(found || (!exact && !wrong())) << "a wrong result was not found";
    EXPECT_TRUE(happened || !found) << "a false alarm";
    return found;
  }
  /// Flips bits of every step's arrays of a member (none: other processes flip theirs); returns how many were told.
  int check_flips(std::optional<std::size_t> member) {
    const bool wide = case_.precision == Precision::f64;
    const std::vector<int> bits = wide ? std::vector{63, 62, 52, 51, 40} : std::vector{31, 30, 23, 22, 20};
    const std::size_t steps = steps_of(plan_.report(), direction_).size();
    int count = 0;
    std::size_t tried = 0;
    for (std::size_t step = 0; step < steps; ++step)
      for (const Moment moment : {Moment::before, Moment::in_middle, Moment::between, Moment::after}) {
        if (step == 0 && moment == Moment::before) continue;  // a wrong input is one as well
        for (const int bit : bits) {
          const double part = (step + tried++) % 2 == 0 ? 0.0 : 0.6;  // by turns, others in the next step
          SCOPED_TRACE("step " + std::to_string(step) + ", moment " + std::to_string(static_cast<int>(moment)) +
                       ", bit " + std::to_string(bit) + ", part " + std::to_string(part));
          std::optional<DeviceFlip::Where> where;
          if (member) where = {step, moment, *member, part, wide ? sizeof(double) : sizeof(float), bit};
          count += check_flip(where, moment) ? 1 : 0;
        }
      }
    fill();
    EXPECT_FALSE(told());
    EXPECT_FALSE(wrong());
    return count;
  }

 private:
  static LocalArray result_of(const CallArrays& a) {
    LocalArray result(a.to_side);
    a.out.get(result.data());
    return result;
  }

  Plan& plan_;
  TransformCase case_;
  AnyOf any_;
  Direction direction_;
  Members members_;
  std::vector<CallArrays> arrays_;
  std::vector<LocalArray> right_;
  double scale_ = 0;
};

inline TransformCase verified(TransformCase c) {
  c.options.verify = true;
  return c;
}

/// Transforms beside a reshape, in chunks: by passes that check themselves, which leave what does not travel in its
/// place or take it from there, and by the vendor's library; real ones, and pencils and bricks.
inline std::vector<TransformCase> chunks_to_verify(Precision precision) {
  Options chunked = on_gpu();
  chunked.chunks = 2;
  std::vector<TransformCase> cases;
  const auto add = [&](const Shape& shape, const char* input, const char* output, Kind kind) {
    cases.push_back(verified({shape, input, output, kind, precision, chunked}));
  };
  add({128, 12, 32}, "slab along 1", "left", Kind::c2c);
  add({16, 128, 32}, "slab along 2", "left", Kind::c2c);
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
    add({16, 12, 32}, "slab", "left", kind);
    add({8, 16, 32}, "pencil", "left", kind);
    add({8, 16, 32}, "brick", "natural", kind);
  }
  return cases;
}

/// Cases with every kind of step.
inline std::vector<TransformCase> cases_to_verify() {
  std::vector<TransformCase> cases;
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const Precision precision : {Precision::f64, Precision::f32})
      cases.push_back(verified({{6, 10, 8}, "slab", "left", kind, precision, on_gpu("slab")}));
  cases.push_back(verified({{7, 9, 5}, "brick", "natural", Kind::r2c, Precision::f64, on_gpu("pencil")}));
  for (const std::string algorithm : {"six_step", "cyclic"})
    cases.push_back(verified({{240}, "slab", "natural", Kind::c2c, Precision::f64, on_gpu(algorithm)}));
  // Ranks that keep all of a spectrum, some of it, and nothing.
  for (const std::int64_t n : {240, 53})
    cases.push_back(verified({{n}, "slab", "natural", Kind::r2c, Precision::f64, on_gpu("six_step")}));
  Options o = on_gpu("pencil");
  o.transforms = {AxisTransform::dct2, AxisTransform::fft, AxisTransform::dct1};
  o.batch = 2;
  cases.push_back(verified({{6, 5, 9}, "brick", "left", Kind::r2c, Precision::f64, o}));
  o.transforms = {};
  o.modes = {6, 5, 4};
  cases.push_back(verified({{9, 8, 7}, "slab", "left", Kind::r2c, Precision::f32, o}));
  return cases;
}

}  // namespace shardfft::test
