#include "algorithm/program.hpp"

namespace shardfft {

namespace {

/// Steps without a sign are their own opposites.
template <class S>
S turned(S step) {
  if constexpr (requires { step.sign; }) step.sign = opposite(step.sign);
  return step;
}

FftStep turned(FftStep step) {
  step.sign = opposite(step.sign);
  if (step.kind != Kind::c2c) step.kind = step.kind == Kind::r2c ? Kind::c2r : Kind::r2c;
  return step;
}

}  // namespace

const char* step_name(const Step& step) {
  return std::visit([](const auto& s) { return s.name; }, step);
}

Program reversed(const Program& program) {
  Program result{program.algorithm, {program.states.rbegin(), program.states.rend()}, {}};
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step)
    result.steps.push_back(std::visit([](const auto& s) -> Step { return turned(s); }, *step));
  return result;
}

}  // namespace shardfft
