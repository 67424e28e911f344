// 1-D arrays over several ranks: six-step and cyclic, primes, half spectra.
#include <gtest/gtest.h>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TEST(OneDimension, AllLengths) {
  for (const std::int64_t n : {1, 2, 3, 5, 8, 12, 36, 97, 100, 144, 255})
    for (const Kind kind : fourier_kinds) check_case({{n}, "slab", "left", kind, Precision::f64, quick()});
}

TEST(OneDimension, LongPrimeAndPowers) {
  check_case({{1009}, "slab", "natural", Kind::c2c, Precision::f64, quick("six_step")});
  check_case({{1021}, "slab", "natural", Kind::r2c, Precision::f32, quick("six_step")});
  check_case({{4096}, "slab", "natural", Kind::c2c, Precision::f64, quick("six_step")});
  check_case({{2401}, "cyclic", "natural", Kind::r2c, Precision::f64, quick("cyclic")});
}

TEST(OneDimension, CyclicWithOneExchange) {
  for (const std::int64_t n : {576, 1152, 7056})
    for (const Precision precision : {Precision::f64, Precision::f32})
      check_case({{n}, "cyclic", "natural", Kind::c2c, precision, quick("cyclic")});
  check_case({{576}, "cyclic", "left", Kind::c2c, Precision::f64, quick()});
  check_case({{576}, "slab", "slab", Kind::c2c, Precision::f64, quick("cyclic")});
}

TEST(OneDimension, EveryLayoutToEveryOther) {
  const auto layouts = zoo({5}, world().size());
  std::size_t turn = 0;
  for (const NamedLayout& from : layouts) {
    const std::string& to = layouts[(4 * turn + 1) % layouts.size()].name;
    check_case(
        {{60}, from.name, to, fourier_kinds[turn % 3], Precision::f64, quick(turn % 2 == 0 ? "six_step" : "cyclic")});
    ++turn;
  }
}

TEST(OneDimension, Batches) {
  for (const Kind kind : fourier_kinds)
    for (const std::string algorithm : {"six_step", "cyclic"}) {
      Options o = quick(algorithm);
      o.batch = 3;
      check_case({{48}, "slab", "natural", kind, Precision::f64, o});
      check_case({{144}, "cyclic", "left", kind, Precision::f64, o});
    }
}

/// Odd and even lengths, and those with few factors, leave other modes without a partner.
TEST(OneDimension, HalfSpectraOfEveryLength) {
  for (std::int64_t n = 1; n <= 24; ++n)
    for (const Kind kind : {Kind::r2c, Kind::c2r})
      check_case({{n}, n % 2 == 0 ? "uneven" : "cyclic", "natural", kind, Precision::f64, quick("six_step")});
}

}  // namespace
}  // namespace shardfft::test
