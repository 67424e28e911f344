// Operators by name, and their factors for one plan: a table an axis if that is enough.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "api/operator_rep.hpp"
#include "api/option_checks.hpp"
#include "base/aligned.hpp"
#include "base/check.hpp"
#include "base/words.hpp"

namespace shardfft {

double length_of(const Side& spectrum, const std::vector<double>& lengths, int axis) {
  if (lengths.empty()) return (spectrum.transform_of(axis) == AxisTransform::fft ? 2 : 1) * std::numbers::pi;
  require(static_cast<int>(lengths.size()) == spectrum.layout.axes(), "there are ", lengths.size(),
          " lengths of the domain, but the array has ", spectrum.layout.axes(), " axes");
  const double length = lengths[static_cast<std::size_t>(axis)];
  require(std::isfinite(length) && length > 0, "the length of the domain along axis ", axis, " is ", length,
          "; a finite number above 0 is needed");
  return length;
}

namespace {

using Complex = std::complex<double>;
using Factors = std::shared_ptr<const SpectralFactors>;
using Lengths = Operator::Lengths;

using Join = SpectralFactors::Join;

Factors made_of(std::vector<SpectralFactors::Term> terms) {
  return std::make_shared<const SpectralFactors>(SpectralFactors{std::move(terms), {}});
}

template <Element T>
void read_numbers(const std::byte* numbers, std::int64_t first, std::int64_t stride, std::int64_t count, Complex* to) {
  const T* const from = reinterpret_cast<const T*>(numbers) + first;
  for (std::int64_t i = 0; i < count; ++i) to[i] = Complex(from[i * stride]);
}

/// Factors of an array. `field`: elements of one field, if fields differ; else 0.
template <Element T>
Factors of_array(std::shared_ptr<const std::byte> numbers, std::int64_t field) {
  return made_of({SpectralFactors::OfArray{std::move(numbers), field, read_numbers<T>}});
}

bool transforms(const Side& side, int axis) {
  return std::find(side.axes.begin(), side.axes.end(), axis) != side.axes.end();
}

/// A side's function of an axis of a domain: its wavenumbers, or those for odd derivatives.
using Wavenumbers = AxisValues (Side::*)(int, double) const;

/// value(wavenumber) for each index along a transformed axis.
template <class Value>
SpectralFactors::OfAxis of_axis(const OperatorPlace& place, const Lengths& lengths, int axis, const Value& value,
                                Wavenumbers wavenumbers = &Side::wavenumbers) {
  const AxisValues k = (place.spectrum.*wavenumbers)(axis, length_of(place.spectrum, lengths, axis));
  std::vector<Complex> numbers;
  for (std::int64_t i = 0; i < place.spectrum.layout.shape()[static_cast<std::size_t>(axis)]; ++i)
    numbers.push_back(value(k[i]));
  return {axis, std::make_shared<const std::vector<Complex>>(std::move(numbers))};
}

/// The factors of all transformed axes (at least one), joined.
template <class Value>
std::vector<SpectralFactors::Term> of_axes(const OperatorPlace& place, const Lengths& lengths, Join join,
                                           const Value& value) {
  std::vector<SpectralFactors::Term> terms;
  for (const int axis : place.spectrum.axes) {
    terms.emplace_back(of_axis(place, lengths, axis, [&](double k) { return value(axis, k); }));
    if (terms.size() > 1) terms.emplace_back(join);
  }
  return terms;
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

/// factor(index) of every element of a field.
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
  return of_array<Complex>({owner, reinterpret_cast<const std::byte*>(owner->data())}, 0);
}

template <Element T>
Operator of_arrays(std::vector<FactorArray> arrays) {
  return made_by([arrays = std::move(arrays)](const OperatorPlace& place) -> Factors {
    require(static_cast<std::size_t>(place.members) == arrays.size(), "the operator has arrays of factors for ",
            arrays.size(), " ranks of this process, but the plan has ", place.members);
    const auto m = static_cast<std::size_t>(place.member);
    require(place.spectrum.element.is_complex || !element_type<T>.is_complex,
            "the operator's factors are complex, but the spectrum is real and takes real ones");
    const std::int64_t all = place.spectrum.count(), field = all / place.spectrum.fields, count = arrays[m].count;
    require(count == all || count == field, "the operator has ", count, " factors, but this rank's spectrum has ",
            field, " modes", all == field ? "" : " a field");
    return of_array<T>(arrays[m].factors, count == field ? 0 : field);
  });
}

}  // namespace

Operator operator_of_arrays(ElementType element, std::vector<FactorArray> arrays) {
  if (element.precision == Precision::f64)
    return element.is_complex ? of_arrays<std::complex<double>>(std::move(arrays))
                              : of_arrays<double>(std::move(arrays));
  return element.is_complex ? of_arrays<std::complex<float>>(std::move(arrays)) : of_arrays<float>(std::move(arrays));
}

Operator Operator::array(ElementType element, std::span<const Part> parts) {
  require_known("the precision of the operator's array", element.precision, Precision::f64, "f32, f64");
  std::vector<FactorArray> copies;
  for (const auto& [factors, count] : parts) {
    require(count >= 0, "the operator's array has ", count, " elements");
    require(factors != nullptr || count == 0, "the operator's array is a null pointer");
    const std::size_t bytes = static_cast<std::size_t>(count) * element.bytes();
    std::shared_ptr<std::byte> copy = allocate_aligned(bytes);
    std::copy_n(static_cast<const std::byte*>(factors), bytes, copy.get());
    copies.push_back({std::move(copy), count});
  }
  return operator_of_arrays(element, std::move(copies));
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
    std::vector<SpectralFactors::OfAxis> all;
    for (const int axis : place.spectrum.axes) all.push_back(of_axis(place, lengths, axis, [](double k) { return k; }));
    std::vector<double> wavenumbers(place.spectrum.layout.shape().size());
    return asked(place, [&](const std::vector<std::int64_t>& index) {
      for (const auto& [axis, numbers] : all) {
        const auto a = static_cast<std::size_t>(axis);
        wavenumbers[a] = (*numbers)[static_cast<std::size_t>(index[a])].real();
      }
      return factor(wavenumbers);
    });
  });
}

Operator Operator::calling(OnSpectrum function) {
  require(static_cast<bool>(function), "the operator's function is empty");
  return made_by([function = std::move(function)](const OperatorPlace& place) {
    SpectralFactors made;
    made.call = [function, side = place.spectrum](std::byte* data, int device, void* stream) {
      try {
        function({side, data, device, stream});
      } catch (const Error&) {
        throw;
      } catch (const std::exception& e) {
        fail(Status::backend_failure, "the operator's function failed: ", e.what());
      }
    };
    return std::make_shared<const SpectralFactors>(std::move(made));
  });
}

Operator Operator::cuda(std::string text, Lengths lengths) {
  require(!text.empty(), "the operator's CUDA source text is empty");
  return made_by([text = std::make_shared<const std::string>(std::move(text)),
                  lengths = std::move(lengths)](const OperatorPlace& place) {
    const int axes = place.spectrum.layout.axes();
    std::vector<SpectralFactors::Term> terms;
    for (int axis = 0; axis < axes; ++axis)
      if (transforms(place.spectrum, axis))
        terms.emplace_back(of_axis(place, lengths, axis, [](double k) { return k; }));
      else
        terms.emplace_back(Complex(0));
    terms.emplace_back(SpectralFactors::OfText{text, axes});
    return made_of(std::move(terms));
  });
}

Operator Operator::constant(std::complex<double> factor) {
  return made_by([factor](const OperatorPlace& place) {
    require(place.spectrum.element.is_complex || factor.imag() == 0, "the operator's factor is ", factor.real(), " + ",
            factor.imag(), "i, but the spectrum is real and takes real factors");
    return made_of({factor});
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
    return made_of({of_axis(
        place, lengths, axis, [&](double k) { return turn * std::pow(k, order); },
        order % 2 == 1 ? &Side::slopes : &Side::wavenumbers)});
  });
}

Operator operator_of_sum(std::function<double(int axis, double wavenumber)> value, Lengths lengths) {
  return made_by([value = std::move(value), lengths = std::move(lengths)](const OperatorPlace& place) {
    return made_of(of_axes(place, lengths, Join::plus, value));
  });
}

Operator operator_of_slopes(int axis, std::function<Complex(double wavenumber)> value, Lengths lengths) {
  return made_by([=, value = std::move(value), lengths = std::move(lengths)](const OperatorPlace& place) {
    return made_of({of_axis(place, lengths, axis, value, &Side::slopes)});
  });
}

Operator Operator::laplacian(Lengths lengths) {
  return operator_of_sum([](int, double k) { return -k * k; }, std::move(lengths));
}

Operator Operator::inverse_laplacian(Lengths lengths) { return 1.0 / laplacian(std::move(lengths)); }

Operator Operator::gaussian(double sigma, Lengths lengths) {
  require(std::isfinite(sigma) && sigma >= 0, "a Gaussian of width ", sigma, " does not exist");
  return made_by([sigma, lengths = std::move(lengths)](const OperatorPlace& place) {
    return made_of(of_axes(place, lengths, Join::times, [sigma](int, double k) {
      const double width = sigma * k;
      return std::exp(-width * width / 2);
    }));
  });
}

namespace {

Operator joined(const Operator& a, const Operator& b, Join join) {
  require(a.rep() != nullptr && b.rep() != nullptr, "an operator that is to be joined with another was moved from");
  return made_by([a, b, join](const OperatorPlace& place) {
    const Factors some = a.rep()->factors(place), others = b.rep()->factors(place);
    require(!some->call && !others->call,
            "an operator that calls a function cannot be joined with others: apply one after the other");
    std::vector<SpectralFactors::Term> terms = some->terms;
    terms.insert(terms.end(), others->terms.begin(), others->terms.end());
    terms.emplace_back(join);
    return made_of(std::move(terms));
  });
}

}  // namespace

Operator operator*(const Operator& a, const Operator& b) { return joined(a, b, Join::times); }

Operator operator+(const Operator& a, const Operator& b) { return joined(a, b, Join::plus); }

Operator operator-(const Operator& a, const Operator& b) { return joined(a, b, Join::minus); }

Operator operator/(const Operator& a, const Operator& b) { return joined(a, b, Join::over); }

}  // namespace shardfft
