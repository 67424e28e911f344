// Both axes of complex planes in one pass against the serial reference: every size of the library's own kernels and
// random others, rows at any stride, few blocks so that each works on many tiles, some of the columns, in place and
// not.
#include <gtest/gtest.h>

#include <algorithm>
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

struct PassCase {
  int n, m;  ///< rows of a plane, points of a row
  Precision precision;
  Direction direction;
  int planes = 7, skipped = 1;  ///< of all planes; before the first one
  bool some_columns = false, in_place = false;
  int blocks = 2;
  double scale = 1;
  int in_gap = 0, out_gap = 0;  ///< numbers between a row and the next one
  bool woven = false;           ///< row by row of all planes: [n][planes][m]

  std::int64_t m_begin() const { return some_columns ? lines::unit(precision) * 3 : 0; }
  std::int64_t m_end() const { return some_columns ? m - lines::unit(precision) * 5 : m; }
  std::int64_t gap(bool input) const { return input || in_place ? in_gap : out_gap; }
  std::int64_t row(bool input) const { return woven ? planes * (m + gap(input)) : m + gap(input); }
  std::int64_t plane(bool input) const { return woven ? m + gap(input) : n * (m + gap(input)); }
  std::size_t points(bool input) const { return static_cast<std::size_t>(planes * n * (m + gap(input))); }
  /// Every row: its place in the input and in the output.
  template <class Visit>
  void each_row(const Visit& visit) const {
    for (std::int64_t p = 0; p < planes; ++p)
      for (std::int64_t r = 0; r < n; ++r) visit(p, p * plane(true) + r * row(true), p * plane(false) + r * row(false));
  }
  std::string name() const {
    return planes_text(*this, " planes of ") + (some_columns ? ", some columns" : "") + (in_place ? ", in place" : "") +
           (woven ? ", woven" : "") + ", gaps " + std::to_string(gap(true)) + " " + std::to_string(gap(false));
  }
};

template <class T>
class PlaneTest {
 public:
  using Complex = std::complex<T>;

  explicit PlaneTest(const PassCase& c) : c_(c), in_(c.points(true)) {
    std::mt19937 random(5);
    std::uniform_real_distribution<T> value(-1, 1);
    for (Complex& z : in_) z = {value(random), value(random)};
  }

  void check() {
    const std::vector<Complex> expected = reference(), got = run();
    Difference difference;
    std::vector<bool> is_row(got.size(), false);
    c_.each_row([&](std::int64_t plane, std::int64_t from, std::int64_t to) {
      if (plane < c_.skipped) return;
      for (std::int64_t i = 0; i < c_.m; ++i) {
        const auto at = static_cast<std::size_t>(to + i);
        difference.add(got[at], expected[static_cast<std::size_t>(from + i)]);
        is_row[at] = true;
      }
      if (c_.m % lines::unit(c_.precision) != 0)
        is_row[static_cast<std::size_t>(to + c_.m)] = true;  // of its last unit
    });
    EXPECT_LE(difference.relative(), 40 * std::numeric_limits<T>::epsilon());
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (is_row[i]) continue;
      if (c_.in_place)
        ASSERT_EQ(got[i], in_[i]) << "what is no row of a plane, or a plane before the first one";
      else
        ASSERT_TRUE(std::isnan(got[i].real())) << "what is no row of a plane, or a plane before the first one";
    }
  }

 private:
  /// Lines along one axis of all planes; of the one across the rows, those of some columns.
  void transform(std::vector<Complex>& data, bool rows) const {
    FftSpec spec;
    spec.precision = c_.precision;
    spec.direction = c_.direction;
    spec.in_place = true;
    spec.effort = Effort::estimate;
    const std::int64_t row = c_.row(true), plane = c_.plane(true);
    spec.transform = {rows ? Loop{c_.m, 1, 1} : Loop{c_.n, row, row}};
    spec.batch = {{c_.planes, plane, plane}, rows ? Loop{c_.n, row, row} : Loop{c_.m_end() - c_.m_begin(), 1, 1}};
    Complex* const begin = data.data() + (rows ? 0 : c_.m_begin());
    make_local_fft("fftw", spec)->execute(begin, begin);
  }

  /// As the input lies.
  std::vector<Complex> reference() const {
    std::vector<Complex> data = in_;
    const bool forward = c_.direction == Direction::forward;
    transform(data, forward);
    transform(data, !forward);
    c_.each_row([&](std::int64_t /*plane*/, std::int64_t from, std::int64_t /*to*/) {
      // Rows that come later mix all columns: scales of some of them only make sense where columns come last.
      const bool scaled = forward || !c_.some_columns;
      for (std::int64_t m = c_.m_begin(); m < c_.m_end() && scaled; ++m)
        data[static_cast<std::size_t>(from + m)] *= static_cast<T>(c_.scale);
    });
    return data;
  }

  /// What the first axis does not write must be there, as the peers' copies leave it.
  bool wants_rest() const { return c_.direction == Direction::backward && c_.some_columns; }

  std::vector<Complex> run() const {
    const std::size_t size = c_.points(c_.in_place), bytes = size * sizeof(Complex);
    std::vector<Complex> before(size, std::numeric_limits<T>::quiet_NaN()), got(size);
    if (wants_rest())
      c_.each_row([&](std::int64_t plane, std::int64_t from, std::int64_t to) {
        if (plane >= c_.skipped) std::copy_n(in_.begin() + from, c_.m, before.begin() + to);
      });
    const Memory a = device::make_memory(in_.size() * sizeof(Complex)), b = device::make_memory(bytes);
    const device::Stream stream = device::make_stream();
    void* const to = c_.in_place ? a.get() : b.get();
    const bool forward = c_.direction == Direction::forward;
    const lines::Part in{a.get(), c_.row(true), c_.plane(true)}, out{to, c_.row(false), c_.plane(false)};
    lines::PlanePass pass = plane_pass_of(c_, false);
    pass.columns.in.part[0] = forward ? out : in;
    pass.columns.out.part[0] = out;
    pass.rows = forward ? in : out;
    run_twice(pass, stream.get(), [&] {
      device::copy_bytes(b.get(), before.data(), bytes, stream.get());
      device::copy_bytes(a.get(), in_.data(), in_.size() * sizeof(Complex), stream.get());
    });
    device::copy_bytes(got.data(), to, bytes, stream.get());
    device::synchronize(stream.get());
    return got;
  }

  PassCase c_;
  std::vector<Complex> in_;
};

bool check_plane(const PassCase& c) { return check_planes<PlaneTest>(c, false); }

bool none_here() { return !lines::planes_supported(128, 128, Precision::f64, false); }

TEST(PlanePass, EverySize) {
  if (none_here()) GTEST_SKIP() << "no plane kernels here";
  for (const int n : {128, 256, 384, 512, 768, 1024, 1536})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        const bool made = check_plane({n, n, precision, direction, n > 768 ? 2 : n > 256 ? 3 : 7});
        EXPECT_TRUE(made || !planes_fit_cache(n, n, precision, false)) << n;
      }
}

TEST(PlanePass, SomeColumnsAndScales) {
  if (none_here()) GTEST_SKIP() << "no plane kernels here";
  for (const int n : {128, 384})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const bool in_place : {false, true}) {
        check_plane({n, n, precision, Direction::forward, 6, 1, true, in_place, 1, 0.5});
        check_plane({n, n, precision, Direction::backward, 6, 1, true, in_place, 3});
        check_plane({n, n, precision, Direction::backward, 6, 2, false, in_place, 0, 0.25});
      }
}

/// Fewer planes than are begun ahead, and more tiles than a grid of all multiprocessors takes at once.
TEST(PlanePass, FewAndManyPlanes) {
  if (none_here()) GTEST_SKIP() << "no plane kernels here";
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const int planes : {1, 2, 3, 150})
      check_plane({128, 128, precision, Direction::forward, planes, 0, false, false, 0});
}

/// Rows that lie apart, and planes whose rows lie between those of others.
TEST(PlanePass, Strides) {
  if (none_here()) GTEST_SKIP() << "no plane kernels here";
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const Direction direction : {Direction::forward, Direction::backward})
      for (const bool in_place : {false, true})
        for (const bool woven : {false, true}) {
          check_plane({256, 256, precision, direction, 5, 1, false, in_place, 2, 0.5, 0, 0, woven});
          check_plane({128, 128, precision, direction, 5, 2, true, in_place, 0, 1, 6, 2, woven});
        }
}

/// Compiled when they are prepared: lengths of all small factors, with tiles that are not full.
TEST(PlanePass, OtherSizes) {
  if (!lines::planes_supported(60, 90, Precision::f64, false)) GTEST_SKIP() << "no compiler of plane kernels here";
  const int sizes[][2] = {{60, 90}, {105, 44}, {26, 350}, {540, 64}, {64, 1000}, {392, 686}};
  Precision precision = Precision::f64;
  for (const auto& [n, m] : sizes) {
    precision = precision == Precision::f64 ? Precision::f32 : Precision::f64;
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      EXPECT_TRUE(check_plane({n, m, precision, direction, 4, 1, false, false, 2, 0.5, 2, 4, true}));
      EXPECT_TRUE(check_plane({n, m, precision, direction, 4, 0, true, true, 0}));
    }
  }
}

/// Rows that end within units of 16 bytes, and where they come from begin there.
TEST(PlanePass, OddRows) {
  if (!lines::planes_supported(60, 75, Precision::f32, false)) GTEST_SKIP() << "no compiler of plane kernels here";
  const int sizes[][2] = {{60, 75}, {105, 45}, {26, 343}, {525, 525}};
  for (const auto& [n, m] : sizes)
    for (const bool woven : {false, true}) {
      EXPECT_TRUE(check_plane({n, m, Precision::f32, Direction::forward, 4, 1, false, false, 2, 0.5, 0, 3, woven}));
      EXPECT_TRUE(check_plane({n, m, Precision::f32, Direction::forward, 4, 0, false, false, 0, 1, 2, 1, woven}));
      EXPECT_TRUE(check_plane({n, m, Precision::f32, Direction::backward, 4, 1, false, true, 0, 0.5, 1, 1, woven}));
    }
}

/// Few: compilers take seconds for each.
TEST(PlanePass, RandomSizes) {
  if (!lines::planes_supported(60, 90, Precision::f64, false)) GTEST_SKIP() << "no compiler of plane kernels here";
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&random](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  for (int done = 0; done < 3;) {
    PassCase c{4 + below(300), 4 + below(300), below(2) == 0 ? Precision::f32 : Precision::f64,
               below(2) == 0 ? Direction::forward : Direction::backward};
    c.planes = 2 + below(6);
    c.blocks = below(4);
    c.in_gap = c.m % 2 + 2 * below(5);
    c.out_gap = c.m % 2 + 2 * below(5);
    c.woven = below(2) == 0;
    c.in_place = below(3) == 0;
    if (check_plane(c)) ++done;
  }
}

TEST(PlanePass, RefusesWhatItCannotDo) {
  if (none_here()) GTEST_SKIP() << "no plane kernels here";
  EXPECT_FALSE(lines::planes_supported(68, 64, Precision::f64, false)) << "a factor of 17";
  EXPECT_FALSE(lines::planes_supported(4096, 4096, Precision::f64, false)) << "more than the cache holds";
  const Memory data = device::make_memory(2 * 128 * 128 * 16), counters = device::make_memory(64);
  lines::prepare_planes(128, 128, Precision::f64, false);
  lines::PlanePass pass;
  pass.m = 128;
  pass.rows = {data.get(), 128, 128 * 128};
  pass.columns.n = 128;
  pass.columns.in.part[0] = pass.columns.out.part[0] = pass.rows;
  pass.columns.outer_end = 1;
  pass.columns.m_end = 128;
  const auto run = [&](auto change) {
    lines::PlanePass changed = pass;
    change(changed);
    lines::run(changed, static_cast<std::uint32_t*>(counters.get()), nullptr);
  };
  const auto refused = [&](auto change) { EXPECT_THROW(run(change), Error); };
  EXPECT_NO_THROW(run([](lines::PlanePass&) {}));
  refused([](lines::PlanePass& p) { p.m = 64; });
  refused([](lines::PlanePass& p) { p.m = 0; });
  refused([](lines::PlanePass& p) { p.columns.in.part[0].line_stride = 144; });
  refused([](lines::PlanePass& p) { p.columns.in.part[0].line_stride = 120; });
  refused([](lines::PlanePass& p) { p.rows.line_stride = 120; });
  refused([](lines::PlanePass& p) { p.columns.in.block = 64; });
  refused([](lines::PlanePass& p) { p.columns.m_begin = 129; });
  refused([](lines::PlanePass& p) { p.columns.m_end = 144; });
  refused([](lines::PlanePass& p) { p.rows.base = static_cast<std::byte*>(p.rows.base) + 8; });
  refused([](lines::PlanePass& p) { p.rows.base = static_cast<std::byte*>(p.rows.base) + 16; });
  device::synchronize(nullptr);
}

}  // namespace
}  // namespace shardfft::test
