#include "support/operator_check.hpp"

#include <cstring>

namespace shardfft::test {

std::int64_t mode_number(const TransformCase& c, int axis, std::int64_t index) {
  const std::vector<int> axes = axes_of(c);
  if (std::find(axes.begin(), axes.end(), axis) == axes.end()) return 0;
  const auto at = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
  const SerialTransform serial = serial_of(c);
  const std::int64_t n = serial.kept(at);
  const bool halved = c.kind == Kind::r2c && axis == serial.halved();
  return halved || serial.type(at) != AxisTransform::fft || index <= (n - 1) / 2 ? index : index - n;
}

AppliedFields applied_fields(const TransformCase& c, ElementType element, const FactorOf& factor, std::uint64_t salt) {
  const SerialTransform serial = serial_of(c);
  const Shape modes = serial.spectrum_shape();
  AppliedFields fields{{}, {}, serial.points() * serial.points()};
  for (std::int64_t f = 0; f < c.options.batch; ++f) {
    fields.input.push_back(whole_field(c.shape, element, salt, f));
    std::vector<Value> spectrum = serial.analyse(fields.input.back());
    for (std::size_t i = 0; i < spectrum.size(); ++i)
      spectrum[i] *= factor(index_of(static_cast<std::int64_t>(i), modes));
    fields.output.push_back(serial.synthesise(spectrum));
    for (Value& v : fields.output.back()) v /= serial.points();
  }
  return fields;
}

void check_apply(Plan& plan, const TransformCase& c, const Operator& op, const FactorOf& factor, bool in_place,
                 std::uint64_t salt) {
  SCOPED_TRACE(std::string("apply") + (in_place ? ", in place" : ""));
  const Side& side = plan.input();
  LocalArray in(side, 0, c.shift), out(side, 0, c.shift);
  const AppliedFields fields = applied_fields(c, side.element, factor, salt);
  for (std::int64_t f = 0; f < c.options.batch; ++f)
    for_own_elements(side, f,
                     [&](std::int64_t at, std::int64_t i) { in.set(at, fields.input[to_size(f)][to_size(i)]); });
  const LocalArray before = in;
  if (in_place) std::memcpy(out.data(), in.data(), side.bytes());
  plan.apply(op, in_place ? out.data() : in.data(), out.data());
  for (std::int64_t f = 0; f < c.options.batch; ++f)
    compare_field(out, side, f, fields.output[to_size(f)], fields.points);
  EXPECT_TRUE(out.guard_is_whole()) << "written behind the output";
  EXPECT_TRUE(in == before) << "the input was written";
}

FactorOf some_factor(const TransformCase& c) {
  return [c](const Index& index) -> Value {
    double even = 1;
    for (std::size_t a = 0; a < c.shape.size(); ++a) {
      const auto m = static_cast<double>(mode_number(c, static_cast<int>(a), index[a]));
      even += (1 + static_cast<double>(a)) * m * m / static_cast<double>(c.shape[a] * c.shape[a]);
    }
    if (c.kind != Kind::c2c) return 1 / even;
    return {1 / even, noise(3, static_cast<std::uint64_t>(number_of(index, c.shape)), 0)};
  };
}

Operator some_operator(const TransformCase& c) {
  return Operator::of_indices([c, factor = some_factor(c)](std::span<const std::int64_t> index) {
    Index all{};
    std::copy(index.begin(), index.end(), all.begin());
    return factor(all);
  });
}

LocalArray factors_of(const Side& spectrum, const FactorOf& factor) {
  LocalArray factors(spectrum);
  for (std::int64_t f = 0; f < spectrum.fields; ++f)
    for_own_elements(spectrum, f, [&](std::int64_t at, std::int64_t i) {
      factors.set(at, factor(index_of(i, spectrum.layout.shape())));
    });
  return factors;
}

Operator calling_operator(const TransformCase& c, int& calls) {
  return Operator::calling([c, &calls](const SpectrumPart& part) {
    ++calls;
    EXPECT_EQ(part.device, -1);
    EXPECT_EQ(part.stream, nullptr);
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    EXPECT_EQ(part.side.rank, rank);
    const LocalArray factors = factors_of(part.side, some_factor(c));
    LocalArray spectrum(part.side);
    if (part.side.bytes() > 0) std::memcpy(spectrum.data(), part.data, part.side.bytes());
    for (std::int64_t i = 0; i < part.side.count(); ++i) spectrum.set(i, spectrum.get(i) * factors.get(i));
    if (part.side.bytes() > 0) std::memcpy(part.data, spectrum.data(), part.side.bytes());
  });
}

void check_case_applied(const TransformCase& c) {
  SCOPED_TRACE(c.name());
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const Operator op = some_operator(c);
  for (const bool in_place : {false, true}) check_apply(plan, c, op, some_factor(c), in_place);
}

}  // namespace shardfft::test
