// Every number that FFTW's own MPI library computes, over the same local arrays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "fftw_library.hpp"

namespace shardfft::test {
namespace {

using Bytes = std::vector<std::byte>;

double number(const Bytes& bytes, std::size_t i, bool is_double) {
  if (!is_double) {
    float value;
    std::memcpy(&value, &bytes[i * sizeof value], sizeof value);
    return static_cast<double>(value);
  }
  double value;
  std::memcpy(&value, &bytes[i * sizeof value], sizeof value);
  return value;
}

Bytes random_numbers(std::size_t count, bool is_double, unsigned seed) {
  std::mt19937 engine(seed + 7919u * static_cast<unsigned>(rank()));
  std::uniform_real_distribution<double> draw(-1, 1);
  Bytes bytes(count * (is_double ? 8 : 4));
  for (std::size_t i = 0; i < count; ++i) {
    const double value = draw(engine);
    const auto narrow = static_cast<float>(value);
    if (is_double)
      std::memcpy(&bytes[i * 8], &value, 8);
    else
      std::memcpy(&bytes[i * 4], &narrow, 4);
  }
  return bytes;
}

/// A call of FFTW's interface: plans with either library, and says what of the arrays has a meaning.
struct Case {
  std::string text;
  std::ptrdiff_t reals = 0;  ///< of each local array
  std::function<fftw_plan(const FftwLibrary&, void* in, void* out)> plan;
  /// Which real numbers of the output count: not those of the padding. Empty for the first `outputs`.
  std::function<bool(std::ptrdiff_t)> counts;
  std::ptrdiff_t outputs = 0;
  std::function<void(Bytes&)> prepare = {};  ///< makes the input one that FFTW's transform is defined for
};

class FftwValues : public testing::TestWithParam<bool> {
 protected:
  FftwValues() : libraries(GetParam()) {}
  const Libraries libraries;
  unsigned seed = 1;
  int compared = 0, passed_by = 0;

  /// The output; empty where the plan was refused. Behind each array lie numbers that nobody may touch.
  Bytes transformed(const FftwLibrary& of, const Case& c, const Bytes& input, bool in_place) {
    constexpr std::size_t behind = 4096;
    constexpr std::byte untouched{0x5a};
    Bytes in = input, out(in_place ? 0 : input.size());
    in.insert(in.end(), behind, untouched);
    out.insert(out.end(), behind, untouched);
    void* const target = in_place ? in.data() : out.data();
    fftw_plan plan = c.plan(of, in.data(), target);
    if (!plan) return {};
    EXPECT_TRUE(std::equal(input.begin(), input.end(), in.begin())) << c.text << ": planning changed the input";
    libraries.serial.call<void>("execute", plan);
    libraries.serial.call<void>("destroy_plan", plan);
    const bool is_ours = &of == &libraries.ours;
    EXPECT_TRUE(in_place || !is_ours || std::equal(input.begin(), input.end(), in.begin()))
        << c.text << ": the input changed";
    for (const Bytes* array : {&in, &out})
      EXPECT_EQ(std::count(array->end() - behind, array->end(), untouched), behind)
          << c.text << ": " << (is_ours ? "shardfft" : "FFTW") << " wrote behind an array";
    return in_place ? in : out;
  }

  void compare(const Case& c) {
    // All cases are for one and two ranks in double precision; with others some of each kind.
    const int every = ranks() <= 2 ? (GetParam() ? 1 : 3) : (GetParam() ? 3 : 7);
    if (++passed_by % every != 0) return;
    for (const bool in_place : {false, true}) {
      Bytes input = random_numbers(static_cast<std::size_t>(c.reals), GetParam(), seed++);
      if (c.prepare) c.prepare(input);
      const Bytes fftw = transformed(libraries.fftw, c, input, in_place);
      const Bytes ours = transformed(libraries.ours, c, input, in_place);
      const std::string text = c.text + (in_place ? ", in place" : "");
      if (fftw.empty()) continue;
      ++compared;
      if (ours.empty()) {
        ADD_FAILURE() << text << ": refused: " << last_error();
        continue;
      }
      double largest = 0, error = 0;
      for (std::ptrdiff_t i = 0; i < c.outputs; ++i) {
        if (c.counts && !c.counts(i)) continue;
        const double expected = number(fftw, static_cast<std::size_t>(i), GetParam());
        largest = std::max(largest, std::abs(expected));
        error = std::max(error, std::abs(number(ours, static_cast<std::size_t>(i), GetParam()) - expected));
      }
      MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      EXPECT_LE(error, (GetParam() ? 2e-15 : 1e-6) * std::max(1.0, largest) * 8) << text;
    }
  }
};

struct Geometry {
  Sizes n;  ///< of the complex array in real transforms
  std::ptrdiff_t howmany, block0, block1;
  std::ptrdiff_t allocate = 0, n0 = 0, n1 = 0, rest = 1;  ///< of this rank; rest: all other axes, with howmany

  Geometry(const FftwLibrary& of, Sizes shape, std::ptrdiff_t many, std::ptrdiff_t b0 = 0, std::ptrdiff_t b1 = 0)
      // A block as long as the second axis would ask for the sizes of arrays that are not transposed.
      : n(std::move(shape)), howmany(many), block0(b0), block1(b1 < n[1] ? b1 : 0) {
    std::ptrdiff_t start0, start1;
    allocate = of.call<std::ptrdiff_t>("mpi_local_size_many_transposed", static_cast<int>(n.size()),
                                       static_cast<const std::ptrdiff_t*>(n.data()), howmany, block0, block1,
                                       MPI_COMM_WORLD, &n0, &start0, &n1, &start1);
    for (std::size_t a = 2; a < n.size(); ++a) rest *= n[a];
    rest *= howmany;
  }
  std::ptrdiff_t count(bool transposed) const { return (transposed ? n1 * n[0] : n0 * n[1]) * rest; }
  std::string text() const {
    std::string t;
    for (const auto extent : n) t += (t.empty() ? "" : "x") + std::to_string(extent);
    return t + " howmany " + std::to_string(howmany) + " blocks " + std::to_string(block0) + " " +
           std::to_string(block1);
  }
  std::ptrdiff_t block(bool transposed) const { return transposed ? block1 : block0; }
};

std::vector<Geometry> geometries(const FftwLibrary& of, const std::vector<Sizes>& shapes) {
  std::vector<Geometry> all;
  for (const Sizes& n : shapes) {
    all.emplace_back(of, n, 1);
    all.emplace_back(of, n, 3);
    // Blocks of the caller's: one rank more than half of the first axis, the others the rest.
    all.emplace_back(of, n, 1, n[0] / 2 + 1, (n[1] + ranks() - 1) / ranks() + 1);
  }
  return all;
}

constexpr unsigned transposed_in[] = {0, FFTW_MPI_TRANSPOSED_IN};
constexpr unsigned transposed_out[] = {0, FFTW_MPI_TRANSPOSED_OUT};

TEST_P(FftwValues, ComplexArrays) {
  for (const Geometry& g :
       geometries(libraries.ours, {{8, 8}, {5, 7}, {1, 6}, {12, 3}, {6, 5, 4}, {3, 8, 2}, {3, 4, 5, 2}}))
    for (const unsigned in : transposed_in)
      for (const unsigned out : transposed_out)
        for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD})
          compare({g.text() + " flags " + std::to_string((in | out) >> 27) + " sign " + std::to_string(sign),
                   2 * g.allocate,
                   [=](const FftwLibrary& of, void* from, void* to) {
                     return of.call<fftw_plan>("mpi_plan_many_dft", static_cast<int>(g.n.size()),
                                               static_cast<const std::ptrdiff_t*>(g.n.data()), g.howmany, g.block(in),
                                               g.block(out), from, to, MPI_COMM_WORLD, sign, in | out | FFTW_ESTIMATE);
                   },
                   {},
                   2 * g.count(out)});
  EXPECT_GT(compared, 8);
}

TEST_P(FftwValues, RealArrays) {
  for (const Sizes& real : std::vector<Sizes>{{8, 8}, {5, 7}, {1, 6}, {6, 5, 4}, {3, 8, 5}, {3, 4, 2, 7}}) {
    Sizes half = real;
    half.back() = half.back() / 2 + 1;
    for (const Geometry& g : geometries(libraries.ours, {half}))
      for (const unsigned in : transposed_in)
        for (const unsigned out : transposed_out)
          for (const bool forward : {true, false}) {
            const std::string text = g.text() + " of " + std::to_string(real.back()) + " flags " +
                                     std::to_string((in | out) >> 27) + (forward ? " r2c" : " c2r");
            const char* const name = forward ? "mpi_plan_many_dft_r2c" : "mpi_plan_many_dft_c2r";
            const auto plan = [=](const FftwLibrary& of, void* from, void* to) {
              return of.call<fftw_plan>(name, static_cast<int>(real.size()),
                                        static_cast<const std::ptrdiff_t*>(real.data()), g.howmany, g.block(in),
                                        g.block(out), from, to, MPI_COMM_WORLD, in | out | FFTW_ESTIMATE);
            };
            // Half spectra are those of real arrays: what FFTW itself makes of one.
            const auto half_spectrum = [=, this](Bytes& numbers) {
              fftw_plan first = libraries.fftw.call<fftw_plan>(
                  "mpi_plan_many_dft_r2c", static_cast<int>(real.size()),
                  static_cast<const std::ptrdiff_t*>(real.data()), g.howmany, g.block0, g.block(in),
                  static_cast<void*>(numbers.data()), static_cast<void*>(numbers.data()), MPI_COMM_WORLD,
                  (in ? FFTW_MPI_TRANSPOSED_OUT : 0u) | FFTW_ESTIMATE);
              if (!first) return;
              libraries.serial.call<void>("execute", first);
              libraries.serial.call<void>("destroy_plan", first);
            };
            const std::ptrdiff_t row = 2 * half.back() * g.howmany, kept = real.back() * g.howmany;
            Case c{text, 2 * g.allocate, plan, {}, 2 * g.count(out), {}};
            if (!forward) {
              c.counts = [=](std::ptrdiff_t i) { return i % row < kept; };
              c.prepare = half_spectrum;
            }
            compare(c);
          }
  }
  EXPECT_GT(compared, 8);
}

TEST_P(FftwValues, RealKinds) {
  const std::vector<int> kinds{FFTW_R2HC,    FFTW_HC2R,    FFTW_DHT,     FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10,
                               FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11};
  std::size_t turn = 0;
  for (const Geometry& g : geometries(libraries.ours, {{8, 8}, {5, 7}, {6, 5, 4}, {3, 8, 2}, {3, 4, 5, 2}}))
    for (const unsigned in : transposed_in)
      for (const unsigned out : transposed_out)
        for (int round = 0; round < 2; ++round) {
          std::vector<int> kind;
          for (std::size_t a = 0; a < g.n.size(); ++a) kind.push_back(kinds[(turn++ * 5) % kinds.size()]);
          compare({g.text() + " kinds from " + std::to_string(kind[0]),
                   g.allocate,
                   [=](const FftwLibrary& of, void* from, void* to) {
                     return of.call<fftw_plan>("mpi_plan_many_r2r", static_cast<int>(g.n.size()),
                                               static_cast<const std::ptrdiff_t*>(g.n.data()), g.howmany, g.block(in),
                                               g.block(out), from, to, MPI_COMM_WORLD, kind.data(),
                                               in | out | FFTW_ESTIMATE);
                   },
                   {},
                   g.count(out)});
        }
  EXPECT_GT(compared, 8);
}

TEST_P(FftwValues, Lines) {
  for (const std::ptrdiff_t n : {4, 12, 17, 30, 64})
    for (const std::ptrdiff_t howmany : {1, 5})
      for (const unsigned in : {0u, FFTW_MPI_SCRAMBLED_IN})
        for (const unsigned out : {0u, FFTW_MPI_SCRAMBLED_OUT})
          for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD}) {
            std::ptrdiff_t ni, si, no, so;
            const auto allocate = libraries.ours.call<std::ptrdiff_t>(
                "mpi_local_size_many_1d", n, howmany, MPI_COMM_WORLD, sign, in | out, &ni, &si, &no, &so);
            compare({std::to_string(n) + " howmany " + std::to_string(howmany) + " flags " +
                         std::to_string((in | out) >> 27) + " sign " + std::to_string(sign),
                     2 * allocate,
                     [=](const FftwLibrary& of, void* from, void* to) {
                       return of.call<fftw_plan>("mpi_plan_many_dft", 1, &n, howmany, std::ptrdiff_t{0},
                                                 std::ptrdiff_t{0}, from, to, MPI_COMM_WORLD, sign,
                                                 in | out | FFTW_ESTIMATE);
                     },
                     {},
                     2 * no * howmany});
          }
  EXPECT_GT(compared, 8);
}

TEST_P(FftwValues, Transpositions) {
  for (const Sizes& n : std::vector<Sizes>{{8, 8}, {5, 7}, {1, 6}, {12, 3}})
    for (const std::ptrdiff_t howmany : {1, 2, 5})
      for (const unsigned in : transposed_in)
        for (const unsigned out : transposed_out)
          for (const bool blocks : {false, true}) {
            const Geometry g(libraries.ours, n, howmany, blocks ? n[0] / 2 + 1 : 0,
                             blocks ? (n[1] + ranks() - 1) / ranks() + 1 : 0);
            compare({g.text() + " flags " + std::to_string((in | out) >> 27),
                     g.allocate,
                     [=](const FftwLibrary& of, void* from, void* to) {
                       return of.call<fftw_plan>("mpi_plan_many_transpose", g.n[0], g.n[1], g.howmany, g.block0,
                                                 g.block1, from, to, MPI_COMM_WORLD, in | out | FFTW_ESTIMATE);
                     },
                     {},
                     g.count(true)});
          }
  EXPECT_GT(compared, 8);
}

INSTANTIATE_TEST_SUITE_P(Precision, FftwValues, testing::Bool(),
                         [](const auto& precision) { return precision.param ? "Double" : "Float"; });

}  // namespace
}  // namespace shardfft::test
