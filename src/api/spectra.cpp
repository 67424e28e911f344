// Sums of fields and their spectra over all ranks.
#include "shardfft/spectra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <optional>

#include "api/operator_rep.hpp"
#include "mpi/communicator.hpp"
#include "shardfft/for_each.hpp"

namespace shardfft {

namespace {

/// A sum that keeps the parts that rounding drops (Neumaier 1974).
struct KeptSum {
  double sum = 0, dropped = 0;
  void add(double x) {
    const double next = sum + x;
    dropped += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  double value() const { return sum + dropped; }
};

/// Numbers of all ranks, by rank.
std::vector<double> gathered(const Communicator& comm, const std::vector<double>& mine) {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(comm.size()));
  comm.gather(mine.data(), all.data(), mine.size() * sizeof(double));
  return all;
}

/// A number for each index of each axis, so that inner loops look it up.
using Tables = std::array<std::vector<double>, max_user_axes>;

struct ShellSums {
  double width = 0;
  Tables squares{}, weights{};
  std::vector<KeptSum> shells{};

  ShellSums(const Side& side, const std::vector<double>& lengths, double wanted);
  template <class T>
  void add(const Side& side, const T* a, const T* b);
};

ShellSums::ShellSums(const Side& side, const std::vector<double>& lengths, double wanted) {
  const Shape& shape = side.layout.shape();
  for (std::size_t a = 0; a < max_user_axes; ++a) {
    const auto extent = static_cast<std::size_t>(a < shape.size() ? shape[a] : 1);
    squares[a].assign(extent, 0);
    weights[a].assign(extent, 1);
  }
  double longest = 0;
  for (const int axis : side.axes) {
    const auto a = static_cast<std::size_t>(axis);
    const double length = length_of(side, lengths, axis);
    const AxisValues k = side.wavenumbers(axis, length);
    const AxisWeights weight = side.weights(axis);
    for (std::size_t i = 0; i < squares[a].size(); ++i) {
      squares[a][i] = std::pow(k[static_cast<std::int64_t>(i)], 2);
      weights[a][i] = weight[static_cast<std::int64_t>(i)];
    }
    longest = std::max(longest, length);
  }
  constexpr double turn = 6.283185307179586476925;
  width = wanted == 0 ? turn / longest : wanted;
  require(width > 0 && std::isfinite(width), "the width of shells is ", wanted, "; it is finite and above 0");
  double largest = 0;
  for (const std::vector<double>& of_axis : squares) largest += *std::max_element(of_axis.begin(), of_axis.end());
  const double last = std::floor(std::sqrt(largest) / width + 0.5);
  require(last < 1e8, "shells of the width ", width, " would be ", last + 1, ", more than 1e8");
  shells.resize(static_cast<std::size_t>(last) + 1);
}

template <class T>
void ShellSums::add(const Side& side, const T* a, const T* b) {
  for_each(side, a, [&](const Index& i, const T& one) {
    const T& other = b[&one - a];
    double square = 0, weight = 1;
    for (std::size_t axis = 0; axis < max_user_axes; ++axis) {
      square += squares[axis][static_cast<std::size_t>(i[axis])];
      weight *= weights[axis][static_cast<std::size_t>(i[axis])];
    }
    double product = static_cast<double>(std::real(one)) * static_cast<double>(std::real(other));
    if constexpr (!std::is_floating_point_v<T>)
      product += static_cast<double>(one.imag()) * static_cast<double>(other.imag());
    shells[static_cast<std::size_t>(std::sqrt(square) / width + 0.5)].add(weight * product);
  });
}

/// Calls work with both arrays, of the type of the side's numbers.
template <class Work>
void typed(const Side& side, const void* a, const void* b, const Work& work) {
  const auto as = [&](auto* none) {
    using Numbers = const std::remove_pointer_t<decltype(none)>*;
    work(static_cast<Numbers>(a), static_cast<Numbers>(b));
  };
  const bool is_double = side.element.precision == Precision::f64;
  if (side.element.is_complex)
    is_double ? as(static_cast<std::complex<double>*>(nullptr)) : as(static_cast<std::complex<float>*>(nullptr));
  else
    is_double ? as(static_cast<double*>(nullptr)) : as(static_cast<float*>(nullptr));
}

void check_array(const Side& side, const void* array) {
  require(array != nullptr || side.count() == 0, "an array is a null pointer; ", side.count(),
          " numbers in host memory are expected");
}

}  // namespace

Shells cross_spectrum(MPI_Comm users, const Side& side, const void* a, const void* b,
                      const std::vector<double>& lengths, double width) {
  const Communicator comm = Communicator::duplicate(users);
  std::optional<ShellSums> mine;
  std::vector<double> numbers;
  agree(comm, [&] {
    check_array(side, a);
    check_array(side, b);
    mine.emplace(side, lengths, width);
    typed(side, a, b, [&](const auto* one, const auto* other) { mine->add(side, one, other); });
    for (const KeptSum& shell : mine->shells) numbers.push_back(shell.value());
  });
  const std::vector<double> all = gathered(comm, numbers);
  std::vector<KeptSum> sums(numbers.size());
  for (std::size_t i = 0; i < all.size(); ++i) sums[i % sums.size()].add(all[i]);
  Shells shells{mine->width, {}};
  for (const KeptSum& sum : sums) shells.sums.push_back(sum.value());
  return shells;
}

Shells energy_spectrum(MPI_Comm comm, const Side& side, const void* a, const std::vector<double>& lengths,
                       double width) {
  Shells shells = cross_spectrum(comm, side, a, a, lengths, width);
  for (double& sum : shells.sums) sum /= 2;
  return shells;
}

namespace {

/// Sums of powers about the mean of `count` numbers; those of two sets give those of their union (Pebay 2008).
struct Powers {
  double count = 0, mean = 0, second = 0, third = 0, fourth = 0, least = 0, largest = 0;

  void join(const Powers& b);
};

void Powers::join(const Powers& b) {
  if (b.count == 0) return;
  if (count == 0) {
    *this = b;
    return;
  }
  const double n = count + b.count, d = b.mean - mean, step = d / n, both = count * b.count;
  fourth += b.fourth + d * step * step * step * both * (count * count - both + b.count * b.count) +
            6 * step * step * (count * count * b.second + b.count * b.count * second) +
            4 * step * (count * b.third - b.count * third);
  third += b.third + d * step * step * both * (count - b.count) + 3 * step * (count * b.second - b.count * second);
  second += b.second + d * step * both;
  mean += step * b.count;
  count = n;
  least = std::min(least, b.least);
  largest = std::max(largest, b.largest);
}

/// A block of numbers in a row: few enough to stay in cache between both loops.
template <class T>
Powers powers_of(const std::vector<T>& block) {
  Powers p;
  p.count = static_cast<double>(block.size());
  p.least = p.largest = static_cast<double>(block.front());
  for (const T x : block) p.mean += static_cast<double>(x);
  p.mean /= p.count;
  double rest = 0;
  for (const T x : block) rest += static_cast<double>(x) - p.mean;
  p.mean += rest / p.count;
  for (const T x : block) {
    const auto number = static_cast<double>(x);
    const double d = number - p.mean, square = d * d;
    p.second += square;
    p.third += square * d;
    p.fourth += square * square;
    p.least = std::min(p.least, number);
    p.largest = std::max(p.largest, number);
  }
  return p;
}

/// The powers of each field.
template <class T>
std::vector<Powers> powers_of(const Side& side, const T* array) {
  constexpr std::size_t block_size = 2048;
  std::vector<Powers> fields(static_cast<std::size_t>(side.fields));
  std::vector<T> block;
  std::int64_t of = 0;
  const auto end_block = [&] {
    if (!block.empty()) fields[static_cast<std::size_t>(of)].join(powers_of(block));
    block.clear();
  };
  for_each(side, array, [&](std::int64_t field, const Index&, const T& number) {
    if (field != of || block.size() == block_size) end_block();
    of = field;
    block.push_back(number);
  });
  end_block();
  return fields;
}

Moments moments_of(const Powers& p) {
  Moments m;
  m.count = static_cast<std::int64_t>(p.count);
  m.mean = p.mean;
  m.least = p.least;
  m.largest = p.largest;
  m.variance = p.second / p.count;
  if (m.variance == 0) return m;
  m.skewness = p.third / p.count / std::pow(m.variance, 1.5);
  m.kurtosis = p.fourth / p.count / (m.variance * m.variance);
  return m;
}

}  // namespace

std::vector<Moments> moments(MPI_Comm users, const Side& side, const void* array) {
  const Communicator comm = Communicator::duplicate(users);
  std::vector<Powers> mine;
  agree(comm, [&] {
    check_array(side, array);
    require(!side.element.is_complex, "moments need an array of real numbers");
    typed(side, array, array, [&]<class T>(const T* numbers, const T*) {
      if constexpr (std::is_floating_point_v<T>) mine = powers_of(side, numbers);
    });
  });
  constexpr std::size_t words = sizeof(Powers) / sizeof(double);
  std::vector<double> numbers(mine.size() * words);
  std::memcpy(numbers.data(), mine.data(), numbers.size() * sizeof(double));
  const std::vector<double> all = gathered(comm, numbers);
  std::vector<Powers> fields(mine.size());
  for (std::size_t i = 0; i < all.size() / words; ++i) {
    Powers part;
    std::memcpy(&part, all.data() + i * words, sizeof part);
    fields[i % fields.size()].join(part);
  }
  std::vector<Moments> result;
  for (const Powers& p : fields) result.push_back(moments_of(p));
  return result;
}

}  // namespace shardfft
