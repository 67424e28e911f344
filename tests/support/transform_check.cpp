#include "support/transform_check.hpp"

namespace shardfft::test {

Options quick(const std::string& algorithm) {
  Options o;
  if (const char* exchange = std::getenv("SHARDFFT_TEST_EXCHANGE")) o.exchange = exchange;
  o.algorithm = algorithm;
  o.effort = Effort::estimate;
  return o;
}

double epsilon(Precision p) {
  return p == Precision::f64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

double noise(std::uint64_t salt, std::uint64_t number, std::uint64_t part) {
  std::uint64_t h = salt * 0x9E3779B97F4A7C15ULL + number * 0xD1B54A32D192ED03ULL + part + 1;
  for (int i = 0; i < 2; ++i) h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<double>(h >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1;
}

Value rounded(Value v, Precision precision) {
  if (precision == Precision::f64) return v;
  return {static_cast<float>(v.real()), static_cast<float>(v.imag())};
}

std::vector<Value> whole_field(const Shape& shape, ElementType element, std::uint64_t salt, std::int64_t field) {
  std::vector<Value> data(to_size(product(shape)));
  const std::uint64_t stream = salt + 77 * static_cast<std::uint64_t>(field);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = rounded({noise(stream, i, 0), element.is_complex ? noise(stream, i, 1) : 0}, element.precision);
  return data;
}

namespace {

std::int64_t largest_prime(double points) {
  auto rest = static_cast<std::int64_t>(points);
  std::int64_t prime = 1;
  for (std::int64_t f = 2; f * f <= rest; ++f)
    for (; rest % f == 0; rest /= f) prime = f;
  return std::max(prime, rest);
}

}  // namespace

double& worst_error() {
  static double worst = 0;
  return worst;
}

void compare_field(const LocalArray& array, const Side& side, std::int64_t field, const std::vector<Value>& expected,
                   double points, double mean_square) {
  if (expected.empty()) return;
  // All squared, because std::abs is slow.
  double norm = 0;
  double largest = mean_square;
  for (const Value& v : expected) {
    norm += std::norm(v);
    largest = std::max(largest, std::norm(v));
  }
  norm = std::max(norm, mean_square * static_cast<double>(expected.size()));
  double error = 0;
  double largest_error = 0;
  bool finite = true;
  for_own_elements(side, field, [&](std::int64_t address, std::int64_t number) {
    const Value got = array.get(address);
    finite = finite && std::isfinite(got.real()) && std::isfinite(got.imag());
    const double e = std::norm(got - expected[to_size(number)]);
    error += e;
    largest_error = std::max(largest_error, e);
  });
  // Measured with c = 1, forward: FFTW reaches 0.3, oneMKL (2026.0, AMD EPYC) 17 at lengths of few factors that have a
  // large prime among them (206 = 2 * 103).
  const double c = largest_prime(points) > 13 ? 24 : 8;
  const double tolerance = c * epsilon(side.element.precision) * (1 + std::log2(points));
  EXPECT_TRUE(finite) << "field " << field;
  EXPECT_LE(std::sqrt(error), tolerance * std::sqrt(norm)) << "field " << field << ", L2";
  EXPECT_LE(std::sqrt(largest_error), 2 * tolerance * std::sqrt(largest)) << "field " << field << ", maximum";
  if (norm > 0) worst_error() = std::max(worst_error(), std::sqrt(error / norm) / tolerance);
}

std::vector<int> axes_of(const TransformCase& c) {
  std::vector<int> axes = c.options.axes;
  if (!axes.empty()) return axes;
  axes.resize(c.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

SerialTransform serial_of(const TransformCase& c) {
  return {c.kind, c.shape, axes_of(c), c.options.transforms, c.options.modes, c.options.lone_mode};
}

double scale_of(Norm norm, bool analysis, double points) {
  if (norm == Norm::ortho) return 1 / std::sqrt(points);
  if (norm == Norm::none) return 1;
  return (norm == Norm::forward) == analysis ? 1 / points : 1;
}

Plan make_plan(MPI_Comm comm, const TransformCase& c) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return plan_of(c, ranks, [comm](const auto&... arguments) { return Plan(comm, arguments...); });
}

WholeArrays whole_arrays(const TransformCase& c, Direction direction, ElementType from, std::uint64_t salt) {
  const SerialTransform serial = serial_of(c);
  const bool analysis = (direction == Direction::forward) != (c.kind == Kind::c2r);
  const Shape& shape = analysis ? c.shape : serial.spectrum_shape();
  WholeArrays whole{{}, {}, serial.points()};
  for (std::int64_t f = 0; f < c.options.batch; ++f) {
    whole.input.push_back(whole_field(shape, from, salt, f));
    whole.output.push_back(analysis ? serial.analyse(whole.input.back()) : serial.synthesise(whole.input.back()));
    const double scale = scale_of(c.options.norm, analysis, serial.points());
    for (Value& v : whole.output.back()) v *= scale;
    if (!analysis || c.options.modes.empty()) continue;
    SerialTransform all = serial;
    all.modes.clear();
    const std::vector<Value> uncut = all.analyse(whole.input.back());
    double sum = 0;
    for (const Value& v : uncut) sum += std::norm(v * scale);
    whole.mean_square = std::max(whole.mean_square, sum / static_cast<double>(uncut.size()));
  }
  return whole;
}

void check_run(Plan& plan, const TransformCase& c, Direction direction, bool in_place, const WholeArrays& whole) {
  SCOPED_TRACE(std::string(direction == Direction::forward ? "forward" : "backward") + (in_place ? ", in place" : ""));
  const bool forward = direction == Direction::forward;
  const Side& from = forward ? plan.input() : plan.output();
  const Side& to = forward ? plan.output() : plan.input();
  const std::size_t bytes = in_place ? plan.in_place_bytes() : 0;
  LocalArray in(from, bytes, c.shift);
  LocalArray out(to, bytes, c.shift);
  for (std::int64_t f = 0; f < c.options.batch; ++f)
    for_own_elements(
        from, f, [&](std::int64_t address, std::int64_t i) { in.set(address, whole.input[to_size(f)][to_size(i)]); });
  const LocalArray before = in;
  if (in_place) std::memcpy(out.data(), in.data(), from.bytes());
  // By the call of plans of any number of members: the other one refuses one array for both without the option.
  const std::vector<const void*> source{in_place ? out.data() : in.data()};
  const std::vector<void*> target{out.data()};
  if (forward)
    plan.forward(source, target);
  else
    plan.backward(source, target);
  for (std::int64_t f = 0; f < c.options.batch; ++f)
    compare_field(out, to, f, whole.output[to_size(f)], whole.points, whole.mean_square);
  EXPECT_TRUE(out.guard_is_whole()) << "written behind the output";
  EXPECT_TRUE(in.guard_is_whole()) << "written behind the input";
  const bool to_real = from.element.is_complex && !to.element.is_complex;
  EXPECT_TRUE(in == before || (to_real && c.options.overwrite_input)) << "the input was written";
}

namespace {

WholeArrays whole_arrays_of(Plan& plan, const TransformCase& c, Direction direction, std::uint64_t salt) {
  const Side& from = direction == Direction::forward ? plan.input() : plan.output();
  return whole_arrays(c, direction, from.element, salt);
}

}  // namespace

void check_run(Plan& plan, const TransformCase& c, Direction direction, bool in_place, std::uint64_t salt) {
  check_run(plan, c, direction, in_place, whole_arrays_of(plan, c, direction, salt));
}

void check_plan(Plan& plan, const TransformCase& c, std::uint64_t salt) {
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const WholeArrays whole = whole_arrays_of(plan, c, direction, salt + (direction == Direction::forward ? 0 : 500));
    for (const bool in_place : {false, true}) check_run(plan, c, direction, in_place, whole);
  }
}

void check_case(const TransformCase& c, MPI_Comm comm) {
  SCOPED_TRACE(c.name());
  Plan plan = make_plan(comm, c);
  EXPECT_EQ(plan.input().element.is_complex, c.kind == Kind::c2c || c.kind == Kind::c2r);
  EXPECT_EQ(plan.output().element.is_complex, c.kind == Kind::c2c || c.kind == Kind::r2c);
  check_plan(plan, c);
}

}  // namespace shardfft::test
