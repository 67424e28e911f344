// Line passes over rows of an odd number of single-precision numbers against the serial reference: many sizes, padded
// rows to dense ones and back, whole rows and parts of them, even and odd numbers of rows between the points of a line;
// nothing else is written.
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
using Complex = std::complex<float>;
namespace lines = device::lines;

constexpr std::int64_t rows_begin = 1, most_rows = 6;

struct OddCase {
  int n;
  Direction direction;
  bool odd_in, odd_out;
  std::int64_t kept = 65;      ///< numbers of a row; of 63 odd rows need a bundle more than even ones
  std::int64_t row_count = 6;  ///< 16: lines are whole bundles apart, so that stores can be aligned
  bool align_stores = false;
  bool woven = false;  ///< a line's rows are neighbours

  std::int64_t pitch(bool odd) const { return odd ? kept : lines::whole_bundles(kept, Precision::f32); }
  std::int64_t line_stride(bool odd) const { return (woven ? 1 : row_count) * pitch(odd); }
  std::int64_t outer_stride(bool odd) const { return (woven ? n : 1) * pitch(odd); }
  /// Of many rows the last ones stay.
  std::int64_t rows_end() const { return std::min(row_count, most_rows); }
  std::size_t points(bool odd) const { return static_cast<std::size_t>(n * row_count * pitch(odd)); }
  std::string name() const {
    return std::to_string(n) + (direction == Direction::forward ? " forward, " : " backward, ") +
           (odd_in ? "odd" : "padded") + " to " + (odd_out ? "odd" : "padded") + ", " + std::to_string(row_count) +
           " rows of " + std::to_string(kept) + (align_stores ? ", aligned" : "") + (woven ? ", woven" : "");
  }
};

class OddTest {
 public:
  explicit OddTest(const OddCase& c) : c_(c), in_(c.points(c.odd_in)) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> value(-1, 1);
    for (Complex& z : in_) z = {value(random), value(random)};
  }

  void check() {
    SCOPED_TRACE(c_.name());
    const std::vector<Complex> expected = reference(), got = run();
    Difference difference;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto column = static_cast<std::int64_t>(i) % c_.pitch(c_.odd_out);
      const auto row = static_cast<std::int64_t>(i) / c_.outer_stride(c_.odd_out) % c_.row_count;
      if (row >= rows_begin && row < c_.rows_end() && column < c_.kept)
        difference.add(got[i], expected[i]);
      else
        ASSERT_TRUE(std::isnan(got[i].real())) << "row " << row << ", column " << column << " is nobody's";
    }
    EXPECT_LE(difference.relative(), 40 * std::numeric_limits<float>::epsilon());
  }

 private:
  std::vector<Complex> reference() const {
    FftSpec spec;
    spec.precision = Precision::f32;
    spec.direction = c_.direction;
    spec.effort = Effort::estimate;
    spec.transform = {{c_.n, c_.line_stride(c_.odd_in), c_.line_stride(c_.odd_out)}};
    spec.batch = {{c_.rows_end(), c_.outer_stride(c_.odd_in), c_.outer_stride(c_.odd_out)}, {c_.kept, 1, 1}};
    std::vector<Complex> data = in_, result(c_.points(c_.odd_out));
    make_local_fft("fftw", spec)->execute(data.data(), result.data());
    for (Complex& z : result) z *= 0.5F;
    return result;
  }

  std::vector<Complex> run() const {
    const std::vector<Complex> nothing(c_.points(c_.odd_out), std::numeric_limits<float>::quiet_NaN());
    const std::size_t in_bytes = in_.size() * sizeof(Complex), out_bytes = nothing.size() * sizeof(Complex);
    const Memory from = device::make_memory(in_bytes), to = device::make_memory(out_bytes);
    const device::Stream stream = device::make_stream();
    for (const bool odd : {false, true}) lines::prepare(c_.n, Precision::f32, odd);
    device::copy_bytes(from.get(), in_.data(), in_bytes, stream.get());
    device::copy_bytes(to.get(), nothing.data(), out_bytes, stream.get());
    lines::Pass pass;
    pass.n = c_.n;
    pass.precision = Precision::f32;
    pass.direction = c_.direction;
    pass.in.part[0] = {from.get(), c_.line_stride(c_.odd_in), c_.outer_stride(c_.odd_in)};
    pass.out.part[0] = {to.get(), c_.line_stride(c_.odd_out), c_.outer_stride(c_.odd_out)};
    pass.in.columns = pass.out.columns = c_.kept;
    pass.outer_begin = rows_begin;
    pass.outer_end = c_.rows_end();
    pass.scale = 0.5;
    pass.align_stores = c_.align_stores;
    pass.blocks = 3;
    const std::int64_t part = lines::granule(Precision::f32), end = lines::whole_bundles(c_.kept, Precision::f32);
    // Two parts: where bundles begin earlier, the second one has columns of the first one.
    for (const std::int64_t begin : {std::int64_t{0}, part}) {
      pass.m_begin = begin;
      pass.m_end = begin == 0 ? part : end;
      lines::run(pass, stream.get());
    }
    std::vector<Complex> got(nothing.size());
    device::copy_bytes(got.data(), to.get(), out_bytes, stream.get());
    device::synchronize(stream.get());
    return got;
  }

  OddCase c_;
  std::vector<Complex> in_;
};

class OddRowsOf : public testing::TestWithParam<int> {};

TEST_P(OddRowsOf, OneSize) {
  if (!lines::supported(128)) GTEST_SKIP() << "no line kernels here";
  const int n = GetParam();
  EXPECT_TRUE(lines::takes_odd_rows(n));
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const auto& [in, out] : {std::pair{true, false}, {false, true}, {true, true}}) {
      for (const std::int64_t kept : {63, 65}) {
        OddTest({n, direction, in, out, kept}).check();
        OddTest({n, direction, in, out, kept, 16, true}).check();
        OddTest({n, direction, in, out, kept, 5}).check();
        OddTest({n, direction, in, out, kept, 3, true, true}).check();
      }
    }
}

INSTANTIATE_TEST_SUITE_P(OddRows, OddRowsOf,
                         testing::Values(100, 128, 256, 384, 512, 560, 576, 600, 768, 1001, 1024, 1050, 1080, 1536,
                                         2048),
                         testing::PrintToStringParamName());

TEST(OddRows, RefusesWhatItCannotDo) {
  if (!lines::supported(128)) GTEST_SKIP() << "no line kernels here";
  EXPECT_FALSE(lines::takes_odd_rows(34));
  const Memory data = device::make_memory(2048 * 6 * 65 * sizeof(Complex));
  lines::Pass pass;
  pass.n = 128;
  pass.precision = Precision::f32;
  pass.in.part[0] = pass.out.part[0] = {data.get(), 6 * 65, 65};
  pass.in.part[1] = pass.in.part[0];
  pass.outer_end = 6;
  pass.m_end = lines::granule(Precision::f32);
  lines::prepare(128, Precision::f32, true);
  EXPECT_NO_THROW(lines::run(pass, nullptr));
  const auto refused = [&](auto change) {
    lines::Pass wrong = pass;
    change(wrong);
    EXPECT_THROW(lines::run(wrong, nullptr), Error);
  };
  refused([](lines::Pass& p) { p.in.block = 64; });
  refused([](lines::Pass& p) { p.out.block = 64; });
  refused([](lines::Pass& p) {  // also where only what it writes is odd
    p.in.block = 64;
    for (const int q : {0, 1}) p.in.part[static_cast<std::size_t>(q)] = {p.in.part[0].base, 6 * 96, 96};
  });
  refused([](lines::Pass& p) { p.in.part[0].base = static_cast<std::byte*>(p.in.part[0].base) + sizeof(Complex); });
  refused([](lines::Pass& p) { p.m_begin = 1; });
  refused([](lines::Pass& p) { p.n = 96; });  // not prepared
  lines::prepare(96, Precision::f32);
  refused([](lines::Pass& p) { p.n = 96; });  // but for even rows alone
  EXPECT_THROW(lines::prepare(96, Precision::f64, true), Error);
}

}  // namespace
}  // namespace shardfft::test
