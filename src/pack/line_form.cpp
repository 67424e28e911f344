#include "pack/line_form.hpp"

#include <utility>

namespace shardfft {

namespace {

using Complex = SpectralFactors::Complex;
using Join = SpectralFactors::Join;
using Terms = LineForm::Terms;
using Sum = LineForm::Sum;

bool is_one(const Terms& terms) { return terms.size() == 1 && constant_of(terms) == Complex(1); }

Complex joined(Complex a, Complex b, Join join) {
  return join == Join::plus ? a + b : join == Join::minus ? a - b : a * b;
}

/// Sums, differences and products of terms; numbers become one.
Terms joined(const Terms& a, const Terms& b, Join join) {
  const auto some = constant_of(a), other = constant_of(b);
  if (some && other) {
    const Complex number = joined(*some, *other, join);
    return number == Complex(0) ? Terms{} : Terms{number};
  }
  if (join == Join::times) {
    if (a.empty() || b.empty()) return {};
    if (is_one(a) || is_one(b)) return is_one(a) ? b : a;
  } else if (b.empty() || (a.empty() && join == Join::plus)) {
    return b.empty() ? a : b;
  }
  Terms all = a.empty() ? Terms{Complex(0)} : a;
  all.insert(all.end(), b.begin(), b.end());
  all.emplace_back(join);
  return all;
}

/// The whole sum as numbers along the axis; none if it depends on other axes.
std::optional<std::vector<Complex>> numbers_of(const Sum& sum) {
  const auto first = constant_of(sum.first), second = constant_of(sum.second);
  if (!first || !second) return std::nullopt;
  std::vector<Complex> numbers = sum.along;
  for (Complex& number : numbers) number = *first + *second * number;
  return numbers;
}

std::optional<Sum> joined(const Sum& a, const Sum& b, Join join) {
  if (b.along.empty() || a.along.empty()) {
    const Sum &line = a.along.empty() ? b : a, &number = a.along.empty() ? a : b;
    const bool times = join == Join::times;
    Terms second = times ? joined(line.second, number.first, join) : line.second;
    if (join == Join::minus && a.along.empty()) second = joined(second, {Complex(-1)}, Join::times);
    return Sum{joined(a.first, b.first, join), std::move(second), line.along};
  }
  std::vector<Complex> along = a.along;
  if (join == Join::times && a.first.empty() && b.first.empty()) {
    for (std::size_t i = 0; i < along.size(); ++i) along[i] *= b.along[i];
    return Sum{{}, joined(a.second, b.second, join), std::move(along)};
  }
  if (join == Join::times) {
    const auto some = numbers_of(a), others = numbers_of(b);
    if (!some || !others) return std::nullopt;
    for (std::size_t i = 0; i < along.size(); ++i) along[i] = (*some)[i] * (*others)[i];
    return Sum{{}, {Complex(1)}, std::move(along)};
  }
  const auto some = constant_of(a.second), others = constant_of(b.second);
  if (!some || !others) return std::nullopt;
  for (std::size_t i = 0; i < along.size(); ++i) along[i] = joined(*some * along[i], *others * b.along[i], join);
  return Sum{joined(a.first, b.first, join), {Complex(1)}, std::move(along)};
}

/// a joined with b, if both are there.
std::optional<Sum> product(const std::optional<Sum>& a, const std::optional<Sum>& b) {
  return a && b ? joined(*a, *b, Join::times) : a ? a : b;
}

std::optional<LineForm> joined(const LineForm& a, const LineForm& b, Join join) {
  if ((join == Join::plus || join == Join::minus) && (a.below || b.below)) return std::nullopt;
  const bool over = join == Join::over;
  const std::optional<Sum> above = over ? product(a.above, b.below) : joined(a.above, b.above, join);
  const std::optional<Sum> below = product(a.below, over ? std::optional(b.above) : b.below);
  if (!above || (!below && (over || a.below || b.below))) return std::nullopt;
  return LineForm{*above, below};
}

}  // namespace

std::optional<Complex> constant_of(const Terms& terms) {
  if (terms.empty()) return Complex(0);
  const auto* const number = terms.size() == 1 ? std::get_if<Complex>(&terms.front()) : nullptr;
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::optional<LineForm> line_form(const SpectralFactors& factors, int axis) {
  if (factors.has_arrays() || factors.has_texts() || factors.terms.empty()) return std::nullopt;
  std::vector<LineForm> waiting;
  for (const SpectralFactors::Term& term : factors.terms) {
    const auto* const join = std::get_if<Join>(&term);
    const auto* const along = std::get_if<SpectralFactors::OfAxis>(&term);
    if (join != nullptr) {
      const LineForm last = std::move(waiting.back());
      waiting.pop_back();
      std::optional<LineForm> both = joined(waiting.back(), last, *join);
      if (!both) return std::nullopt;
      waiting.back() = *std::move(both);
    } else if (along != nullptr && along->axis == axis) {
      waiting.push_back({{{}, {Complex(1)}, *along->numbers}, {}});
    } else {
      waiting.push_back({{{term}, {}, {}}, {}});
    }
  }
  return waiting.back();
}

}  // namespace shardfft
