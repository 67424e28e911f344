#include "api/open_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.hpp"
#include "shardfft/for_each.hpp"
#include "shardfft/particles.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

namespace {

constexpr double pi = std::numbers::pi;
/// Beyond it exp(-x) is nothing beside 1, and Bessel functions end.
constexpr double far = 600;

double power_of_minus_1(std::int64_t m) { return m % 2 == 0 ? 1 : -1; }

/// Sum of r^|j| cos(j theta) over the 2 n points of a period, with r = exp(-decay); of |j| cos(j theta) if it is 0.
double sum_of_decays(std::int64_t n, std::int64_t m, double decay) {
  const double sign = power_of_minus_1(m),
               turn = std::pow(2 * std::sin(pi * static_cast<double>(m) / static_cast<double>(2 * n)), 2);
  if (decay == 0) return m == 0 ? static_cast<double>(n) * static_cast<double>(n) : 2 * (sign - 1) / turn;
  const double r = std::exp(-decay), lost = -std::expm1(-decay);
  return lost * (1 + r) * (1 - sign * std::exp(-decay * static_cast<double>(n))) / (lost * lost + r * turn);
}

/// Factors of the function that is cut off at the domain's length. Its modes are those of a period of twice the length.
void truncated_line(std::int64_t n, double length, double square, double* factors) {
  const double decay = std::exp(-std::sqrt(square) * length), turn = pi / length;
  for (std::int64_t m = 0; m <= n; ++m) {
    const double k = turn * static_cast<double>(m);
    factors[m] = -(1 - power_of_minus_1(m) * decay) / (square + k * k);
  }
  if (square == 0) factors[0] = length * length / 2;
}

double line_factor(OpenKernel kind, std::int64_t n, std::int64_t m, double step, double square) {
  const double kappa = std::sqrt(square), decay = kappa * step, sum = sum_of_decays(n, m, decay);
  if (kind == OpenKernel::hockney) return square > 0 ? -step / (2 * kappa) * sum : step * step / 2 * sum;
  if (square == 0) return step * step / 2 * (sum + 0.25);
  if (decay > 40) return -1 / square;
  return -(std::sinh(decay / 2) * (sum - 1) - std::expm1(-decay / 2)) / square;
}

using Steps = std::vector<double>;

/// Green's function of two or three axes at a distance above 0.
double green(std::size_t axes, double r, double kappa) {
  if (kappa * r > far) return 0;
  if (axes == 3) return -std::exp(-kappa * r) / (4 * pi * r);
  return kappa > 0 ? -std::cyl_bessel_k(0.0, kappa * r) / (2 * pi) : std::log(r) / (2 * pi);
}

/// Its difference from that without a shift, which is finite at 0.
double remainder_at(std::size_t axes, double r, double kappa) {
  if (kappa == 0) return 0;
  if (r > 0) return green(axes, r, kappa) - green(axes, r, 0);
  return axes == 3 ? kappa / (4 * pi) : (std::log(kappa / 2) + std::numbers::egamma) / (2 * pi);
}

double over(double a, double b) { return b == 0 ? (a > 0 ? pi / 2 : a < 0 ? -pi / 2 : 0) : std::atan(a / b); }

/// The integral of log r, or of 1 / r, over the box from 0 to a corner.
double corner_integral(const Steps& c) {
  if (c.size() == 2) {
    const double x = c[0], y = c[1], r = std::hypot(x, y);
    return (r > 0 ? x * y * (std::log(r) - 1.5) : 0) + x * x / 2 * over(y, x) + y * y / 2 * over(x, y);
  }
  const double r = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double x = c[a], y = c[(a + 1) % 3], z = c[(a + 2) % 3];
    const double edge = std::hypot(y, z);
    sum += (edge > 0 ? y * z * std::asinh(x / edge) : 0) - x * x / 2 * over(y * z, x * r);
  }
  return sum;
}

/// The mean of Green's function without a shift over the cell around a point.
double cell_mean(const Steps& at, const Steps& steps) {
  double sum = 0, volume = 1;
  for (std::size_t corner = 0; corner < std::size_t{1} << at.size(); ++corner) {
    Steps c(at.size());
    double sign = 1;
    for (std::size_t a = 0; a < at.size(); ++a) {
      const bool upper = (corner >> a & 1) == 1;
      c[a] = at[a] + (upper ? 0.5 : -0.5) * steps[a];
      if (!upper) sign = -sign;
    }
    // The integral is odd in each coordinate.
    for (double& x : c)
      if (x < 0) {
        x = -x;
        sign = -sign;
      }
    sum += sign * corner_integral(c);
  }
  for (const double step : steps) volume *= step;
  return at.size() == 3 ? -sum / (4 * pi * volume) : sum / (2 * pi * volume);
}

double at_point(OpenKernel kind, const Steps& at, const Steps& steps, double kappa) {
  double square = 0;
  for (const double x : at) square += x * x;
  const double r = std::sqrt(square);
  if (kind == OpenKernel::hockney && r > 0) return green(at.size(), r, kappa);
  return cell_mean(at, steps) + remainder_at(at.size(), r, kappa);
}

/// The transform of Green's function that is 0 beyond `radius`, at a wavenumber k.
double truncated(std::size_t axes, double radius, double k, double square) {
  const double kappa = std::sqrt(square), kr = k * radius, decay = kappa * radius;
  if (axes == 3) {
    const double wave = k > 0 ? std::sin(kr) / k : radius;
    if (square > 0) return -(1 - std::exp(-decay) * (std::cos(kr) + kappa * wave)) / (k * k + square);
    const double half = k > 0 ? std::sin(kr / 2) / k : radius / 2;
    return -2 * half * half;
  }
  const double slope = k > 0 ? std::cyl_bessel_j(1.0, kr) / k : radius / 2;  // J1(k R) / k
  if (square > 0) {
    double rest = 0;
    if (decay < far)
      rest = radius * (k * k * slope * std::cyl_bessel_k(0.0, decay) -
                       kappa * std::cyl_bessel_k(1.0, decay) * std::cyl_bessel_j(0.0, kr));
    return -(1 + rest) / (k * k + square);
  }
  const double bend = kr > 1e-4 ? (1 - std::cyl_bessel_j(0.0, kr)) / (k * k) : radius * radius / 4;
  return radius * std::log(radius) * slope - bend;
}

/// The least even number from `least` on whose half has no prime factor above 5.
std::int64_t even_period(double least) {
  for (auto half = static_cast<std::int64_t>(std::ceil(least / 2));; ++half) {
    std::int64_t rest = half;
    for (const std::int64_t prime : {2, 3, 5})
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) return 2 * half;
  }
}

/// Computes the folded factors of the kernel, and moves their lines to their places in the spectrum.
class Kernel {
 public:
  Kernel(const Communicator& comm, const OpenAxes& open, const Side& spectrum)
      : comm_(comm), open_(open), spectrum_(spectrum), shape_(spectrum.layout.shape()) {
    for (const int axis : open.axes) {
      const auto a = static_cast<std::size_t>(axis);
      steps_.push_back(open.steps[a]);
      shape_[a] = open.points[a] + 1;
    }
    options_.axes = open.axes;
    options_.transforms.assign(open.axes.size(), AxisTransform::dct1);
    options_.effort = Effort::estimate;
  }

  std::vector<double> spread() { return lines_of(transformed()); }

 private:
  struct Field {
    Side side;
    std::vector<double> numbers;
  };
  double square_at(const Index& index) const {
    double square = open_.shift;
    for (std::size_t a = 0; a < shape_.size(); ++a)
      if (!is_open(a)) square += open_.squares[a][static_cast<std::size_t>(index[a])];
    return square;
  }
  bool is_open(std::size_t axis) const {
    return std::find(open_.axes.begin(), open_.axes.end(), static_cast<int>(axis)) != open_.axes.end();
  }
  Layout lines(const Shape& shape) const { return Layout::pencil(shape, comm_.size(), open_.line); }
  Field values() const;
  Field truncated_values() const;
  Field transformed() const;
  /// Lines on their way: a line's number in the spectrum, and its factors.
  struct Records {
    std::vector<int> owner;
    std::vector<double> numbers;
  };
  void add_line(const IndexSet& point, const double* factors, std::int64_t stride, Records& records) const;
  std::int64_t line_number(std::int64_t linear) const;
  std::vector<double> lines_of(const Field& folded) const;

  const Communicator& comm_;
  const OpenAxes& open_;
  const Side& spectrum_;
  Shape shape_;  ///< of the folded kernel
  Steps steps_;  ///< of the open axes
  Options options_;
};

/// The kernel at points, times the volume of a cell.
Kernel::Field Kernel::values() const {
  if (open_.kind == OpenKernel::truncated) return truncated_values();
  double volume = 1;
  for (const double step : steps_) volume *= step;
  Field field{{lines(shape_), {Precision::f64, false}, 1, comm_.rank()}, {}};
  agree(comm_, [&] {
    field.numbers.resize(field.side.size());
    for_each(field.side, field.numbers, [&](const Index& index, double& number) {
      Steps at;
      for (std::size_t i = 0; i < steps_.size(); ++i)
        at.push_back(steps_[i] * static_cast<double>(index[static_cast<std::size_t>(open_.axes[i])]));
      number = volume * at_point(open_.kind, at, steps_, std::sqrt(square_at(index)));
    });
  });
  return field;
}

/// Sums of the truncated function's modes over a period so long that no image is seen, at the points in the domain.
Kernel::Field Kernel::truncated_values() const {
  double radius = 0, periods = 1;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    radius = std::hypot(radius, steps_[i] * static_cast<double>(open_.points[static_cast<std::size_t>(open_.axes[i])]));
  Shape modes = shape_;
  Options options = options_;
  Steps waves;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto a = static_cast<std::size_t>(open_.axes[i]);
    const std::int64_t period = even_period(radius / steps_[i] + static_cast<double>(open_.points[a]));
    modes[a] = period / 2 + 1;
    options.modes.push_back(shape_[a]);
    waves.push_back(2 * pi / (static_cast<double>(period) * steps_[i]));
    periods *= static_cast<double>(period);
  }
  Plan plan(comm_.get(), r2r<double>, lines(modes), lines(shape_), options);
  std::vector<double> spectrum;
  Field field{plan.output(), {}};
  agree(comm_, [&] {
    spectrum.resize(plan.input().size());
    field.numbers.resize(field.side.size());
    for_each(plan.input(), spectrum, [&](const Index& index, double& number) {
      double k = 0;
      for (std::size_t i = 0; i < waves.size(); ++i)
        k = std::hypot(k, waves[i] * static_cast<double>(index[static_cast<std::size_t>(open_.axes[i])]));
      number = truncated(waves.size(), radius, k, square_at(index)) / periods;
    });
  });
  plan.forward(spectrum, field.numbers);
  return field;
}

/// The transform of an even sequence of 2 n points is a cosine transform of n + 1.
Kernel::Field Kernel::transformed() const {
  const Field at = values();
  Plan plan(comm_.get(), r2r<double>, at.side.layout, lines(shape_), options_);
  Field result{plan.output(), {}};
  agree(comm_, [&] { result.numbers.resize(result.side.size()); });
  plan.forward(at.numbers, result.numbers);
  return result;
}

/// Mode m of a padded axis has the factor of mode 2 n - m: a line goes to all places that need it.
void Kernel::add_line(const IndexSet& point, const double* factors, std::int64_t stride, Records& records) const {
  const Shape& all = spectrum_.layout.shape();
  for (int choice = 0; choice < 1 << all.size(); ++choice) {
    IndexSet place = point;
    std::int64_t linear = 0;
    bool exists = true;
    for (std::size_t a = 0; a < all.size(); ++a) {
      std::int64_t& index = place.axis[a].first;
      if ((choice >> a & 1) == 1) {
        const std::int64_t mirrored = 2 * open_.points[a] - index;
        exists = exists && is_open(a) && static_cast<int>(a) != open_.line && mirrored != index && mirrored < all[a];
        index = mirrored;
      }
      linear = linear * all[a] + index;
    }
    if (!exists) continue;
    spectrum_.layout.for_overlaps(place, [&](int rank, const IndexSet&) { records.owner.push_back(rank); });
    records.numbers.push_back(static_cast<double>(linear));
    for (std::int64_t m = 0; m <= open_.points[static_cast<std::size_t>(open_.line)]; ++m)
      records.numbers.push_back(factors[m * stride]);
  }
}

/// The number of a line of this rank, whose number in the whole spectrum is given.
std::int64_t Kernel::line_number(std::int64_t linear) const {
  const Shape& all = spectrum_.layout.shape();
  const IndexSet mine = spectrum_.layout.local(comm_.rank());
  std::int64_t number = 0, lines_before = 1;
  for (std::size_t a = all.size(); a-- > 0; linear /= all[a]) {
    if (static_cast<int>(a) == open_.line) continue;
    number += lines_before * mine.axis[a].position(linear % all[a]);
    lines_before *= mine.axis[a].count;
  }
  return number;
}

std::vector<double> Kernel::lines_of(const Field& folded) const {
  const auto line = static_cast<std::size_t>(open_.line);
  const auto length = static_cast<std::size_t>(shape_[line]);
  Records records;
  agree(comm_, [&] {
    for (const Piece& piece : folded.side.layout.pieces(comm_.rank())) {
      IndexSet own = piece.set;
      own.axis[line] = {0, own.empty() ? 0 : 1, 1};
      for (std::int64_t number = 0; number < own.count(); ++number) {
        std::int64_t rest = number, place = piece.offset;
        IndexSet point = own;
        for (std::size_t a = static_cast<std::size_t>(own.axes); a-- > 0;) {
          const std::int64_t i = rest % own.axis[a].count;
          rest /= own.axis[a].count;
          place += i * piece.stride[a];
          point.axis[a] = {own.axis[a].at(i), 1, 1};
        }
        add_line(point, folded.numbers.data() + place, piece.stride[line], records);
      }
    }
  });
  const Migration move(comm_.get(), records.owner);
  std::vector<double> received, factors;
  agree(comm_, [&] { received.resize(static_cast<std::size_t>(move.received()) * (length + 1)); });
  move.move(records.numbers.data(), (length + 1) * sizeof(double), received.data());
  agree(comm_, [&] {
    factors.resize(static_cast<std::size_t>(move.received()) * length);
    for (std::size_t at = 0; at < received.size(); at += length + 1) {
      const auto number = static_cast<std::size_t>(line_number(static_cast<std::int64_t>(received[at])));
      std::copy_n(received.data() + at + 1, length, factors.data() + number * length);
    }
  });
  return factors;
}

}  // namespace

void line_kernel(OpenKernel kind, std::int64_t n, double step, double square, double* factors) {
  if (kind == OpenKernel::truncated) return truncated_line(n, static_cast<double>(n) * step, square, factors);
  for (std::int64_t m = 0; m <= n; ++m) factors[m] = line_factor(kind, n, m, step, square);
}

std::vector<double> open_kernel(const Communicator& comm, const OpenAxes& open, const Side& spectrum) {
  return Kernel(comm, open, spectrum).spread();
}

}  // namespace shardfft
