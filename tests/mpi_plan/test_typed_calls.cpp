// Calls with typed pointers and with spans: what does not compile, what is refused on every rank, and what runs.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "shardfft/plan.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

using Complex = std::complex<double>;
using Small = std::complex<float>;

template <class In, class Out>
concept Callable = requires(Plan& plan, In in, Out out) {
  plan.forward(in, out);
  plan.backward(in, out);
};
template <class In, class Out>
concept Either = requires(Plan& plan, In in, Out out) {
  plan.forward(in, out);
}
|| requires(Plan& plan, In in, Out out) { plan.backward(in, out); };

struct UserComplex {
  double real, imaginary;
};

static_assert(Callable<const void*, void*> && Callable<void*, void*> && Callable<std::nullptr_t, std::nullptr_t>);
static_assert(Callable<double*, Complex*> && Callable<const float*, Small*> && Callable<Complex*, Complex*>);
static_assert(Callable<const double*, void*> && Callable<void*, Complex*> && Callable<std::byte*, std::byte*>);
static_assert(Callable<const std::vector<double>&, std::vector<Complex>&>);
static_assert(Callable<std::span<const Complex>, std::span<Complex>> && Callable<std::span<float>, std::span<Small>>);
static_assert(Callable<const std::array<double, 4>&, std::array<Complex, 3>&>);

static_assert(!Either<int*, double*> && !Either<double*, long double*> && !Either<UserComplex*, UserComplex*>);
static_assert(!Either<double (*)[2], double (*)[2]> && !Either<double**, double*> && !Either<char*, char*>);
static_assert(!Either<std::complex<long double>*, Complex*> && !Either<double*, UserComplex*>);
static_assert(!Either<double*, const Complex*> && !Either<void*, const void*> && !Either<double*, const void*>);
static_assert(!Either<std::vector<int>&, std::vector<double>&> && !Either<std::vector<double>&, std::vector<bool>&>);
static_assert(!Either<std::span<double>, std::span<const Complex>>);
static_assert(!Either<const std::vector<double>&, const std::vector<Complex>&>);
static_assert(!Either<std::vector<double>&, Complex*> && !Either<double*, std::vector<Complex>&>);

const Shape typed_shape{6, 5, 4};

Plan real_plan(Options options = {}) {
  options.effort = Effort::estimate;
  return Plan(MPI_COMM_WORLD, r2c<double>, Layout::slab(typed_shape, world().size()), natural_output, options);
}

template <class T>
std::vector<T> array(const Side& side) {
  return std::vector<T>(static_cast<std::size_t>(side.count()));
}

/// A field of ones: its spectrum is 120 at index 0, which the first rank has, and zero elsewhere.
void check_spectrum(const std::vector<Complex>& spectrum) {
  for (std::size_t i = 0; i < spectrum.size(); ++i)
    EXPECT_NEAR(std::abs(spectrum[i] - (world().rank() == 0 && i == 0 ? 120.0 : 0.0)), 0, 1e-12) << i;
}

TEST(TypedCalls, PointersAndRangesTransform) {
  Plan plan = real_plan();
  std::vector<double> field(static_cast<std::size_t>(plan.input().count()), 1.0), back(field.size() + 2, -7.0);
  auto pointers = array<Complex>(plan.output()), ranges = pointers, spans = pointers, mixed = pointers;
  plan.forward(field.data(), pointers.data());
  plan.forward(field, ranges);
  plan.forward(std::span<const double>(field), std::span(spans));
  plan.forward(static_cast<const void*>(field.data()), mixed.data());
  for (const auto* spectrum : {&pointers, &ranges, &spans, &mixed}) check_spectrum(*spectrum);
  plan.backward(ranges, back);  // longer than needed
  for (std::size_t i = 0; i < field.size(); ++i) EXPECT_NEAR(back[i], 1.0, 1e-14) << i;
  EXPECT_EQ(back[field.size()], -7.0);
}

TEST(TypedCalls, WrongTypesAreRefusedOnEveryRank) {
  Plan plan = real_plan();
  auto field = array<double>(plan.input());
  auto spectrum = array<Complex>(plan.output());
  auto small = array<float>(plan.input());
  auto small_spectrum = array<Small>(plan.output());
  const Status bad = Status::invalid_argument;
  expect_error(bad, "the input is an array of float; double is expected",
               [&] { plan.forward(small.data(), spectrum.data()); });
  expect_error(bad, "the output is an array of std::complex<float>; std::complex<double> is expected",
               [&] { plan.forward(field, small_spectrum); });
  expect_error(bad, "the input is an array of std::complex<float>; std::complex<double> is expected",
               [&] { plan.backward(small_spectrum, field); });
  expect_error(bad, "the output is an array of double", [&] { plan.forward(field.data(), field.data()); });
  expect_error(bad, "the output is an array of float", [&] { plan.backward(spectrum.data(), small.data()); });
  // A type beside a void* is looked at too.
  expect_error(bad, "an array of float", [&] { plan.forward(static_cast<void*>(small.data()), small.data()); });
  plan.forward(field, spectrum);
}

/// A real array has not the room of its spectrum, and a pointer does not say what it points to.
TEST(TypedCalls, OnePointerForBothNeedsTheOption) {
  const auto refused = [](Plan& plan) {
    auto field = array<double>(plan.input());
    auto* const spectrum = reinterpret_cast<Complex*>(field.data());
    for (const auto& call : {std::function([&] { plan.forward(field.data(), spectrum); }),
                             std::function([&] { plan.forward(static_cast<void*>(field.data()), spectrum); })})
      expect_error(Status::invalid_argument, "set the option in_place", call);
  };
  Plan plan = real_plan();
  refused(plan);
  std::vector<Complex> both(plan.in_place_bytes() / sizeof(Complex));
  auto* const field = reinterpret_cast<double*>(both.data());
  plan.forward(std::span(field, 2 * both.size()), std::span(both));
  plan.backward(both.data(), field);  // the spectrum is the larger one
  Options options;
  options.in_place = true;
  Plan in_place = real_plan(options);
  in_place.forward(field, both.data());
  Plan same(MPI_COMM_WORLD, c2c<double>, Layout::slab(typed_shape, world().size()), natural_output);
  auto numbers = array<Complex>(same.input());
  same.forward(numbers.data(), numbers.data());
}

/// A rank without planes may name any address for what it has not.
TEST(TypedCalls, AnEmptyInputLiesInNoArray) {
  const int ranks = world().size();
  Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({1, 8, 6}, ranks), Layout::slab({1, 8, 6}, ranks, 1));
  auto in = array<Complex>(plan.input());
  auto out = array<Complex>(plan.output());
  EXPECT_FALSE(out.empty());
  plan.forward(in.empty() ? out.data() : in.data(), out.data());
}

TEST(TypedCalls, SwappedArraysAreNamedSo) {
  Plan plan = real_plan();
  auto field = array<double>(plan.input());
  auto spectrum = array<Complex>(plan.output());
  const std::string words = "double is expected; were input and output swapped?";
  expect_error(Status::invalid_argument, words, [&] { plan.forward(spectrum.data(), field.data()); });
  expect_error(Status::invalid_argument, "swapped", [&] { plan.backward(field, spectrum); });
}

TEST(TypedCalls, OneWrongRankStopsAll) {
  Plan plan = real_plan();
  auto field = array<double>(plan.input());
  auto spectrum = array<Complex>(plan.output());
  std::vector<float> small(field.size());
  const std::string rank = "[rank " + std::to_string(world().size() - 1) + "]";
  expect_error(Status::invalid_argument, "float; double is expected " + rank, [&] {
    if (last_rank())
      plan.forward(small, spectrum);
    else
      plan.forward(field, spectrum);
  });
  const std::span<double> short_by_one(field.data(), field.size() - (last_rank() && !field.empty() ? 1 : 0));
  if (plan.input().layout.count(world().size() - 1) > 0)
    expect_error(Status::invalid_argument, "elements; " + std::to_string(plan.input().layout.count(world().size() - 1)),
                 [&] { plan.forward(short_by_one, spectrum); });
}

TEST(TypedCalls, ShortRangesAreRefused) {
  Plan plan = real_plan();
  auto field = array<double>(plan.input());
  auto spectrum = array<Complex>(plan.output());
  spectrum.resize(world().rank() == 0 ? spectrum.size() - 1 : spectrum.size());
  const std::string count = std::to_string(plan.output().layout.count(0));
  expect_error(Status::invalid_argument,
               "the output has " + std::to_string(std::stoi(count) - 1) + " elements; " + count,
               [&] { plan.forward(field, spectrum); });
  expect_error(Status::invalid_argument, "the input has", [&] { plan.backward(spectrum, field); });
}

TEST(TypedCalls, RefuseTellsAllRanksWhy) {
  for (const bool checked : {true, false}) {
    Plan plan = real_plan({.check_calls = checked});
    auto field = array<double>(plan.input());
    auto spectrum = array<Complex>(plan.output());
    const auto refused = [&] {
      expect_error(Status::invalid_argument, "no file to read [rank " + std::to_string(world().size() - 1) + "]", [&] {
        if (last_rank()) plan.refuse("no file to read");
        plan.forward(field, spectrum);
      });
    };
    refused();  // the first run is agreed on in any case
    plan.forward(field, spectrum);
    if (checked)
      refused();
    else
      expect_error(Status::invalid_argument, "no file to read", [&] { plan.refuse("no file to read"); });
    plan.forward(field, spectrum);
  }
}

}  // namespace
}  // namespace shardfft::test
