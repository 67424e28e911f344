#include "pack/spectral_factors.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/check.hpp"
#include "base/team.hpp"
#include "geometry/gaps.hpp"

namespace shardfft {

namespace {

/// The lines of a piece along the axis that is nearest to contiguous in memory, by number.
class Lines {
 public:
  explicit Lines(const Piece& piece) : piece_(piece) {
    for (int a = 0; a < piece.set.axes; ++a)
      if (a != 0) axes_.push_back(a);
    const auto at = [](int axis) { return static_cast<std::size_t>(axis); };
    // Axes of one index become the outermost.
    std::stable_sort(axes_.begin(), axes_.end(), [&](int a, int b) {
      const bool one_a = piece.set.axis[at(a)].count == 1, one_b = piece.set.axis[at(b)].count == 1;
      return one_a != one_b ? one_a : piece.stride[at(a)] > piece.stride[at(b)];
    });
    inner_ = axes_.back();
    axes_.pop_back();
    axes_.insert(axes_.begin(), 0);
  }

  std::int64_t count() const { return length() == 0 ? 0 : piece_.set.count() / length(); }
  std::int64_t length() const { return piece_.set.axis[static_cast<std::size_t>(inner_)].count; }

  SpectralLine at(std::int64_t number) const {
    SpectralLine line;
    line.axis = inner_ - 1;
    line.count = length();
    const auto inner = static_cast<std::size_t>(inner_);
    line.index[inner - 1] = piece_.set.axis[inner].first;
    line.step = piece_.set.axis[inner].stride;
    line.stride = piece_.stride[inner];
    line.place = piece_.offset;
    for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
      const auto a = static_cast<std::size_t>(*axis);
      const Progression& all = piece_.set.axis[a];
      const std::int64_t i = number % all.count;
      number /= all.count;
      if (a == 0) {
        line.field = i;
      } else {
        line.index[a - 1] = all.at(i);
        line.place += i * piece_.stride[a];
      }
    }
    return line;
  }

 private:
  const Piece& piece_;
  std::vector<int> axes_;  ///< all but the inner one, from the slowest; the first counts the fields
  int inner_ = 0;
};

using Complex = SpectralFactors::Complex;
using Join = SpectralFactors::Join;

/// Computes factors line by line, for one thread.
class LineFactors {
 public:
  explicit LineFactors(const SpectralFactors& factors) : factors_(factors) {}

  /// The factors of the line's elements, valid until the next call.
  const Complex* of(const SpectralLine& line) {
    values_.clear();
    used_ = 0;
    for (const SpectralFactors::Term& term : factors_.terms)
      std::visit([&](const auto& one) { take(one, line); }, term);
    if (values_.back().each == nullptr) {
      const Complex one = values_.back().one;
      std::fill_n(take_buffer(line), line.count, one);
    }
    return values_.back().each;
  }

 private:
  /// One number for the whole line, or one for each element.
  struct Value {
    Complex one;
    Complex* each = nullptr;
  };

  void take(Complex constant, const SpectralLine& /*line*/) { values_.push_back({constant}); }
  void take(const SpectralFactors::OfAxis& axis, const SpectralLine& line) {
    const Complex* const first = axis.numbers->data() + line.index[static_cast<std::size_t>(axis.axis)];
    if (axis.axis != line.axis) return values_.push_back({*first});
    Complex* const each = take_buffer(line);
    for (std::int64_t i = 0; i < line.count; ++i) each[i] = first[i * line.step];
  }
  void take(const SpectralFactors::OfArray& array, const SpectralLine& line) {
    array.read(array.numbers.get(), line.place + line.field * array.field, line.stride, line.count, take_buffer(line));
  }
  void take(const SpectralFactors::OfText& /*text*/, const SpectralLine& /*line*/) {
    fail(Status::internal, "CUDA source text came to a CPU");
  }
  void take(Join join, const SpectralLine& line) {
    if (join == Join::plus) return fold(line, [](Complex a, Complex b) { return a + b; });
    if (join == Join::minus) return fold(line, [](Complex a, Complex b) { return a - b; });
    if (join == Join::times) return fold(line, [](Complex a, Complex b) { return a * b; });
    fold(line, [](Complex a, Complex b) { return b == 0.0 ? 0.0 : a / b; });
  }

  /// Adds a value with one number an element, and returns the memory for these.
  Complex* take_buffer(const SpectralLine& line) {
    if (used_ == buffers_.size()) buffers_.emplace_back();
    std::vector<Complex>& buffer = buffers_[used_++];
    buffer.resize(std::max(buffer.size(), static_cast<std::size_t>(line.count)));
    values_.push_back({{}, buffer.data()});
    return buffer.data();
  }

  /// Replaces the last two values by one.
  template <class Of>
  void fold(const SpectralLine& line, const Of& of) {
    const Value b = values_.back();
    values_.pop_back();
    Value& a = values_.back();
    if (a.each == nullptr && b.each == nullptr) {
      a.one = of(a.one, b.one);
    } else if (a.each == nullptr) {
      for (std::int64_t i = 0; i < line.count; ++i) b.each[i] = of(a.one, b.each[i]);
      a.each = b.each;
    } else if (b.each == nullptr) {
      for (std::int64_t i = 0; i < line.count; ++i) a.each[i] = of(a.each[i], b.one);
    } else {
      for (std::int64_t i = 0; i < line.count; ++i) a.each[i] = of(a.each[i], b.each[i]);
      --used_;
    }
  }

  const SpectralFactors& factors_;
  std::vector<Value> values_;
  std::vector<std::vector<Complex>> buffers_;
  std::size_t used_ = 0;  ///< buffers of values
};

template <class T>
T product(T value, const std::complex<double>& factor) {
  return value * static_cast<T>(factor.real());
}

/// Written out, because the operator of std::complex checks each product for NaN.
template <class T>
std::complex<T> product(std::complex<T> value, const std::complex<double>& factor) {
  const auto re = static_cast<T>(factor.real()), im = static_cast<T>(factor.imag());
  return {value.real() * re - value.imag() * im, value.real() * im + value.imag() * re};
}

template <Element T>
void multiply_lines(const std::byte* in, std::byte* out, const SpectralFactors& factors, const Piece& piece,
                    const Lines& lines, Share share) {
  const T one(1);
  const auto* const source = in == nullptr ? &one : reinterpret_cast<const T*>(in);
  auto* const target = reinterpret_cast<T*>(out);
  LineFactors line_factors(factors);
  for (std::int64_t number = share.first; number < share.last; ++number) {
    const SpectralLine line = lines.at(number);
    const Complex* const each = line_factors.of(line);
    const std::int64_t first = line.place + line.field * piece.stride[0];
    const std::int64_t from = in == nullptr ? 0 : first, stride = in == nullptr ? 0 : line.stride;
    for (std::int64_t i = 0; i < line.count; ++i)
      target[first + i * line.stride] = product(source[from + i * stride], each[i]);
  }
}

/// The loop over lines for numbers of this type.
auto lines_of(ElementType element) {
  if (element.precision == Precision::f64)
    return element.is_complex ? multiply_lines<std::complex<double>> : multiply_lines<double>;
  return element.is_complex ? multiply_lines<std::complex<float>> : multiply_lines<float>;
}

bool any_array(const SpectralFactors& factors, bool by_field) {
  return std::any_of(factors.terms.begin(), factors.terms.end(), [by_field](const SpectralFactors::Term& term) {
    const auto* const array = std::get_if<SpectralFactors::OfArray>(&term);
    return array != nullptr && (!by_field || array->field > 0);
  });
}

}  // namespace

bool SpectralFactors::has_arrays() const { return any_array(*this, false); }

bool SpectralFactors::differ_by_field() const { return any_array(*this, true); }

bool SpectralFactors::has_texts() const {
  return std::any_of(terms.begin(), terms.end(), [](const Term& term) { return std::holds_alternative<OfText>(term); });
}

std::uint64_t SpectralFactors::mark() const {
  std::uint64_t mark = 1;
  const auto add = [&](std::uint64_t number) {
    mark = (mark ^ number) * 0x9e3779b97f4a7c15;
    mark ^= mark >> 32;
  };
  const auto add_number = [&](Complex number) {
    constexpr int last_bits = 29;  // a double has these beyond a float
    for (const double part : {number.real(), number.imag()})
      add((std::bit_cast<std::uint64_t>(part) + (std::uint64_t{1} << (last_bits - 1))) >> last_bits);
  };
  for (const Term& term : terms) {
    add(term.index());
    if (const auto* const one = std::get_if<Complex>(&term)) add_number(*one);
    if (const auto* const join = std::get_if<Join>(&term)) add(static_cast<std::uint64_t>(*join));
    if (const auto* const text = std::get_if<OfText>(&term)) add(std::hash<std::string>()(*text->text));
    if (const auto* const axis = std::get_if<OfAxis>(&term)) {
      add(static_cast<std::uint64_t>(axis->axis));
      for (const Complex& number : *axis->numbers) add_number(number);
    }
  }
  return mark;
}

int SpectralFactors::depth() const {
  int now = 0, most = 0;
  for (const Term& term : terms) {
    const auto* const text = std::get_if<OfText>(&term);
    now += text != nullptr ? 1 - text->axes : std::holds_alternative<Join>(term) ? -1 : 1;
    most = std::max(most, now);
  }
  return most;
}

void multiply(const std::byte* in, std::byte* out, const SpectralFactors& factors, const std::vector<Piece>& pieces,
              ElementType element, int threads) {
  if (factors.call) {
    const auto count = static_cast<std::size_t>(elements_of(pieces));
    if (in != out && count > 0) std::memcpy(out, in, count * element.bytes());
    return factors.call(out, -1, nullptr);
  }
  const auto some = lines_of(element);
  for (const Piece& piece : pieces) {
    const Lines lines(piece);
    run_team(threads,
             [&](int thread) { some(in, out, factors, piece, lines, share_of(lines.count(), threads, thread)); });
  }
}

}  // namespace shardfft
