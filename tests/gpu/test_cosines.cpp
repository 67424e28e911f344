// Cosine and sine transforms on GPUs: of one GPU against the definition, and plans whose ranks are GPUs of this
// process.
#include <gtest/gtest.h>

#include <random>

#include "device/line_pass.hpp"
#include "gpu/group_kit.hpp"
#include "gpu/pass/device_fft.hpp"
#include "local/loops.hpp"
#include "support/case_sweeps.hpp"
#include "support/operator_check.hpp"

namespace shardfft::test {
namespace {

using enum AxisTransform;
using Types = std::vector<AxisTransform>;
constexpr AxisTransform all_types[] = {dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4};

FftSpec lines_of(AxisTransform type, Loop line, std::vector<Loop> batch, Precision precision = Precision::f64) {
  FftSpec spec;
  spec.kind = Kind::r2r;
  spec.precision = precision;
  spec.transform = {line};
  spec.types = {type};
  spec.batch = std::move(batch);
  spec.effort = Effort::estimate;
  return spec;
}

/// What runs on arrays of the device: scratch, input, output.
using Enqueue = std::function<void(const std::byte*, std::byte*, std::byte*, device::StreamHandle)>;

template <class T>
void check_numbers(const FftSpec& spec, std::size_t scratch_bytes, const Enqueue& enqueue) {
  const std::int64_t reals = std::max(input_extent(input_loops(spec)), output_extent(output_loops(spec)));
  const std::size_t bytes = to_size(reals) * sizeof(T);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<T> in(to_size(reals)), got(to_size(reals), T(7));
  for (T& x : in) x = static_cast<T>(value(random));
  std::vector<double> wide(in.begin(), in.end()), expected(got.begin(), got.end());
  FftSpec reference = spec;
  reference.precision = Precision::f64;
  reference.aligned = false;
  if (spec.in_place) expected = wide;
  make_local_fft("fftw", reference)->execute(spec.in_place ? expected.data() : wide.data(), expected.data());
  PlacedArray source("device", 0, bytes), target("device", 0, bytes), scratch("device", 0, scratch_bytes);
  source.put(in.data());
  target.put(spec.in_place ? in.data() : got.data());
  const device::DeviceScope scope(0);
  const device::Stream stream = device::make_stream();
  enqueue(spec.in_place ? target.data() : source.data(), target.data(), scratch.data(), stream.get());
  device::synchronize(stream.get());
  target.get(got.data());
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double e = static_cast<double>(got[i]) - expected[i];
    error += e * e;
    norm += expected[i] * expected[i];
  }
  const double points_of_line = static_cast<double>(points(spec.transform));
  EXPECT_LE(std::sqrt(error), 2 * epsilon(spec.precision) * (1 + std::log2(points_of_line)) * std::sqrt(norm));
  EXPECT_TRUE(target.guard_is_whole()) << "written behind the output";
  EXPECT_TRUE(scratch.guard_is_whole()) << "written behind the scratch memory";
  source.get(got.data());
  EXPECT_TRUE(got == in) << "the input was written";
}

void check_both(FftSpec spec) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    spec.precision = precision;
    SCOPED_TRACE(std::string(to_text(spec.types.front())) + " of " + std::to_string(spec.transform.front().count) +
                 (precision == Precision::f64 ? ", double" : ", single") + (spec.in_place ? ", in place" : ""));
    const device::DeviceScope scope(0);
    const auto operation = gpu::make_device_fft(spec);
    const Enqueue enqueue = [&](const std::byte* in, std::byte* out, std::byte* scratch, device::StreamHandle stream) {
      operation->enqueue(0, {in, out, scratch}, stream);
    };
    if (precision == Precision::f64)
      check_numbers<double>(spec, operation->scratch_bytes(), enqueue);
    else
      check_numbers<float>(spec, operation->scratch_bytes(), enqueue);
  }
}

TEST(DeviceCosines, LinesOfManySizes) {
  for (const AxisTransform type : all_types)
    for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 31, 60, 64, 97, 101, 150}) {
      if (n == 1 && type == dct1) continue;
      FftSpec spec = lines_of(type, {n, 1, 1}, {{3, n, n}});
      check_both(spec);
      spec.scale = 0.375;
      spec.in_place = true;
      check_both(spec);
    }
}

/// Contiguous and strided lines, one of a pair alone, parts of complex numbers, other strides at the output.
TEST(DeviceCosines, Strides) {
  for (const AxisTransform type : all_types)
    for (const std::int64_t n : {6, 9}) {
      check_both(lines_of(type, {n, 1, 1}, {}));
      check_both(lines_of(type, {n, 3, 2}, {}));
      check_both(lines_of(type, {n, 5, 5}, {{4, 5 * n, 5 * n}, {5, 1, 1}}));
      check_both(lines_of(type, {n, 8, 8}, {{8, 1, 1}}));
      check_both(lines_of(type, {n, 2, 2}, {{7, 2 * n, 2 * n}, {2, 1, 1}}));
      check_both(lines_of(type, {n, 10, 10}, {{3, 10 * n, 10 * n}, {5, 2, 2}, {2, 1, 1}}));
      check_both(lines_of(type, {n, 10, 2}, {{5, 2, 2 * n}, {2, 1, 1}}));
      check_both(lines_of(type, {n, 1, 7}, {{7, n, 1}}));
      check_both(lines_of(type, {n, 7, 1}, {{7, 1, n}}));
      check_both(lines_of(type, {n, 20, 20}, {{2, 500, 600}, {4, 5, 5}, {3, 1, 1}}));
      FftSpec turned = lines_of(type, {n, 7, 1}, {{7, 1, n}});
      turned.in_place = true;
      check_both(turned);
    }
}

TEST(DeviceCosines, SeveralAxes) {
  FftSpec spec = lines_of(dct2, {6, 45, 45}, {{3, 270, 270}});
  spec.transform = {{6, 45, 45}, {5, 9, 9}, {9, 1, 1}};
  spec.types = {dct2, dst4, dct1};
  spec.scale = -2;
  check_both(spec);
  spec.types = {dct4, dst1, dst3};
  spec.in_place = true;
  check_both(spec);
  spec.transform = {{6, 45, 1}, {5, 9, 6}, {9, 1, 30}};
  check_both(spec);
}

/// Lines of which the Fourier transforms are line passes of our own, and those that are not.
TEST(DeviceCosines, LinePassesAndLongLines) {
  for (const AxisTransform type : {dct1, dct2, dct3, dct4, dst1}) {
    check_both(lines_of(type, {128, 130, 130}, {{130, 1, 1}}));
    check_both(lines_of(type, {257, 66, 66}, {{66, 1, 1}}));
    check_both(lines_of(type, {1021, 6, 6}, {{6, 1, 1}}));
  }
  const device::DeviceScope scope(0);
  if (device::lines::supported(128)) {
    EXPECT_NE(gpu::make_device_fft(lines_of(dct2, {128, 256, 256}, {{256, 1, 1}}))->describe().find("line pass"),
              std::string::npos);
  }
}

/// Pieces of a few lines, an eighth of what a pass may have: outer loops are cut, then the lines themselves, the last
/// of which is alone.
TEST(DeviceCosines, Pieces) {
  for (const AxisTransform type : all_types)
    for (const std::int64_t n : {8, 9})
      for (const std::int64_t bytes : {1, 700, 3000}) {
        const FftSpec spec = lines_of(type, {n, 11, 11}, {{5, 11 * n, 11 * n}, {11, 1, 1}});
        SCOPED_TRACE(std::string(to_text(type)) + ", pieces of " + std::to_string(bytes));
        const device::DeviceScope scope(0);
        const gpu::PassPointer pass = gpu::pass_named("pairs of lines").make(spec, {.piece_bytes = 8 * bytes});
        check_numbers<double>(
            spec, pass->scratch_bytes(),
            [&](const std::byte* in, std::byte* out, std::byte* scratch, device::StreamHandle stream) {
              pass->enqueue({in, out, scratch}, stream);
            });
      }
}

Options cosines_on_gpu(const Types& types, const std::string& algorithm = "auto") {
  Options options = on_gpu(algorithm);
  options.transforms = types;
  return options;
}

TEST(GroupCosines, TypesAndPrecisions) {
  for (const AxisTransform type : all_types)
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const int ranks : {1, 3}) {
        check_case_on(ranks, {{5, 7, 4}, "slab", "left", Kind::r2r, precision, cosines_on_gpu({type, type, type})});
        check_case_on(ranks, {{5, 7, 4}, "slab", "natural", Kind::c2c, precision, cosines_on_gpu({type, type, type})});
      }
}

TEST(GroupCosines, MixedWithFourierAxes) {
  sweep_mixed_cosines(cosines_on_gpu, [](std::size_t turn, TransformCase c) {
    c.options.chunks = static_cast<int>(turn % 3);
    check_case_on(static_cast<int>(1 + turn % 4), c);
  });
}

TEST(GroupCosines, InputsAndExchanges) {
  std::size_t turn = 0;
  for (const NamedLayout& input : zoo({4, 4, 4}, 3))
    for (const std::string exchange : {"cuda_peer", "cuda_peer_copy", "cuda_peer_store"}) {
      Options options = cosines_on_gpu(turn % 2 == 0 ? Types{dct2, dst2, dct1} : Types{fft, fft, dct1});
      options.exchange = exchange;
      const Kind kind = turn % 2 == 0 ? Kind::r2r : turn % 4 == 1 ? Kind::r2c : Kind::c2r;
      check_case_on(3, {{8, 6, 9}, input.name, turn % 3 == 0 ? "natural" : "brick", kind, Precision::f64, options});
      ++turn;
    }
}

TEST(GroupCosines, SomeAxesNormsAndDimensions) {
  Options options = cosines_on_gpu({dct2, fft});
  options.axes = {2, 0};
  check_case_on(2, {{6, 5, 8}, "slab", "left", Kind::r2c, Precision::f64, options});
  options.axes = {0, 2};
  check_case_on(2, {{6, 5, 8}, "brick", "natural", Kind::c2r, Precision::f64, options});
  options = cosines_on_gpu({dst4});
  options.axes = {1};
  check_case_on(3, {{6, 5, 8}, "slab", "left", Kind::r2r, Precision::f32, options});
  check_case_on(2, {{7, 9}, "slab", "natural", Kind::r2c, Precision::f64, cosines_on_gpu({dct1, fft})});
  check_case_on(2, {{3, 4, 5, 6}, "slab", "left", Kind::c2c, Precision::f64, cosines_on_gpu({fft, dct2, fft, dst1})});
  check_case_on(1, {{33}, "slab", "left", Kind::r2r, Precision::f64, cosines_on_gpu({dct1})});
  for (const Norm norm : {Norm::ortho, Norm::forward, Norm::none}) {
    options = cosines_on_gpu({fft, dct2, dct1});
    options.norm = norm;
    check_case_on(2, {{6, 7, 5}, "slab", "left", Kind::r2c, Precision::f64, options});
  }
}

TEST(GroupCosines, FewerModesAndOperators) {
  Options options = cosines_on_gpu({fft, fft, dct1});
  options.modes = {4, 4, 5};
  for (const Kind kind : kinds) check_case_on(2, {{6, 7, 8}, "slab", "pencil", kind, Precision::f64, options});
  options.transforms = {dct2, dst2, dct4};
  check_case_on(3, {{6, 7, 8}, "slab", "left", Kind::r2r, Precision::f32, options});
  const TransformCase c{{6, 7, 8}, "slab", "left", Kind::c2c, Precision::f64, cosines_on_gpu({fft, fft, dct2})};
  Plan plan = make_plan_over(devices_for(1), c);
  for (int run = 0; run < 4; ++run) check_apply(plan, c, some_operator(c), some_factor(c), run % 2 == 1);
}

TEST(GroupCosines, LargerArrays) {
  check_case_on(2, {{64, 60, 54}, "slab", "left", Kind::r2r, Precision::f64, cosines_on_gpu({dct2, dst1, dct4})});
  check_case_on(2, {{64, 60, 54}, "slab", "natural", Kind::r2c, Precision::f64, cosines_on_gpu({fft, fft, dct1})});
  check_case_on(
      2, {{64, 60, 54}, "slab", "natural", Kind::c2c, Precision::f32, cosines_on_gpu({dct3, fft, dct1}, "pencil")});
}

/// Beside the copies, before them and behind.
TEST(GroupCosines, InChunks) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::r2r})
    for (const std::string algorithm : {"slab", "pencil"}) {
      Options options = cosines_on_gpu({dct1, dct4, kind == Kind::r2r ? dst2 : fft}, algorithm);
      options.chunks = 3;
      const TransformCase c{{32, 24, 30}, "slab", "natural", kind, Precision::f64, options};
      check_case_on(2, c);
      const Plan plan = make_plan_over(devices_for(2), c);
      const std::string text = plan.report().to_text();
      EXPECT_NE(text.find("at the sender: r2r dct1 32"), std::string::npos) << text;
      EXPECT_NE(text.find("by kernels a chunk, r2r dct1 32"), std::string::npos) << text;
    }
}

TEST(GroupCosines, ReportNamesThem) {
  const std::vector<int> devices = devices_for(2);
  const Plan plan(Devices(devices), r2c<double>, Layout::slab({6, 7, 8}, 2), natural_output,
                  cosines_on_gpu({fft, fft, dct1}));
  EXPECT_NE(plan.report().to_text().find("r2r dct1 8 by pairs of lines with fft c2c 14 by"), std::string::npos)
      << plan.report();
}

}  // namespace
}  // namespace shardfft::test
