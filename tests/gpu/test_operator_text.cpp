// Operators of CUDA source text. On the stand-in, which runs none, they are compiled where there is a compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "api/operator_rep.hpp"
#include "device/factor_code.hpp"
#include "gpu/applied_kit.hpp"

namespace shardfft::test {
namespace {

/// Nothing is kept on disk.
class OperatorText : public testing::Test {
 protected:
  OperatorText() { setenv("SHARDFFT_CACHE", "", 1); }
  ~OperatorText() override { unsetenv("SHARDFFT_CACHE"); }
};

bool runs_texts() { return device::runtime_name().find("stand-in") == std::string::npos; }

constexpr const char* real_text = R"(
__device__ double damp(double x) { return 1 / (1 + x); }
__device__ double factor(const double* k, const long long* i) {
  return damp(k[0] * k[0] + 2 * k[1] * k[1]) + (k[2] < 0 ? 0 : i[0] == 0);
})";
constexpr const char* complex_text = R"(
__device__ complex factor(const double* k, const long long* i) {
  const complex turned = exp(complex(0, 0.25 * k[0]));
  return conj(turned) * (2.0 - complex(0, i[2])) / 4.0 + -complex(k[1]);
})";

FactorOf real_factor(const TransformCase& c) {
  return [&c](const Index& i) {
    const auto k = [&](int axis) { return static_cast<double>(mode_number(c, axis, i[to_size(axis)])); };
    return 1 / (1 + k(0) * k(0) + 2 * k(1) * k(1)) + (k(2) < 0 ? 0 : i[0] == 0);
  };
}

FactorOf complex_factor(const TransformCase& c) {
  return [&c](const Index& i) -> Value {
    const auto k = [&](int axis) { return static_cast<double>(mode_number(c, axis, i[to_size(axis)])); };
    return std::exp(Value(0, -0.25 * k(0))) * Value(2, -static_cast<double>(i[2])) / 4.0 - k(1);
  };
}

TransformCase text_case(Kind kind, Precision precision) {
  TransformCase c{{12, 9, 8}, "slab", "left", kind, precision, on_gpu()};
  c.options.batch = precision == Precision::f32 ? 2 : 1;
  if (kind == Kind::r2r) c.options.transforms.assign(3, AxisTransform::dct2);
  return c;
}

/// Of the rank's output, as the plan's first apply asks for it.
std::shared_ptr<const SpectralFactors> factors_for(const Plan& plan, const Operator& op) {
  return op.rep()->factors({plan.input(0), plan.output(0), 0});
}

TEST_F(OperatorText, Compiles) {
  for (const Kind kind : {Kind::c2c, Kind::r2r}) {
    const TransformCase c = text_case(kind, kind == Kind::c2c ? Precision::f64 : Precision::f32);
    const Plan plan = make_plan_over({0}, c);
    Operator op = (Operator::cuda(real_text) + Operator::gaussian(0.1)) * 0.5 - 1.0;
    if (kind == Kind::c2c) op = op * Operator::cuda(complex_text) + Operator::cuda(real_text);
    const auto factors = factors_for(plan, op);
    try {
      EXPECT_NE(device::factor_code(*factors, plan.output(0).element, 90).find("multiply"), std::string::npos);
    } catch (const Error& e) {
      if (e.code() == Status::unsupported) GTEST_SKIP() << e.what();
      FAIL() << e.what();
    }
  }
}

/// Errors name the line of the text, and nothing has begun: the plan can be used afterwards.
TEST_F(OperatorText, SaysWhatIsWrong) {
  const TransformCase c = text_case(Kind::c2c, Precision::f64), real = text_case(Kind::r2r, Precision::f64);
  Plan plan = make_plan_over(devices_for(2), c), real_plan = make_plan_over({0}, real);
  const auto refused = [&](const Operator& op, const std::string& words, Status code = Status::invalid_argument) {
    expect_refusal(code, words, [&] { AppliedArrays(plan, c, "device", true).check(op, some_factor(c), 1); });
  };
  try {
    static_cast<void>(device::factor_code(*factors_for(plan, Operator::cuda(real_text)), {Precision::f64, true}, 90));
  } catch (const Error& e) {
    GTEST_SKIP() << e.what();
  }
  refused(Operator::cuda("double factor(const double* k, const long long* i) {\n  return missing;\n}"),
          "operator(2): error: identifier \"missing\" is undefined");
  refused(Operator::cuda("double fact(const double* k) { return 1; }"), "has no member \"factor\"");
  refused(Operator::cuda(real_text) * some_operator(c), "cannot be joined with arrays or functions of the host",
          Status::unsupported);
  Operator many = Operator::cuda(real_text);
  for (int i = 0; i < 15; ++i) many = many * 2;
  refused(many, "has 34 terms, but a kernel takes 24", Status::unsupported);
  expect_refusal(Status::invalid_argument, "no suitable conversion function from", [&] {
    AppliedArrays(real_plan, real, "device", true).check(Operator::cuda(complex_text), some_factor(real), 1);
  });
  if (!runs_texts()) refused(Operator::cuda(real_text), "the stand-in's", Status::unsupported);
  AppliedArrays(plan, c, "device", true).check(some_operator(c), some_factor(c), 1);
}

TEST_F(OperatorText, MultipliesByWhatItSays) {
  if (!runs_texts()) GTEST_SKIP() << "no GPU runs it";
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::r2r})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const int ranks : {1, 2}) {
        const TransformCase c = text_case(kind, precision);
        SCOPED_TRACE(c.name() + ", " + std::to_string(ranks) + " GPUs");
        Plan plan = make_plan_over(devices_for(ranks), c);
        const Operator op = Operator::cuda(real_text);
        for (const bool in_place : {false, true}) {
          AppliedArrays arrays(plan, c, "device", in_place);
          for (std::uint64_t run = 0; run < 4; ++run) arrays.check(op, real_factor(c), run);
          arrays.check(
              2 * op - 1, [&](const Index& i) { return 2.0 * real_factor(c)(i) - 1.0; }, 4);
          if (kind == Kind::c2c)
            arrays.check(
                op / Operator::constant(3) * Operator::cuda(complex_text),
                [&](const Index& i) { return real_factor(c)(i) * complex_factor(c)(i) / 3.0; }, 5);
        }
      }
}

}  // namespace
}  // namespace shardfft::test
