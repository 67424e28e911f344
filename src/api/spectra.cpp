// Sums of fields and their spectra over all ranks.
#include "shardfft/spectra.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <optional>

#include "api/operator_rep.hpp"
#include "api/problem.hpp"
#include "geometry/gaps.hpp"
#include "gpu/run/make.hpp"
#include "mpi/communicator.hpp"
#include "pack/powers.hpp"
#include "shardfft/for_each.hpp"
#include "shardfft/gpu.hpp"

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
  if (!comm.valid()) return mine;
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
  std::vector<double> on_gpu(int device, const Side& side, const void* a, const void* b) const;
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

std::vector<double> ShellSums::on_gpu(int device, const Side& side, const void* a, const void* b) const {
  const Layout all = side.layout.with_batch(side.fields);
  const auto fields = static_cast<std::size_t>(side.fields);
  std::vector<double> tables(fields, 0);
  tables.resize(2 * fields, 1);
  for (std::size_t axis = 0; axis < side.layout.shape().size(); ++axis)
    for (const auto* const one : {&squares[axis], &weights[axis]})
      tables.insert(tables.end(), one->begin(), one->end());
  return gpu::sums_in_shells(device, a, b,
                             {side.element, all.pieces(side.rank), all.shape(), device::Summand::product, width,
                              static_cast<std::int64_t>(shells.size())},
                             tables);
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

/// Parts that no rank of the communicator holds would lack in sums; those that two hold would count twice.
void check_ranks(const Communicator& comm, const Side& side) {
  if (!comm.valid()) return;
  require(side.layout.ranks() == comm.size(), "the number of ranks is ", comm.size(),
          " in the sum's communicator, but ", side.layout.ranks(), " in the layout; they must be the same ranks");
  require(side.rank == comm.rank(), "the side is that of rank ", side.rank, ", but this is rank ", comm.rank(),
          " of the sum's communicator");
}

void check_array(const Side& side, const void* array) {
  require(array != nullptr || side.count() == 0, "an array is a null pointer; ", side.count(), " numbers are expected");
}

/// The GPU whose memory holds both arrays; -1 for the host's.
int device_of(const Side& side, const void* a, const void* b) {
  if (side.count() == 0) return -1;
  const int device = memory_place(a).device;
  require(device == memory_place(b).device, "both arrays must lie in memory of one GPU, or of the host");
  return device;
}

}  // namespace

Shells cross_spectrum(MPI_Comm users, const Side& side, const void* a, const void* b,
                      const std::vector<double>& lengths, double width) {
  const Communicator comm = Communicator::duplicate_or_none(users);
  std::optional<ShellSums> mine;
  std::vector<double> numbers;
  const Failure failure = failure_of([&] {
    check_ranks(comm, side);
    check_array(side, a);
    check_array(side, b);
    mine.emplace(side, lengths, width);
    const int device = device_of(side, a, b);
    if (device >= 0) {
      numbers = mine->on_gpu(device, side, a, b);
      return;
    }
    typed(side, a, b, [&](const auto* one, const auto* other) { mine->add(side, one, other); });
    for (const KeptSum& shell : mine->shells) numbers.push_back(shell.value());
  });
  const double used = mine ? mine->width : 0;
  agree_same(comm, "a sum over shells",
             {agreed_layout("layouts", side.layout),
              {"widths of shells", std::bit_cast<std::uint64_t>(used), std::to_string(used)},
              {"numbers of shells", numbers.size(), std::to_string(numbers.size())}},
             Effort::estimate, failure);
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

/// The powers of each field.
template <class T>
std::vector<Powers> powers_of(const Side& side, const T* array) {
  constexpr std::size_t block_size = 2048;  // in cache
  std::vector<Powers> fields(static_cast<std::size_t>(side.fields));
  std::vector<T> block;
  std::int64_t of = 0;
  const auto end_block = [&] {
    if (!block.empty())
      fields[static_cast<std::size_t>(of)].join(
          shardfft::powers_of(block.data(), static_cast<std::int64_t>(block.size())));
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
  const Communicator comm = Communicator::duplicate_or_none(users);
  std::vector<Powers> mine;
  const Failure failure = failure_of([&] {
    check_ranks(comm, side);
    check_array(side, array);
    require(!side.element.is_complex, "moments need an array of real numbers");
    const int device = device_of(side, array, array);
    const std::int64_t count = side.layout.count(side.rank);
    if (device >= 0 && elements_of(side.layout.pieces(side.rank)) != count)
      fail(Status::unsupported, "arrays on GPUs must have no gaps between their rows");
    if (device >= 0) mine = gpu::powers_of(device, array, count, side.fields, side.element.precision);
    if (device >= 0) return;
    typed(side, array, array, [&]<class T>(const T* numbers, const T*) {
      if constexpr (std::is_floating_point_v<T>) mine = powers_of(side, numbers);
    });
  });
  agree_same(comm, "moments", {{"numbers of fields", mine.size(), std::to_string(mine.size())}}, Effort::estimate,
             failure);
  constexpr std::size_t words = sizeof(Powers) / sizeof(double);
  std::vector<double> numbers(mine.size() * words);
  std::memcpy(numbers.data(), mine.data(), numbers.size() * sizeof(double));
  const std::vector<double> all = gathered(comm, numbers);
  std::vector<Powers> fields(mine.size());
  for (std::size_t i = 0; i < all.size() / words; ++i) {
    Powers part;
    std::memcpy(static_cast<void*>(&part), all.data() + i * words, sizeof part);
    fields[i % fields.size()].join(part);
  }
  std::vector<Moments> result;
  for (const Powers& p : fields) result.push_back(moments_of(p));
  return result;
}

}  // namespace shardfft
