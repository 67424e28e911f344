// Both axes of complex planes in one pass against the serial reference: every size, few blocks so that each works on
// many tiles, some of the columns, in place and not.
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "gpu/plane_kit.hpp"
#include "local/local_fft.hpp"

namespace shardfft::test {
namespace {

using device::Memory;
namespace lines = device::lines;

struct PlaneCase {
  int n;
  Precision precision;
  Direction direction;
  int planes = 7, skipped = 1;  ///< of all planes; before the first one
  bool some_columns = false, in_place = false;
  int blocks = 2;
  double scale = 1;

  std::size_t points() const { return static_cast<std::size_t>(planes) * static_cast<std::size_t>(n * n); }
  std::int64_t m_begin() const { return some_columns ? lines::granule(precision) : 0; }
  std::int64_t m_end() const { return some_columns ? n - lines::granule(precision) : n; }
  std::string name() const {
    return planes_text(*this, " planes of ") + (some_columns ? ", some columns" : "") + (in_place ? ", in place" : "");
  }
};

template <class T>
class PlaneTest {
 public:
  using Complex = std::complex<T>;

  explicit PlaneTest(const PlaneCase& c) : c_(c), in_(c.points()) {
    std::mt19937 random(5);
    std::uniform_real_distribution<T> value(-1, 1);
    for (Complex& z : in_) z = {value(random), value(random)};
  }

  void check() {
    const std::vector<Complex> expected = reference(), got = run();
    Difference difference;
    const auto first = static_cast<std::size_t>(c_.skipped) * static_cast<std::size_t>(c_.n * c_.n);
    for (std::size_t i = first; i < in_.size(); ++i) difference.add(got[i], expected[i]);
    EXPECT_LE(difference.relative(), 40 * std::numeric_limits<T>::epsilon());
    if (c_.in_place) return;
    for (std::size_t i = 0; i < first; ++i) ASSERT_TRUE(std::isnan(got[i].real())) << "a plane before the first one";
  }

 private:
  /// Lines along one axis of all planes; of the middle one, those of some columns.
  void transform(std::vector<Complex>& data, bool rows) const {
    const std::int64_t n = c_.n;
    FftSpec spec;
    spec.precision = c_.precision;
    spec.direction = c_.direction;
    spec.in_place = true;
    spec.effort = Effort::estimate;
    spec.transform = {{n, rows ? 1 : n, rows ? 1 : n}};
    const std::int64_t across = rows ? n : c_.m_end() - c_.m_begin();
    spec.batch = {{c_.planes, n * n, n * n}, {across, rows ? n : 1, rows ? n : 1}};
    Complex* const begin = data.data() + (rows ? 0 : c_.m_begin());
    make_local_fft("fftw", spec)->execute(begin, begin);
  }

  std::vector<Complex> reference() const {
    std::vector<Complex> data = in_;
    const bool forward = c_.direction == Direction::forward;
    transform(data, forward);
    transform(data, !forward);
    for (std::size_t i = 0; i < data.size(); ++i) {
      const auto column = static_cast<std::int64_t>(i) % c_.n;
      // Rows that come later mix all columns: scales of some of them only make sense where columns come last.
      if (forward ? column >= c_.m_begin() && column < c_.m_end() : !c_.some_columns)
        data[i] *= static_cast<T>(c_.scale);
    }
    return data;
  }

  std::vector<Complex> run() const {
    const std::size_t bytes = in_.size() * sizeof(Complex);
    const std::vector<Complex> nothing(in_.size(), std::numeric_limits<T>::quiet_NaN());
    const Memory a = device::make_memory(bytes), b = device::make_memory(bytes);
    const device::Stream stream = device::make_stream();
    void* const to = c_.in_place ? a.get() : b.get();
    const bool forward = c_.direction == Direction::forward;
    lines::PlanePass pass = plane_pass_of(c_, false);
    lines::Pass& columns = pass.columns;
    const std::int64_t n = c_.n;
    columns.in.part[0] = {forward ? to : a.get(), n, n * n};
    columns.out.part[0] = {to, n, n * n};
    pass.rows = forward ? a.get() : to;
    // Backward: what the first axis does not write must be there, as the peers' copies leave it.
    const bool spare = !forward && c_.some_columns && !c_.in_place;
    std::vector<Complex> got(in_.size());
    run_twice(pass, stream.get(), [&] {
      device::copy_bytes(a.get(), in_.data(), bytes, stream.get());
      device::copy_bytes(b.get(), spare ? in_.data() : nothing.data(), bytes, stream.get());
    });
    device::copy_bytes(got.data(), to, bytes, stream.get());
    device::synchronize(stream.get());
    if (spare)
      for (std::size_t i = 0; i < static_cast<std::size_t>(c_.skipped * n * n); ++i) got[i] = nothing[i];
    return got;
  }

  PlaneCase c_;
  std::vector<Complex> in_;
};

bool check(const PlaneCase& c) { return check_planes<PlaneTest>(c, false); }

TEST(PlanePass, EverySize) {
  if (!lines::planes_supported(128, Precision::f64, false)) GTEST_SKIP() << "no plane kernels here";
  for (const int n : {128, 256, 384, 512, 768, 1024, 1536})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        const bool made = check({n, precision, direction, n > 256 ? 3 : 7});
        EXPECT_TRUE(made || !planes_fit_cache(n, precision, false)) << n;
      }
}

TEST(PlanePass, SomeColumnsAndScales) {
  if (!lines::planes_supported(128, Precision::f64, false)) GTEST_SKIP() << "no plane kernels here";
  for (const int n : {128, 384})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const bool in_place : {false, true}) {
        check({n, precision, Direction::forward, 6, 1, true, in_place, 1, 0.5});
        check({n, precision, Direction::backward, 6, 1, true, in_place, 3});
        check({n, precision, Direction::backward, 6, 2, false, in_place, 0, 0.25});
      }
}

/// Fewer planes than are begun ahead, and more tiles than a grid of all multiprocessors takes at once.
TEST(PlanePass, FewAndManyPlanes) {
  if (!lines::planes_supported(128, Precision::f64, false)) GTEST_SKIP() << "no plane kernels here";
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const int planes : {1, 2, 3, 150}) check({128, precision, Direction::forward, planes, 0, false, false, 0});
}

TEST(PlanePass, RefusesWhatItCannotDo) {
  if (!lines::planes_supported(128, Precision::f64, false)) GTEST_SKIP() << "no plane kernels here";
  EXPECT_FALSE(lines::planes_supported(100, Precision::f64, false));
  const Memory data = device::make_memory(128 * 128 * 16), counters = device::make_memory(64);
  lines::prepare(128, Precision::f64);
  lines::PlanePass pass;
  pass.rows = data.get();
  pass.columns.n = 128;
  pass.columns.in.part[0] = pass.columns.out.part[0] = {data.get(), 128, 128 * 128};
  pass.columns.outer_end = 1;
  pass.columns.m_end = 128;
  const auto refused = [&](auto change) {
    lines::PlanePass wrong = pass;
    change(wrong);
    EXPECT_THROW(lines::run(wrong, static_cast<std::uint32_t*>(counters.get()), nullptr), Error);
  };
  refused([](lines::PlanePass& p) { p.columns.m_end = 20; });
  refused([](lines::PlanePass& p) { p.columns.in.part[0].line_stride = 144; });
  refused([](lines::PlanePass& p) { p.columns.in.block = 64; });
  refused([](lines::PlanePass& p) { p.columns.out.columns = 120; });
  refused([](lines::PlanePass& p) { p.columns.m_end = 144; });
  refused([](lines::PlanePass& p) { p.rows = static_cast<std::byte*>(p.rows) + 8; });
}

}  // namespace
}  // namespace shardfft::test
