#pragma once
// A call of FFTW's interface, answered by both libraries over the same local arrays, and every number compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "fftw_library.hpp"

namespace shardfft::test {

using Bytes = std::vector<std::byte>;

inline double number(const Bytes& bytes, std::size_t i, bool is_double) {
  if (!is_double) {
    float value;
    std::memcpy(&value, &bytes[i * sizeof value], sizeof value);
    return static_cast<double>(value);
  }
  double value;
  std::memcpy(&value, &bytes[i * sizeof value], sizeof value);
  return value;
}

inline Bytes random_numbers(std::size_t count, bool is_double, unsigned seed) {
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

class Comparison {
 public:
  explicit Comparison(bool is_double) : libraries(is_double) {}
  const Libraries libraries;

  /// In place or not; false if FFTW itself refuses.
  bool compare(const Case& c, bool in_place, unsigned seed) {
    const bool is_double = libraries.ours.is_double();
    Bytes input = random_numbers(static_cast<std::size_t>(c.reals), is_double, seed);
    if (c.prepare) c.prepare(input);
    const Bytes fftw = transformed(libraries.fftw, c, input, in_place);
    const Bytes ours = transformed(libraries.ours, c, input, in_place);
    const std::string text = c.text + (in_place ? ", in place" : "");
    if (fftw.empty()) return false;
    if (ours.empty()) {
      ADD_FAILURE() << text << ": refused: " << last_error();
      return true;
    }
    double largest = 0, error = 0;
    for (std::ptrdiff_t i = 0; i < c.outputs; ++i) {
      if (c.counts && !c.counts(i)) continue;
      const double expected = number(fftw, static_cast<std::size_t>(i), is_double);
      largest = std::max(largest, std::abs(expected));
      error = std::max(error, std::abs(number(ours, static_cast<std::size_t>(i), is_double) - expected));
    }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_LE(error, (is_double ? 2e-15 : 1e-6) * std::max(1.0, largest) * 8) << text;
    return true;
  }

 private:
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

constexpr unsigned transposed_in[] = {0, FFTW_MPI_TRANSPOSED_IN};
constexpr unsigned transposed_out[] = {0, FFTW_MPI_TRANSPOSED_OUT};

inline std::string flags_text(unsigned flags) { return " flags " + std::to_string(flags >> 27); }

inline Case complex_case(const Geometry& g, unsigned in, unsigned out, int sign) {
  return {g.text() + flags_text(in | out) + " sign " + std::to_string(sign),
          2 * g.allocate,
          [=](const FftwLibrary& of, void* from, void* to) {
            return of.call<fftw_plan>("mpi_plan_many_dft", static_cast<int>(g.n.size()),
                                      static_cast<const std::ptrdiff_t*>(g.n.data()), g.howmany, g.block(in),
                                      g.block(out), from, to, MPI_COMM_WORLD, sign, in | out | FFTW_ESTIMATE);
          },
          {},
          2 * g.count(out)};
}

/// `real`: extents of the real array; `g` is of the half spectrum.
inline Case real_case(const Libraries& libraries, const Geometry& g, const Sizes& real, unsigned in, unsigned out,
                      bool forward) {
  const std::string text =
      g.text() + " of " + std::to_string(real.back()) + flags_text(in | out) + (forward ? " r2c" : " c2r");
  const char* const name = forward ? "mpi_plan_many_dft_r2c" : "mpi_plan_many_dft_c2r";
  const auto plan = [=](const FftwLibrary& of, void* from, void* to) {
    return of.call<fftw_plan>(name, static_cast<int>(real.size()), static_cast<const std::ptrdiff_t*>(real.data()),
                              g.howmany, g.block(in), g.block(out), from, to, MPI_COMM_WORLD, in | out | FFTW_ESTIMATE);
  };
  Case c{text, 2 * g.allocate, plan, {}, 2 * g.count(out), {}};
  if (forward) return c;
  const std::ptrdiff_t row = 2 * g.n.back() * g.howmany, kept = real.back() * g.howmany;
  c.counts = [=](std::ptrdiff_t i) { return i % row < kept; };
  // Half spectra are those of real arrays: what FFTW itself makes of one.
  c.prepare = [=, &libraries](Bytes& numbers) {
    fftw_plan first = libraries.fftw.call<fftw_plan>(
        "mpi_plan_many_dft_r2c", static_cast<int>(real.size()), static_cast<const std::ptrdiff_t*>(real.data()),
        g.howmany, g.block0, g.block(in), static_cast<void*>(numbers.data()), static_cast<void*>(numbers.data()),
        MPI_COMM_WORLD, (in ? FFTW_MPI_TRANSPOSED_OUT : 0u) | FFTW_ESTIMATE);
    if (!first) return;
    libraries.serial.call<void>("execute", first);
    libraries.serial.call<void>("destroy_plan", first);
  };
  return c;
}

inline const std::vector<int> real_kinds{FFTW_R2HC,    FFTW_HC2R,    FFTW_DHT,     FFTW_REDFT00,
                                         FFTW_REDFT01, FFTW_REDFT10, FFTW_REDFT11, FFTW_RODFT00,
                                         FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11};

inline Case kinds_case(const Geometry& g, unsigned in, unsigned out, const std::vector<int>& kind) {
  std::string text = g.text() + flags_text(in | out) + " kinds";
  for (const int one : kind) text += " " + std::to_string(one);
  return {text,
          g.allocate,
          [=](const FftwLibrary& of, void* from, void* to) {
            return of.call<fftw_plan>("mpi_plan_many_r2r", static_cast<int>(g.n.size()),
                                      static_cast<const std::ptrdiff_t*>(g.n.data()), g.howmany, g.block(in),
                                      g.block(out), from, to, MPI_COMM_WORLD, kind.data(), in | out | FFTW_ESTIMATE);
          },
          {},
          g.count(out)};
}

inline Case line_case(const FftwLibrary& of, std::ptrdiff_t n, std::ptrdiff_t howmany, unsigned in, unsigned out,
                      int sign) {
  std::ptrdiff_t ni, si, no, so;
  const auto allocate =
      of.call<std::ptrdiff_t>("mpi_local_size_many_1d", n, howmany, MPI_COMM_WORLD, sign, in | out, &ni, &si, &no, &so);
  return {std::to_string(n) + " howmany " + std::to_string(howmany) + flags_text(in | out) + " sign " +
              std::to_string(sign),
          2 * allocate,
          [=](const FftwLibrary& by, void* from, void* to) {
            return by.call<fftw_plan>("mpi_plan_many_dft", 1, &n, howmany, std::ptrdiff_t{0}, std::ptrdiff_t{0}, from,
                                      to, MPI_COMM_WORLD, sign, in | out | FFTW_ESTIMATE);
          },
          {},
          2 * no * howmany};
}

inline Case transpose_case(const Geometry& g, unsigned in, unsigned out) {
  return {g.text() + flags_text(in | out) + " transposed",
          g.allocate,
          [=](const FftwLibrary& of, void* from, void* to) {
            return of.call<fftw_plan>("mpi_plan_many_transpose", g.n[0], g.n[1], g.howmany, g.block0, g.block1, from,
                                      to, MPI_COMM_WORLD, in | out | FFTW_ESTIMATE);
          },
          {},
          g.count(true)};
}

}  // namespace shardfft::test
