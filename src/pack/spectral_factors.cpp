#include "pack/spectral_factors.hpp"

#include <algorithm>
#include <vector>

#include "base/team.hpp"

namespace shardfft {

namespace {

/// The lines of a piece along the axis that is nearest to contiguous in memory, by number.
class Lines {
 public:
  explicit Lines(const Piece& piece) : piece_(piece) {
    for (int a = 0; a < piece.set.axes; ++a)
      if (a != 0) axes_.push_back(a);
    const auto at = [](int axis) { return static_cast<std::size_t>(axis); };
    // Axes of one index go to the outside.
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
  std::vector<int> axes_;  ///< all but the inner one, the slowest first: the fields
  int inner_ = 0;
};

template <class T>
T product(T value, const std::complex<double>& factor) {
  return value * static_cast<T>(factor.real());
}

/// Written out: the operator of std::complex asks each product whether it is a number.
template <class T>
std::complex<T> product(std::complex<T> value, const std::complex<double>& factor) {
  const auto re = static_cast<T>(factor.real()), im = static_cast<T>(factor.imag());
  return {value.real() * re - value.imag() * im, value.real() * im + value.imag() * re};
}

template <Element T>
void multiply_lines(const std::byte* in, std::byte* out, const SpectralFactors& factors, const Piece& piece,
                    const Lines& lines, Share share) {
  const auto* const source = reinterpret_cast<const T*>(in);
  auto* const target = reinterpret_cast<T*>(out);
  std::vector<std::complex<double>> buffer(static_cast<std::size_t>(lines.length()));
  for (std::int64_t number = share.first; number < share.last; ++number) {
    const SpectralLine line = lines.at(number);
    factors.line(line, buffer.data());
    const std::int64_t first = line.place + line.field * piece.stride[0];
    for (std::int64_t i = 0; i < line.count; ++i)
      target[first + i * line.stride] = product(source[first + i * line.stride], buffer[static_cast<std::size_t>(i)]);
  }
}

/// The loop over lines for numbers of this type.
auto lines_of(ElementType element) {
  if (element.precision == Precision::f64)
    return element.is_complex ? multiply_lines<std::complex<double>> : multiply_lines<double>;
  return element.is_complex ? multiply_lines<std::complex<float>> : multiply_lines<float>;
}

}  // namespace

void multiply(const std::byte* in, std::byte* out, const SpectralFactors& factors, const std::vector<Piece>& pieces,
              ElementType element, int threads) {
  const auto some = lines_of(element);
  for (const Piece& piece : pieces) {
    const Lines lines(piece);
    run_team(threads,
             [&](int thread) { some(in, out, factors, piece, lines, share_of(lines.count(), threads, thread)); });
  }
}

}  // namespace shardfft
