// Operators by name, and what is made of their factors for one plan: a table an axis where that does.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "api/operator_rep.hpp"
#include "api/option_checks.hpp"
#include "base/aligned.hpp"
#include "base/check.hpp"
#include "base/words.hpp"

namespace shardfft {

namespace {

using Complex = std::complex<double>;
using Factors = std::shared_ptr<const SpectralFactors>;
using Lengths = Operator::Lengths;

/// A number for each index of each axis, joined; empty tables are left out.
class AxisFactors : public SpectralFactors {
 public:
  enum class Joined { product, sum, one_over_sum };
  AxisFactors(std::vector<std::vector<Complex>> tables, Joined joined) : tables_(std::move(tables)), joined_(joined) {}

  void line(const SpectralLine& line, Complex* factors) const override {
    Complex others = joined_ == Joined::product ? 1 : 0;
    for (std::size_t a = 0; a < tables_.size(); ++a)
      if (!tables_[a].empty() && static_cast<int>(a) != line.axis)
        others = join(others, tables_[a][static_cast<std::size_t>(line.index[a])]);
    const auto axis = static_cast<std::size_t>(line.axis);
    for (std::int64_t i = 0; i < line.count; ++i) {
      Complex factor = others;
      if (!tables_[axis].empty())
        factor = join(others, tables_[axis][static_cast<std::size_t>(line.index[axis] + i * line.step)]);
      if (joined_ == Joined::one_over_sum) factor = factor == 0.0 ? 0.0 : 1.0 / factor;
      factors[i] = factor;
    }
  }

 private:
  Complex join(Complex a, Complex b) const { return joined_ == Joined::product ? a * b : a + b; }

  std::vector<std::vector<Complex>> tables_;
  Joined joined_;
};

/// A number for each element, in the order in memory.
template <Element T>
class TableFactors : public SpectralFactors {
 public:
  /// `field`: elements of one field, where fields differ; else 0.
  TableFactors(std::shared_ptr<const T> table, std::int64_t field) : table_(std::move(table)), field_(field) {}
  void line(const SpectralLine& line, Complex* factors) const override {
    const T* const first = table_.get() + line.place + line.field * field_;
    for (std::int64_t i = 0; i < line.count; ++i) factors[i] = Complex(first[i * line.stride]);
  }
  bool differ_by_field() const override { return field_ > 0; }

 private:
  std::shared_ptr<const T> table_;
  std::int64_t field_;
};

class ConstantFactors : public SpectralFactors {
 public:
  explicit ConstantFactors(Complex factor) : factor_(factor) {}
  void line(const SpectralLine& line, Complex* factors) const override { std::fill_n(factors, line.count, factor_); }

 private:
  Complex factor_;
};

using Join = Complex (*)(Complex, Complex);

class JoinedFactors : public SpectralFactors {
 public:
  JoinedFactors(Factors a, Factors b, Join join) : a_(std::move(a)), b_(std::move(b)), join_(join) {}
  void line(const SpectralLine& line, Complex* factors) const override {
    std::vector<Complex> others(static_cast<std::size_t>(line.count));
    a_->line(line, factors);
    b_->line(line, others.data());
    for (std::int64_t i = 0; i < line.count; ++i) factors[i] = join_(factors[i], others[static_cast<std::size_t>(i)]);
  }
  bool differ_by_field() const override { return a_->differ_by_field() || b_->differ_by_field(); }

 private:
  Factors a_, b_;
  Join join_;
};

bool transforms(const Side& side, int axis) {
  return std::find(side.axes.begin(), side.axes.end(), axis) != side.axes.end();
}

/// The length of the domain along `axis`; throws Error for lengths that no domain has.
double length_of(const OperatorPlace& place, const Lengths& lengths, int axis) {
  if (lengths.empty()) return (place.spectrum.transform_of(axis) == AxisTransform::fft ? 2 : 1) * std::numbers::pi;
  require(static_cast<int>(lengths.size()) == place.field.layout.axes(), "the operator has ", lengths.size(),
          " lengths of the domain, but the array has ", place.field.layout.axes(), " axes");
  const double length = lengths[static_cast<std::size_t>(axis)];
  require(std::isfinite(length) && length > 0, "the length of the domain along axis ", axis, " is ", length,
          "; a finite number above 0 is needed");
  return length;
}

/// What a side tells of an axis of a domain: its wavenumbers, or those for odd derivatives.
using Wavenumbers = AxisValues (Side::*)(int, double) const;

/// A table of value(wavenumber) for each transformed axis; of `only` alone if that is one.
template <class Value>
std::vector<std::vector<Complex>> tables_of(const OperatorPlace& place, const Lengths& lengths, const Value& value,
                                            int only = -1, Wavenumbers wavenumbers = &Side::wavenumbers) {
  std::vector<std::vector<Complex>> tables(place.spectrum.layout.shape().size());
  for (const int axis : place.spectrum.axes) {
    if (only >= 0 && axis != only) continue;
    const auto at = static_cast<std::size_t>(axis);
    const AxisValues k = (place.spectrum.*wavenumbers)(axis, length_of(place, lengths, axis));
    for (std::int64_t i = 0; i < place.spectrum.layout.shape()[at]; ++i) tables[at].push_back(value(k[i]));
  }
  return tables;
}

/// An operator whose factors `make` makes for a place.
class MadeRep : public Operator::Rep {
 public:
  using Make = std::function<Factors(const OperatorPlace&)>;
  explicit MadeRep(Make make) : make_(std::move(make)) {}
  Factors factors(const OperatorPlace& place) const override { return make_(place); }

 private:
  Make make_;
};

Operator made_by(MadeRep::Make make) { return Operator(std::make_shared<MadeRep>(std::move(make))); }

/// What factor(index) says of every element of a field.
template <class Factor>
Factors asked(const OperatorPlace& place, const Factor& factor) {
  const Side& side = place.spectrum;
  std::vector<Complex> table(static_cast<std::size_t>(side.layout.count(side.rank)));
  for (const Piece& piece : side.layout.pieces(side.rank)) {
    const auto axes = static_cast<std::size_t>(piece.set.axes);
    std::vector<std::int64_t> at(axes), index(axes);
    for (std::int64_t left = piece.set.count(), number = 0; number < left; ++number) {
      std::int64_t rest = number, place_in_memory = piece.offset;
      for (std::size_t a = axes; a-- > 0;) {
        const std::int64_t i = rest % piece.set.axis[a].count;
        rest /= piece.set.axis[a].count;
        index[a] = piece.set.axis[a].at(i);
        place_in_memory += i * piece.stride[a];
      }
      const Complex one = factor(index);
      require(side.element.is_complex || one.imag() == 0, "the operator's function gives ", one.real(), " + ",
              one.imag(), "i, but the spectrum is real and takes real factors");
      table[static_cast<std::size_t>(place_in_memory)] = one;
    }
  }
  const auto owner = std::make_shared<const std::vector<Complex>>(std::move(table));
  return std::make_shared<TableFactors<Complex>>(std::shared_ptr<const Complex>(owner, owner->data()), 0);
}

template <Element T>
Operator of_arrays(std::vector<FactorArray> arrays) {
  return made_by([arrays = std::move(arrays)](const OperatorPlace& place) -> Factors {
    const auto m = static_cast<std::size_t>(place.member);
    require(m < arrays.size(), "the operator has factors for ", arrays.size(),
            " ranks of this process, the plan has more");
    require(place.spectrum.element.is_complex || !element_type<T>.is_complex,
            "the operator's factors are complex, but the spectrum is real and takes real ones");
    const std::int64_t all = place.spectrum.count(), field = all / place.spectrum.fields, count = arrays[m].count;
    require(count == all || count == field, "the operator has ", count, " factors, but this rank's spectrum has ",
            field, " modes", all == field ? "" : " a field");
    return std::make_shared<TableFactors<T>>(std::reinterpret_pointer_cast<const T>(arrays[m].factors),
                                             count == field ? 0 : field);
  });
}

}  // namespace

Operator operator_of_arrays(ElementType element, std::vector<FactorArray> arrays) {
  if (element.precision == Precision::f64)
    return element.is_complex ? of_arrays<std::complex<double>>(std::move(arrays))
                              : of_arrays<double>(std::move(arrays));
  return element.is_complex ? of_arrays<std::complex<float>>(std::move(arrays)) : of_arrays<float>(std::move(arrays));
}

Operator Operator::array(ElementType element, const void* factors, std::int64_t count) {
  require_known("the precision of the operator's array", element.precision, Precision::f64, "f32, f64");
  require(count >= 0, "the operator's array has ", count, " elements");
  require(factors != nullptr || count == 0, "the operator's array is a null pointer");
  const std::size_t bytes = static_cast<std::size_t>(count) * element.bytes();
  std::shared_ptr<std::byte> copy = allocate_aligned(bytes);
  std::copy_n(static_cast<const std::byte*>(factors), bytes, copy.get());
  return operator_of_arrays(element, {{std::move(copy), count}});
}

Operator Operator::of_indices(OfIndices factor) {
  require(static_cast<bool>(factor), "the operator's function is empty");
  return made_by([factor = std::move(factor)](const OperatorPlace& place) {
    return asked(place, [&](const std::vector<std::int64_t>& index) { return factor(index); });
  });
}

Operator Operator::of_wavenumbers(OfWavenumbers factor, Lengths lengths) {
  require(static_cast<bool>(factor), "the operator's function is empty");
  return made_by([factor = std::move(factor), lengths = std::move(lengths)](const OperatorPlace& place) {
    const auto tables = tables_of(place, lengths, [](double k) { return k; });
    std::vector<double> wavenumbers(tables.size());
    return asked(place, [&](const std::vector<std::int64_t>& index) {
      for (std::size_t a = 0; a < tables.size(); ++a)
        if (!tables[a].empty()) wavenumbers[a] = tables[a][static_cast<std::size_t>(index[a])].real();
      return factor(wavenumbers);
    });
  });
}

Operator Operator::constant(std::complex<double> factor) {
  return made_by([factor](const OperatorPlace& place) {
    require(place.spectrum.element.is_complex || factor.imag() == 0, "the operator's factor is ", factor.real(), " + ",
            factor.imag(), "i, but the spectrum is real and takes real factors");
    return std::make_shared<ConstantFactors>(factor);
  });
}

Operator Operator::derivative(int named_axis, int order, Lengths lengths) {
  require(order >= 0, "a derivative of order ", order, " does not exist");
  return made_by([=, lengths = std::move(lengths)](const OperatorPlace& place) {
    const int count = place.spectrum.layout.axes();
    require(named_axis >= -count && named_axis < count, "axis ", named_axis,
            ", along which the derivative is asked for, ", "does not exist in an array of ", count, " axes");
    const int axis = named_axis < 0 ? named_axis + count : named_axis;
    require(transforms(place.spectrum, axis), "the plan does not transform axis ", axis,
            ", along which the derivative is asked for");
    constexpr std::array<Complex, 4> powers_of_i{Complex(1, 0), Complex(0, 1), Complex(-1, 0), Complex(0, -1)};
    const Complex turn = powers_of_i[static_cast<std::size_t>(order % 4)];
    auto tables = tables_of(
        place, lengths, [&](double k) { return turn * std::pow(k, order); }, axis,
        order % 2 == 1 ? &Side::slopes : &Side::wavenumbers);
    return std::make_shared<AxisFactors>(std::move(tables), AxisFactors::Joined::product);
  });
}

namespace {

Operator of_square(Lengths lengths, AxisFactors::Joined joined) {
  return made_by([joined, lengths = std::move(lengths)](const OperatorPlace& place) {
    auto tables = tables_of(place, lengths, [](double k) { return -k * k; });
    return std::make_shared<AxisFactors>(std::move(tables), joined);
  });
}

}  // namespace

Operator Operator::laplacian(Lengths lengths) { return of_square(std::move(lengths), AxisFactors::Joined::sum); }

Operator Operator::inverse_laplacian(Lengths lengths) {
  return of_square(std::move(lengths), AxisFactors::Joined::one_over_sum);
}

Operator Operator::gaussian(double sigma, Lengths lengths) {
  require(std::isfinite(sigma) && sigma >= 0, "a Gaussian of width ", sigma, " does not exist");
  return made_by([sigma, lengths = std::move(lengths)](const OperatorPlace& place) {
    auto tables = tables_of(place, lengths, [sigma](double k) {
      const double width = sigma * k;
      return std::exp(-width * width / 2);
    });
    return std::make_shared<AxisFactors>(std::move(tables), AxisFactors::Joined::product);
  });
}

namespace {

Operator joined(const Operator& a, const Operator& b, Join join) {
  require(a.rep() != nullptr && b.rep() != nullptr, "an operator that is to be joined with another was moved from");
  return made_by([a, b, join](const OperatorPlace& place) {
    return std::make_shared<JoinedFactors>(a.rep()->factors(place), b.rep()->factors(place), join);
  });
}

}  // namespace

Operator operator*(const Operator& a, const Operator& b) {
  return joined(a, b, [](Complex x, Complex y) { return x * y; });
}

Operator operator+(const Operator& a, const Operator& b) {
  return joined(a, b, [](Complex x, Complex y) { return x + y; });
}

Operator operator-(const Operator& a, const Operator& b) {
  return joined(a, b, [](Complex x, Complex y) { return x - y; });
}

Operator operator/(const Operator& a, const Operator& b) {
  return joined(a, b, [](Complex x, Complex y) { return y == 0.0 ? 0.0 : x / y; });
}

}  // namespace shardfft
