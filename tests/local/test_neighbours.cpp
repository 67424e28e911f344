// Lines of a batch are alone with themselves: what is in one changes no bit of another, nor does how many there are,
// where they lie and how many threads share them.
#include <cstring>

#include "base/aligned.hpp"
#include "fft_cases.hpp"
#include "local/lanes.hpp"

namespace shardfft::test {
namespace {

/// Lines of n points, all on one side as `numbers` doubles one behind the other, whatever way a transform lies.
struct Batch {
  Kind kind;
  std::int64_t n, count;

  FftSpec spec(bool beside_in, bool beside_out) const {
    FftSpec s;
    s.kind = kind;
    s.direction = kind == Kind::c2r ? Direction::backward : Direction::forward;
    s.transform = {{n, beside_in ? count : 1, beside_out ? count : 1}};
    s.batch = {{count, beside_in ? 1 : points_in(), beside_out ? 1 : points_out()}};
    s.effort = Effort::estimate;
    return s;
  }
  std::int64_t points_in() const { return kind == Kind::c2r ? n / 2 + 1 : n; }
  std::int64_t points_out() const { return kind == Kind::r2c ? n / 2 + 1 : n; }
};

/// The numbers of line `index`.
std::vector<double> line_of(TestArray& array, const Loop& batch, const Loop& line, std::int64_t Loop::*side,
                            std::int64_t points, int parts, std::int64_t index) {
  std::vector<double> numbers;
  for (std::int64_t k = 0; k < points; ++k)
    for (int p = 0; p < parts; ++p)
      numbers.push_back(array.get((index * (batch.*side) + k * (line.*side)) * parts + p));
  return numbers;
}

using Make = std::function<std::unique_ptr<LocalFft>(const FftSpec&)>;

/// The lines of a result, of inputs that depend on the number of the line and `seed` alone; `spoilt` has `bad` in it.
std::vector<std::vector<double>> results(const Batch& b, const FftSpec& spec, const Make& make,
                                         std::int64_t spoilt = -1, double bad = 0) {
  TestArray in(spec.precision, input_reals(spec)), out(spec.precision, output_reals(spec));
  const int parts_in = b.kind == Kind::r2c ? 1 : 2, parts_out = b.kind == Kind::c2r ? 1 : 2;
  for (std::int64_t l = 0; l < b.count; ++l) {
    std::mt19937 random(static_cast<unsigned>(l));
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::int64_t k = 0; k < b.points_in(); ++k)
      for (int p = 0; p < parts_in; ++p)
        in.set((l * spec.batch.front().from + k * spec.transform.front().from) * parts_in + p,
               l == spoilt && k == b.points_in() / 3 ? bad : uniform(random));
  }
  make(spec)->execute(in.data(), out.data());
  std::vector<std::vector<double>> lines;
  for (std::int64_t l = 0; l < b.count; ++l)
    lines.push_back(line_of(out, spec.batch.front(), spec.transform.front(), &Loop::to, b.points_out(), parts_out, l));
  return lines;
}

void expect_bits(const std::vector<double>& got, const std::vector<double>& wanted, const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size());
  EXPECT_EQ(std::memcmp(got.data(), wanted.data(), got.size() * sizeof(double)), 0) << what;
}

constexpr Kind neighbour_kinds[] = {Kind::c2c, Kind::r2c, Kind::c2r};
constexpr std::int64_t lengths[] = {2, 9, 12, 15, 34, 60, 64, 97, 106, 139, 201, 210, 214};

void expect_alone(const Batch& b, FftSpec spec, const Make& make, const std::string& name) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    spec.precision = precision;
    SCOPED_TRACE(describe(name, spec));
    const auto wanted = results(b, spec, make);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e20}) {
      const std::int64_t spoilt = b.count / 2;
      const auto got = results(b, spec, make, spoilt, bad);
      for (std::int64_t l = 0; l < b.count; ++l)
        if (l != spoilt) {
          const auto i = static_cast<std::size_t>(l);
          expect_bits(got[i], wanted[i], "line " + std::to_string(l) + " beside " + std::to_string(bad));
        }
    }
  }
}

TEST(Neighbours, NoLineChangesAnother) {
  for (const Kind kind : neighbour_kinds)
    for (const std::int64_t n : lengths)
      for (const bool beside : {false, true}) {
        const Batch b{kind, n, 21};
        const FftSpec spec = b.spec(beside, beside);
        for (const std::string& backend : tested_backends())
          expect_alone(
              b, spec, [&](const FftSpec& s) { return make_local_fft(backend, s); }, backend);
        for (const lanes::Kernels& kernels : lanes::all_kernels())
          expect_alone(
              b, spec, [&](const FftSpec& s) { return make_lanes(s, kernels); },
              std::to_string(kernels.vector_bytes) + " bytes");
      }
}

/// The kernels of one set of instructions compute a line in one way only.
TEST(Neighbours, LanesHaveTheSameBitsAnywhere) {
  for (const lanes::Kernels& kernels : lanes::all_kernels())
    for (const Kind kind : neighbour_kinds)
      for (const std::int64_t n : lengths)
        for (const Precision precision : {Precision::f64, Precision::f32}) {
          const Make make = [&](const FftSpec& s) { return make_lanes(s, kernels); };
          const auto lines_of = [&](std::int64_t count, int places) {
            const Batch b{kind, n, count};
            FftSpec spec = b.spec((places & 1) != 0, (places & 2) != 0);
            spec.precision = precision;
            spec.scale = 0.3;
            return results(b, spec, make);
          };
          const auto wanted = lines_of(35, 3);
          for (const std::int64_t count : {1, 7, 16, 35})
            for (const int places : {0, 1, 2, 3}) {
              SCOPED_TRACE(std::to_string(kernels.vector_bytes) + " bytes, " + to_text(kind) + " of " +
                           std::to_string(n) + ", lines " + std::to_string(count) + ", places " +
                           std::to_string(places));
              const auto got = lines_of(count, places);
              for (std::size_t l = 0; l < got.size(); ++l) expect_bits(got[l], wanted[l], "line " + std::to_string(l));
            }
        }
}

/// Threads and batches leave at least a vector of lines to each call.
TEST(Neighbours, LanesHaveTheSameBitsOnAnyNumberOfThreads) {
  for (const Kind kind : neighbour_kinds)
    for (const std::int64_t n : {12, 15, 97}) {
      const Batch b{kind, n, 300};
      FftSpec spec = b.spec(true, false);
      const Make make = [](const FftSpec& s) { return make_local_fft("lanes", s); };
      const auto wanted = results(b, spec, make);
      for (const int threads : {2, 3, 5}) {
        spec.threads = threads;
        const auto got = results(b, spec, make);
        for (std::size_t l = 0; l < got.size(); ++l) expect_bits(got[l], wanted[l], std::to_string(threads));
      }
    }
}

}  // namespace
}  // namespace shardfft::test
