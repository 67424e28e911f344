// Plane passes that check themselves (option verify), complex and real: the sums of bits at both ends and in between,
// results as without checks, no false alarms.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "device/handles.hpp"
#include "device/plane_pass.hpp"
#include "gpu/pass/catalogue.hpp"
#include "local/loops.hpp"
#include "support/smaller_gpus.hpp"

namespace shardfft::test {
namespace {

namespace lines = device::lines;

struct PlaneCase {
  std::int64_t planes, n, m;
  Kind kind = Kind::c2c;
  Direction direction = Direction::forward;
  double size = 1, scale = 1;
  bool only_rows = false;
};

template <class T>
class CheckedPlanes {
 public:
  static constexpr Precision precision = sizeof(T) == 8 ? Precision::f64 : Precision::f32;

  explicit CheckedPlanes(const PlaneCase& c) : stream_(device::make_stream()) {
    const bool r2c = c.kind == Kind::r2c, c2r = c.kind == Kind::c2r;
    const std::int64_t half = c.m / 2 + 1, in_row = c2r ? half : c.m, out_row = r2c ? half : c.m;
    spec_.kind = c.kind;
    spec_.precision = precision;
    spec_.direction = c.direction;
    spec_.transform = {{c.n, in_row, out_row}, {c.m, 1, 1}};
    spec_.batch = {{c.planes, c.n * in_row, c.n * out_row}};
    spec_.scale = c.scale;
    if (c.only_rows) {
      spec_.batch.push_back(spec_.transform.front());
      spec_.transform.erase(spec_.transform.begin());
    }
    spec_.preserve_input = false;
    const auto numbers = [&](std::int64_t row, bool real) {
      return static_cast<std::size_t>(c.planes * c.n * row * (real ? 1 : 2));
    };
    in_.resize(numbers(in_row, r2c));
    out_.resize(numbers(out_row, c2r));
    std::mt19937 random(static_cast<unsigned>(c.n + c.m));
    std::uniform_real_distribution<T> value(-1, 1);
    for (T& x : in_) x = T(c.size) * value(random);
  }

  /// False where there is no such pass here.
  bool check() {
    if (!record().fits(spec_, use) || !record().checks(spec_)) return false;
    const gpu::PassPointer pass = make();
    pass->prepare(false);  // to compare with
    const std::vector<T> plain = run(*pass, false);
    pass->prepare(true);
    const std::vector<T> checked = run(*pass, true);
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      largest = std::max<double>(largest, std::abs(plain[i]));
      difference = std::max<double>(difference, std::abs(plain[i] - checked[i]));
    }
    EXPECT_LE(difference, 8 * std::numeric_limits<T>::epsilon() * largest);
    const int between = pass->bits_between_are();
    EXPECT_EQ(bits(lines::bits_read), between == -1 ? 0U : words(in_));
    EXPECT_EQ(bits(lines::bits_written), between == 1 ? 0U : words(checked));
    EXPECT_EQ(bits(lines::bits_between), between == -1 ? 0U - words(in_) : between == 1 ? words(checked) : 0U);
    EXPECT_GT(told_[lines::sums_compared], 0U);
    EXPECT_LE(residual(), 0.5);
    EXPECT_GT(residual(), 0);
    return true;
  }

  /// Nothing is said of what is no number.
  void check_nans() {
    const gpu::PassPointer pass = make();
    pass->prepare(true);
    in_.assign(in_.size(), std::numeric_limits<T>::quiet_NaN());
    run(*pass, true);
    EXPECT_EQ(told_[lines::sums_compared], 0U);
    EXPECT_EQ(residual(), 0);
  }

 private:
  static constexpr gpu::PassUse use{.sums_rows = true};

  bool has_planes() const { return spec_.transform.size() == 2; }
  const gpu::PassRecord& record() const { return gpu::pass_named(has_planes() ? "plane pass" : "summed row pass"); }
  gpu::PassPointer make() const { return record().make(spec_, use); }
  std::uint32_t bits(lines::PassResult which) const { return static_cast<std::uint32_t>(told_[which]); }
  std::vector<T> run(const gpu::FftPass& pass, bool checks) {
    const device::Memory in = device::make_memory(in_.size() * sizeof(T)),
                         out = device::make_memory(out_.size() * sizeof(T)),
                         results = device::make_memory(sizeof told_);
    device::copy_bytes(in.get(), in_.data(), in_.size() * sizeof(T), stream_.get());
    device::fill_zero(results.get(), sizeof told_, stream_.get());
    gpu::PassArrays arrays{static_cast<const std::byte*>(in.get()), static_cast<std::byte*>(out.get())};
    if (checks) arrays.results = static_cast<std::uint64_t*>(results.get());
    pass.enqueue(arrays, stream_.get());
    device::copy_bytes(told_, results.get(), sizeof told_, stream_.get());
    device::copy_bytes(out_.data(), out.get(), out_.size() * sizeof(T), stream_.get());
    device::synchronize(stream_.get());
    return out_;
  }
  double residual() const { return std::sqrt(std::bit_cast<double>(told_[lines::largest_square])); }
  static std::uint32_t words(const std::vector<T>& numbers) {
    std::uint32_t sum = 0;
    for (const T& x : numbers) {
      std::uint32_t all[sizeof x / 4];
      std::memcpy(all, &x, sizeof x);
      for (const std::uint32_t word : all) sum += word;
    }
    return sum;
  }

  FftSpec spec_;
  std::vector<T> in_, out_;
  device::Stream stream_;
  std::uint64_t told_[lines::pass_results] = {};
};

template <class T>
int check(const PlaneCase& c) {
  SCOPED_TRACE(std::to_string(c.planes) + " x " + std::to_string(c.n) + " x " + std::to_string(c.m) +
               (sizeof(T) == 8 ? " f64 " : " f32 ") + std::to_string(static_cast<int>(c.kind)) +
               (c.direction == Direction::forward ? " forward" : " backward"));
  CheckedPlanes<T> planes(c);
  if (!planes.check()) return 0;
  planes.check_nans();
  return 1;
}

/// Arrays are large enough for plane passes to be worth while.
TEST(CheckedPlanes, ComplexAndReal) {
  const SmallerGpus smaller;
  int checked = 0;
  constexpr double scale = 1e-6;
  for (const Shape& shape : {fitting({33, 256, 256}, {33, 64, 64}), fitting({9, 512, 512}, {9, 128, 128}),
                             fitting({19, 400, 315}, {19, 100, 75})}) {
    const std::int64_t planes = shape[0], n = shape[1], m = shape[2];
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      checked += check<double>({planes, n, m, Kind::c2c, direction, 1, scale});
      checked += check<float>({planes, n, m, Kind::c2c, direction, 1, scale});
      const Kind real = direction == Direction::forward ? Kind::r2c : Kind::c2r;
      checked += check<double>({planes, n, m, real, direction, 1, scale});
      checked += check<float>({planes, n, m, real, direction, 1, scale});
    }
  }
  if (lines::planes_checkable(64, 64)) {
    EXPECT_GE(checked, 18);
  }
}

/// Without columns, planes of more than any cache holds too.
TEST(CheckedPlanes, OnlyRows) {
  if (!lines::planes_checkable(64, 64)) GTEST_SKIP() << "no compiler of kernels here";
  const SmallerGpus smaller;
  EXPECT_EQ(check<double>({2, 2400, 1200, Kind::c2c, Direction::forward, 1, 1, true}), 1);
  EXPECT_EQ(check<float>({2, 2400, 1200, Kind::c2c, Direction::backward, 1, 1, true}), 1);
  EXPECT_EQ(check<double>({2, 2400, 1200, Kind::c2r, Direction::backward, 1, 1, true}), 1);
  const Shape shape = fitting({33, 256, 256}, {33, 64, 64});
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const Kind real = direction == Direction::forward ? Kind::r2c : Kind::c2r;
    for (const Kind kind : {Kind::c2c, real})
      EXPECT_EQ(check<double>({shape[0], shape[1], shape[2], kind, direction, 1, 1, true}), 1);
    EXPECT_EQ(check<float>({shape[0], shape[1], shape[2], Kind::c2c, direction, 1, 1, true}), 1);
  }
}

TEST(CheckedPlanes, SmallAndLargeNumbers) {
  const SmallerGpus smaller;
  const std::int64_t n = fitting({256}, {64}).front();
  for (const double size : {1e-30, 1e25}) {
    check<double>({33, n, n, Kind::c2c, Direction::forward, size});
    check<float>({33, n, n, Kind::c2c, Direction::backward, size});
    check<double>({33, n, n, Kind::r2c, Direction::forward, size});
  }
}

}  // namespace
}  // namespace shardfft::test
