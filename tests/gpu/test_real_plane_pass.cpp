// Both axes of planes with real rows in one pass against the serial reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
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

/// Planes with real rows, whose half spectra have `pitch` numbers from one to the next.
struct RealCase {
  int n, m;  ///< rows of a plane, points of a row
  Precision precision;
  Direction direction;
  bool padded = true;  ///< to whole bundles
  int planes = 5, skipped = 1;
  int left_out[2] = {0, 0};  ///< bundles of columns, at the begin and at the end
  int blocks = 2;
  double scale = 1;
  bool two_arrays = false;  ///< columns come from another array than rows go to, or go to another one
  bool woven = false;       ///< row by row of all planes: [n][planes][m], and half spectra likewise

  std::int64_t half() const { return m / 2 + 1; }
  std::int64_t m_begin() const { return left_out[0] * lines::granule(precision); }
  std::int64_t m_end() const {
    return lines::whole_bundles(half(), precision) - left_out[1] * lines::granule(precision);
  }
  bool has_column(std::int64_t m) const { return m >= m_begin() && m < m_end(); }
  std::int64_t pitch() const { return padded ? lines::whole_bundles(half(), precision) : half(); }
  /// The rows one after the other: which is row `row` of all planes.
  std::int64_t place(std::int64_t row) const { return woven ? row % n * planes + row / n : row; }
  std::int64_t row_step() const { return woven ? planes : 1; }
  std::int64_t plane_step() const { return woven ? 1 : n; }
  std::string name() const {
    return planes_text(*this, " real planes of ") + (padded ? "" : ", dense") + ", columns " +
           std::to_string(m_begin()) + " to " + std::to_string(m_end()) + (two_arrays ? ", two arrays" : "") +
           (woven ? ", woven" : "");
  }
};

template <class T>
class RealPlaneTest {
 public:
  using Complex = std::complex<T>;

  explicit RealPlaneTest(const RealCase& c)
      : c_(c),
        reals_(static_cast<std::size_t>(c.planes * c.n) * static_cast<std::size_t>(c.m), nan),
        spectra_(static_cast<std::size_t>(c.planes * c.n * c.pitch()), Complex(nan, nan)) {
    std::mt19937 random(7);
    std::uniform_real_distribution<T> value(-1, 1);
    if (forward())
      for (T& x : reals_) x = value(random);
    else
      for (std::int64_t row = 0; row < c.planes * c.n; ++row)
        for (std::int64_t m = 0; m < c.half(); ++m) spectrum(spectra_, row)[m] = {value(random), value(random)};
  }

  void check() {
    std::vector<T> reals = reals_;
    std::vector<Complex> spectra = spectra_;
    reference(reals, spectra);
    const std::vector<T> given = reals_;
    const std::vector<Complex> given_spectra = spectra_;
    run();
    const std::int64_t first = c_.skipped * c_.n, rows = c_.planes * c_.n;
    const bool spent = !forward() && c_.m_begin() == 0 && c_.m_end() >= c_.half();  // the spectra are
    Difference difference;
    for (std::int64_t row = first; row < rows; ++row) {
      for (std::int64_t m = 0; m < c_.half() && !spent; ++m)
        difference.add(spectrum(spectra_, row)[m], spectrum(spectra, row)[m]);
      for (std::int64_t z = 0; z < c_.m && !forward(); ++z) difference.add(real(reals_, row)[z], real(reals, row)[z]);
    }
    EXPECT_LE(difference.relative(), 40 * std::numeric_limits<T>::epsilon());
    // What is only read, and planes before the first one.
    const auto equal = [](const auto* a, const auto* b, std::int64_t count) {
      return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof *a) == 0;
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      const bool same_reals = equal(real(reals_, row), real(given, row), c_.m);
      const bool same_spectra = equal(spectrum(spectra_, row), spectrum(given_spectra, row), c_.pitch());
      EXPECT_TRUE(same_reals || (row >= first && !forward())) << row;
      EXPECT_TRUE(same_spectra || row >= first) << row;
    }
  }

 private:
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  bool forward() const { return c_.direction == Direction::forward; }
  template <class All>
  auto* real(All& all, std::int64_t row) const {
    return all.data() + c_.place(row) * c_.m;
  }
  template <class All>
  auto* spectrum(All& all, std::int64_t row) const {
    return all.data() + c_.place(row) * c_.pitch();
  }

  void reference(std::vector<T>& reals, std::vector<Complex>& spectra) {
    FftSpec spec;
    spec.precision = c_.precision;
    spec.direction = c_.direction;
    spec.effort = Effort::estimate;
    const std::int64_t n = c_.n, m = c_.m, pitch = c_.pitch(), rows = c_.planes * n;
    const auto transform_columns = [&] {
      FftSpec column = spec;
      column.kind = Kind::c2c;
      column.in_place = true;
      column.scale = c_.scale;
      const std::int64_t row = pitch * c_.row_step(), plane = pitch * c_.plane_step();
      column.transform = {{n, row, row}};
      column.batch = {{c_.planes, plane, plane}, {std::min(c_.m_end(), c_.half()) - c_.m_begin(), 1, 1}};
      Complex* const begin = spectra.data() + c_.m_begin();
      make_local_fft("fftw", column)->execute(begin, begin);
    };
    spec.kind = forward() ? Kind::r2c : Kind::c2r;
    spec.transform = {{m, 1, 1}};
    spec.batch = {forward() ? Loop{rows, m, pitch} : Loop{rows, pitch, m}};
    if (forward()) {
      make_local_fft("fftw", spec)->execute(reals.data(), spectra.data());
      return transform_columns();
    }
    transform_columns();
    std::vector<Complex> real_ends = spectra;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t end = 0; end <= m / 2; end += m % 2 == 0 ? m / 2 : m)
        spectrum(real_ends, row)[end] = spectrum(real_ends, row)[end].real();
    make_local_fft("fftw", spec)->execute(real_ends.data(), reals.data());
  }

  /// Leaves the results in reals_ and spectra_.
  void run() {
    const std::size_t real_bytes = reals_.size() * sizeof(T), bytes = spectra_.size() * sizeof(Complex);
    const Memory reals = device::make_memory(real_bytes), inner = device::make_memory(bytes),
                 other = device::make_memory(bytes);
    void* const outer = c_.two_arrays ? other.get() : inner.get();
    const device::Stream stream = device::make_stream();
    lines::PlanePass pass = plane_pass_of(c_, true);
    const std::int64_t row_step = c_.row_step(), plane_step = c_.plane_step();
    pass.rows = {reals.get(), row_step * c_.m, plane_step * c_.m};
    lines::Pass& columns = pass.columns;
    columns.in.part[0] = columns.out.part[0] = {inner.get(), row_step * c_.pitch(), plane_step * c_.pitch()};
    (forward() ? columns.out : columns.in).part[0].base = outer;
    if (!c_.padded) columns.in.columns = columns.out.columns = c_.half();
    run_twice(pass, stream.get(), [&] {
      device::copy_bytes(reals.get(), reals_.data(), real_bytes, stream.get());
      for (const Memory* memory : {&inner, &other})
        device::copy_bytes(memory->get(), spectra_.data(), bytes, stream.get());
    });
    std::vector<Complex> transformed(spectra_.size());
    device::copy_bytes(reals_.data(), reals.get(), real_bytes, stream.get());
    device::copy_bytes(spectra_.data(), inner.get(), bytes, stream.get());
    device::copy_bytes(transformed.data(), forward() ? outer : inner.get(), bytes, stream.get());
    device::synchronize(stream.get());
    for (std::int64_t row = c_.skipped * c_.n; row < c_.planes * c_.n; ++row)
      for (std::int64_t m = 0; m < c_.half(); ++m)
        if (c_.has_column(m)) spectrum(spectra_, row)[m] = spectrum(transformed, row)[m];
  }

  RealCase c_;
  std::vector<T> reals_;
  std::vector<Complex> spectra_;
};

bool check_real(const RealCase& c) { return check_planes<RealPlaneTest>(c, true); }

TEST(RealPlanePass, EverySize) {
  if (!lines::planes_supported(128, 128, Precision::f64, true)) GTEST_SKIP() << "no plane kernels here";
  for (const int n : {128, 256, 384, 512, 768, 1024, 1536})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        const bool made = check_real({n, n, precision, direction, true, n > 768 ? 2 : n > 512 ? 3 : 5});
        EXPECT_TRUE(made || !planes_fit_cache(n, n, precision, true)) << n;
      }
}

/// Some columns; scales; two arrays; rows of half spectra without padding; few and many planes.
TEST(RealPlanePass, ColumnsScalesAndArrays) {
  if (!lines::planes_supported(128, 128, Precision::f64, true)) GTEST_SKIP() << "no plane kernels here";
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    for (const int n : {128, 384}) {
      for (const Precision precision : {Precision::f32, Precision::f64}) {
        check_real({n, n, precision, direction, true, 6, 2, {1, 0}, 3});
        check_real({n, n, precision, direction, true, 6, 1, {0, 1}, 1, 0.5, true});
        check_real({n, n, precision, direction, true, 5, 1, {0, 0}, 2, 0.25, true});
      }
      check_real({n, n, Precision::f64, direction, false, 5, 0, {0, 0}, 0});
      check_real({n, n, Precision::f64, direction, false, 5, 1, {2, 0}, 1, 0.5});
    }
    check_real({128, 128, Precision::f32, direction, true, 150, 0, {0, 0}, 0});
    check_real({128, 128, Precision::f64, direction, false, 150, 0, {0, 0}, 0});
  }
}

/// Compiled when they are prepared: tiles that are not full, and threads that have points on both sides of the middle.
TEST(RealPlanePass, OtherSizes) {
  if (!lines::planes_supported(60, 90, Precision::f64, true)) GTEST_SKIP() << "no compiler of plane kernels here";
  const int sizes[][2] = {{60, 84}, {105, 44}, {27, 140}, {540, 64}, {65, 1000}, {392, 700}};
  Precision precision = Precision::f64;
  for (const auto& [n, m] : sizes) {
    precision = precision == Precision::f64 ? Precision::f32 : Precision::f64;
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      RealCase c{n, m, precision, direction};
      c.two_arrays = n % 2 == 0;
      c.woven = n % 4 != 0;
      EXPECT_TRUE(check_real(c));
    }
  }
}

/// Rows of odd lengths, which have no last number that is real, and rows that begin within units of 16 bytes.
TEST(RealPlanePass, OddRows) {
  if (!lines::planes_supported(60, 75, Precision::f64, true)) GTEST_SKIP() << "no compiler of plane kernels here";
  const int sizes[][2] = {{60, 75}, {105, 45}, {27, 90}, {26, 343}, {525, 525}, {392, 735}};
  for (const auto& [n, m] : sizes)
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        RealCase c{n, m, precision, direction};
        c.two_arrays = n % 2 == 0;
        c.woven = (n + m) % 4 != 0;
        EXPECT_TRUE(check_real(c));
      }
}

TEST(RealPlanePass, RefusesWhatItCannotDo) {
  if (!lines::planes_supported(128, 128, Precision::f64, true)) GTEST_SKIP() << "no plane kernels here";
  const Memory data = device::make_memory(128 * 128 * 16), rows = device::make_memory(128 * 128 * 8),
               counters = device::make_memory(64);
  for (const Precision precision : {Precision::f32, Precision::f64}) lines::prepare_planes(128, 128, precision, true);
  const auto run = [&](auto change) {
    lines::PlanePass pass;
    pass.real = true;
    pass.m = 128;
    pass.rows = {rows.get(), 128, 128 * 128};
    pass.columns.n = 128;
    pass.columns.in.part[0] = pass.columns.out.part[0] = {data.get(), 80, 128 * 80};
    pass.columns.outer_end = 1;
    pass.columns.m_end = 80;
    change(pass);
    lines::run(pass, static_cast<std::uint32_t*>(counters.get()), nullptr);
  };
  const auto lie = [&](lines::PlanePass& p, std::int64_t pitch) {
    p.columns.in.part[0] = p.columns.out.part[0] = {data.get(), pitch, 128 * pitch};
  };
  EXPECT_NO_THROW(run([](lines::PlanePass&) {}));
  EXPECT_THROW(run([&](lines::PlanePass& p) { lie(p, 64); }), Error) << "half spectra that overlap";
  EXPECT_THROW(run([&](lines::PlanePass& p) { lie(p, 65); }), Error) << "columns that are in the next row";
  EXPECT_NO_THROW(run([&](lines::PlanePass& p) {
    lie(p, 65);
    p.columns.in.columns = p.columns.out.columns = 65;
  }));
  EXPECT_THROW(run([](lines::PlanePass& p) { p.m = 127; }), Error) << "another length";
  EXPECT_THROW(run([](lines::PlanePass& p) { p.rows.line_stride = 129; }), Error) << "rows within 16 bytes";
  EXPECT_THROW(run([](lines::PlanePass& p) { p.rows.base = p.columns.in.part[0].base; }), Error) << "rows in place";
  EXPECT_THROW(run([&](lines::PlanePass& p) {
                 p.columns.precision = Precision::f32;
                 p.columns.m_end = 64;
                 lie(p, 65);
               }),
               Error)
      << "rows of an odd number of floats";
  const auto narrow = [&](lines::PlanePass& p) {
    p.columns.precision = Precision::f32;
    p.columns.m_end = 96;
    lie(p, 96);
  };
  EXPECT_NO_THROW(run([&](lines::PlanePass& p) { narrow(p); }));
  EXPECT_NO_THROW(run([&](lines::PlanePass& p) {
    narrow(p);
    p.columns.out.columns = 65;
  })) << "the row has room for the rest of a unit";
  EXPECT_THROW(run([&](lines::PlanePass& p) {
                 narrow(p);
                 p.columns.m_end = 97;
               }),
               Error)
      << "columns that are in the next row";
  EXPECT_THROW(run([&](lines::PlanePass& p) {
                 narrow(p);
                 ++p.columns.out.part[0].outer_stride;
               }),
               Error)
      << "planes that begin within 16 bytes";
  device::synchronize(nullptr);
}

}  // namespace
}  // namespace shardfft::test
