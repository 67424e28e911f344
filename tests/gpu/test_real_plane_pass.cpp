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
  int n;
  Precision precision;
  Direction direction;
  bool padded = true;  ///< to whole bundles
  int planes = 5, skipped = 1;
  int left_out[2] = {0, 0};  ///< bundles of columns, at the begin and at the end
  int blocks = 2;
  double scale = 1;
  bool two_arrays = false;  ///< columns come from another array than rows go to, or go to another one

  std::int64_t half() const { return n / 2 + 1; }
  std::int64_t m_begin() const { return left_out[0] * lines::granule(precision); }
  std::int64_t m_end() const {
    return lines::whole_bundles(half(), precision) - left_out[1] * lines::granule(precision);
  }
  bool has_column(std::int64_t m) const { return m >= m_begin() && m < m_end(); }
  std::int64_t pitch() const { return padded ? lines::whole_bundles(half(), precision) : half(); }
  std::string name() const {
    return planes_text(*this, " real planes of ") + (padded ? "" : ", dense") + ", columns " +
           std::to_string(m_begin()) + " to " + std::to_string(m_end()) + (two_arrays ? ", two arrays" : "");
  }
};

template <class T>
class RealPlaneTest {
 public:
  using Complex = std::complex<T>;

  explicit RealPlaneTest(const RealCase& c)
      : c_(c),
        reals_(static_cast<std::size_t>(c.planes * c.n) * static_cast<std::size_t>(c.n), nan),
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
    Difference difference;
    for (std::int64_t row = first; row < rows; ++row) {
      for (std::int64_t m = 0; m < c_.half(); ++m)
        difference.add(spectrum(spectra_, row)[m], spectrum(spectra, row)[m]);
      for (std::int64_t z = 0; z < c_.n && !forward(); ++z) difference.add(real(reals_, row)[z], real(reals, row)[z]);
    }
    EXPECT_LE(difference.relative(), 40 * std::numeric_limits<T>::epsilon());
    // What is only read, and planes before the first one.
    const std::int64_t kept_rows = forward() ? rows : first, kept_spectra = first;
    EXPECT_EQ(std::memcmp(reals_.data(), given.data(), static_cast<std::size_t>(kept_rows * c_.n) * sizeof(T)), 0);
    EXPECT_EQ(std::memcmp(spectra_.data(), given_spectra.data(),
                          static_cast<std::size_t>(kept_spectra * c_.pitch()) * sizeof(Complex)),
              0);
  }

 private:
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  bool forward() const { return c_.direction == Direction::forward; }
  T* real(std::vector<T>& all, std::int64_t row) const { return all.data() + row * c_.n; }
  Complex* spectrum(std::vector<Complex>& all, std::int64_t row) const { return all.data() + row * c_.pitch(); }

  void reference(std::vector<T>& reals, std::vector<Complex>& spectra) {
    FftSpec spec;
    spec.precision = c_.precision;
    spec.direction = c_.direction;
    spec.effort = Effort::estimate;
    const std::int64_t n = c_.n, pitch = c_.pitch(), rows = c_.planes * n;
    const auto transform_columns = [&] {
      FftSpec column = spec;
      column.kind = Kind::c2c;
      column.in_place = true;
      column.scale = c_.scale;
      column.transform = {{n, pitch, pitch}};
      column.batch = {{c_.planes, n * pitch, n * pitch}, {std::min(c_.m_end(), c_.half()) - c_.m_begin(), 1, 1}};
      Complex* const begin = spectra.data() + c_.m_begin();
      make_local_fft("fftw", column)->execute(begin, begin);
    };
    spec.kind = forward() ? Kind::r2c : Kind::c2r;
    spec.transform = {{n, 1, 1}};
    spec.batch = {forward() ? FftDim{rows, n, pitch} : FftDim{rows, pitch, n}};
    if (forward()) {
      make_local_fft("fftw", spec)->execute(reals.data(), spectra.data());
      return transform_columns();
    }
    transform_columns();
    std::vector<Complex> real_ends = spectra;
    for (std::int64_t row = 0; row < rows; ++row)
      for (const std::int64_t m : {std::int64_t{0}, n / 2})
        spectrum(real_ends, row)[m] = spectrum(real_ends, row)[m].real();
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
    pass.rows = reals.get();
    lines::Pass& columns = pass.columns;
    columns.in.part[0] = columns.out.part[0] = {inner.get(), c_.pitch(), c_.n * c_.pitch()};
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

bool check(const RealCase& c) { return check_planes<RealPlaneTest>(c, true); }

TEST(RealPlanePass, EverySize) {
  if (!lines::planes_supported(128, Precision::f64, true)) GTEST_SKIP() << "no plane kernels here";
  for (const int n : {128, 256, 384, 512, 768, 1024, 1536})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        const bool made = check({n, precision, direction, true, n > 512 ? 3 : 5});
        EXPECT_TRUE(made || !planes_fit_cache(n, precision, true)) << n;
      }
}

/// Some columns; scales; two arrays; rows of half spectra without padding; few and many planes.
TEST(RealPlanePass, ColumnsScalesAndArrays) {
  if (!lines::planes_supported(128, Precision::f64, true)) GTEST_SKIP() << "no plane kernels here";
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    for (const int n : {128, 384}) {
      for (const Precision precision : {Precision::f32, Precision::f64}) {
        check({n, precision, direction, true, 6, 2, {1, 0}, 3});
        check({n, precision, direction, true, 6, 1, {0, 1}, 1, 0.5, true});
        check({n, precision, direction, true, 5, 1, {0, 0}, 2, 0.25, true});
      }
      check({n, Precision::f64, direction, false, 5, 0, {0, 0}, 0});
      check({n, Precision::f64, direction, false, 5, 1, {2, 0}, 1, 0.5});
    }
    check({128, Precision::f32, direction, true, 150, 0, {0, 0}, 0});
    check({128, Precision::f64, direction, false, 150, 0, {0, 0}, 0});
  }
}

TEST(RealPlanePass, RefusesWhatItCannotDo) {
  if (!lines::planes_supported(128, Precision::f64, true)) GTEST_SKIP() << "no plane kernels here";
  const Memory data = device::make_memory(128 * 128 * 16), rows = device::make_memory(128 * 128 * 8),
               counters = device::make_memory(64);
  lines::prepare(128, Precision::f64);
  lines::prepare(128, Precision::f32);
  const auto run = [&](auto change) {
    lines::PlanePass pass;
    pass.real = true;
    pass.rows = rows.get();
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
  EXPECT_THROW(run([](lines::PlanePass& p) { p.columns.in.part[0].outer_stride = 128 * 96; }), Error) << "gaps";
  EXPECT_THROW(run([](lines::PlanePass& p) { p.rows = p.columns.in.part[0].base; }), Error) << "rows in place";
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
  EXPECT_THROW(run([&](lines::PlanePass& p) {
                 narrow(p);
                 p.columns.out.columns = 65;
               }),
               Error)
      << "columns that end within 16 bytes";
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
