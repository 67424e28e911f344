// Every backend against the reference, over sizes, shapes, strides, batches, placements and threads.
#include <memory>
#include <thread>

#include "fft_cases.hpp"

namespace shardfft::test {
namespace {

constexpr Kind kinds[] = {Kind::c2c, Kind::r2c, Kind::c2r};

TEST(AgainstReference, LinesOfManySizes) {
  for (const Kind kind : kinds)
    for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 16, 31, 60, 97, 128}) check_directions(dense_spec(kind, {n}, 3));
}

TEST(AgainstReference, ScaledLines) {
  for (const Kind kind : kinds) {
    for (const std::int64_t n : {1, 5, 16}) {
      FftSpec spec = dense_spec(kind, {n}, 7);
      spec.scale = 0.375;
      check_directions(spec);
    }
  }
}

TEST(AgainstReference, PlanesAndVolumes) {
  const std::vector<std::vector<std::int64_t>> shapes = {{4, 6},    {5, 7},    {1, 8},       {8, 1},   {6, 1, 4},
                                                         {3, 5, 8}, {4, 4, 9}, {2, 3, 4, 5}, {3, 1, 1}};
  for (const Kind kind : kinds)
    for (const auto& shape : shapes) check_directions(dense_spec(kind, shape, 3));
}

TEST(AgainstReference, VolumesWithoutABatch) {
  for (const Kind kind : kinds) {
    FftSpec spec = dense_spec(kind, {6, 5, 8});
    check_directions(spec);
    spec.scale = 0.5;
    spec.preserve_input = false;
    check_directions(spec);
  }
}

TEST(AgainstReference, LinesAlongEveryAxisOfAVolume) {
  // An array of a x b x c, transformed along the middle or the slowest axis; the halved side has n/2+1 lines.
  for (const Kind kind : kinds) {
    for (const std::int64_t n : {8, 9}) {
      FftSpec middle;
      middle.kind = kind;
      const std::int64_t in = kind == Kind::c2r ? n / 2 + 1 : n, out = kind == Kind::r2c ? n / 2 + 1 : n;
      middle.transform = {{n, 20, 20}};
      middle.batch = {{3, 20 * in, 20 * out}, {20, 1, 1}};
      check_directions(middle);
      FftSpec slowest = middle;
      slowest.batch = {{3, 20 * 4, 20 * 4}, {20, 1, 1}};
      slowest.transform = {{n, 3 * 20 * 4, 3 * 20 * 4}};
      check_directions(slowest);
    }
  }
}

TEST(AgainstReference, PermutedOutputs) {
  FftSpec spec;
  spec.transform = {{6, 35, 1}};
  spec.batch = {{5, 7, 42}, {7, 1, 6}};
  check_directions(spec);
  spec.transform = {{6, 35, 1}, {5, 7, 6}};
  spec.batch = {{7, 1, 30}};
  check_directions(spec);
  spec.kind = Kind::r2c;
  spec.transform = {{7, 1, 30}, {6, 35, 1}};
  spec.batch = {{5, 7, 6}};
  check_directions(spec);
  spec.kind = Kind::c2r;
  check_directions(spec);
}

TEST(AgainstReference, ManyBatchLoopsWithGaps) {
  for (const Kind kind : kinds) {
    FftSpec spec = dense_spec(kind, {4, 6});
    spec.batch = {{2, 1001, 2003}, {3, 307, 509}, {1, 5, 5}, {2, 103, 113}, {3, 30, 31}};
    spec.scale = -2;
    check_directions(spec);
  }
}

TEST(AgainstReference, WideBundlesOfColumns) {
  for (const Kind kind : kinds) {
    for (const std::int64_t width : {17, 64, 100, 1000}) {
      FftSpec spec;
      spec.kind = kind;
      spec.transform = {{24, width, width + 3}};
      spec.batch = {{width, 1, 1}};
      spec.scale = 0.25;
      check_everywhere(spec);
    }
  }
}

TEST(AgainstReference, MoreBytesThanOneCallTakes) {
  for (const Kind kind : kinds) {
    FftSpec spec = dense_spec(kind, {8, 12}, 700);
    spec.scale = 1.5;
    spec.direction = kind == Kind::c2r ? Direction::backward : Direction::forward;
    check_everywhere(spec);
  }
}

TEST(AgainstReference, ComplexInPlace) {
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{16}, {97}, {5, 8}, {4, 3, 6}}) {
    for (const std::int64_t batch : {1, 5}) {
      FftSpec spec = dense_spec(Kind::c2c, shape, batch);
      spec.in_place = true;
      spec.scale = 0.5;
      check_directions(spec);
    }
  }
  FftSpec strided;
  strided.transform = {{9, 40, 40}};
  strided.batch = {{40, 1, 1}};
  strided.in_place = true;
  check_directions(strided);
}

/// Real rows padded to 2 (n/2+1) numbers.
FftSpec padded_spec(Kind kind, const std::vector<std::int64_t>& shape, std::int64_t batch) {
  FftSpec spec = dense_spec(kind, shape, batch);
  std::int64_t complex_stride = shape.back() / 2 + 1;
  Loops outer;
  for (std::size_t a = shape.size() - 1; a-- > 0;) {
    const Loop real{shape[a], 2 * complex_stride, complex_stride};
    spec.transform[a] = kind == Kind::r2c ? real : Loop{real.count, real.to, real.from};
    complex_stride *= shape[a];
  }
  if (kind == Kind::r2c) spec.batch = {{batch, 2 * complex_stride, complex_stride}};
  if (kind == Kind::c2r) spec.batch = {{batch, complex_stride, 2 * complex_stride}};
  spec.in_place = true;
  return spec;
}

TEST(AgainstReference, RealInPlaceWithPaddedRows) {
  for (const Kind kind : {Kind::r2c, Kind::c2r}) {
    for (const auto& shape : std::vector<std::vector<std::int64_t>>{{8}, {9}, {1}, {5, 8}, {4, 3, 7}, {3, 1}}) {
      for (const std::int64_t batch : {1, 4}) {
        FftSpec spec = padded_spec(kind, shape, batch);
        check_directions(spec);
        spec.scale = 3;
        check_directions(spec);
      }
    }
  }
}

TEST(AgainstReference, InPlaceBetweenDifferentStrides) {
  FftSpec turned;
  turned.transform = {{6, 5, 1}};
  turned.batch = {{5, 1, 6}};
  turned.in_place = true;
  check_directions(turned);
  for (const Kind kind : {Kind::r2c, Kind::c2r}) {
    FftSpec dense = dense_spec(kind, {5, 8}, 3);  // rows not padded: they move
    dense.in_place = true;
    dense.scale = 0.5;
    check_directions(dense);
    FftSpec columns;
    columns.kind = kind;
    columns.transform = {{8, 6, 6}};
    columns.batch = {{6, 1, 1}};
    columns.in_place = true;
    check_directions(columns);
    FftSpec spread;  // one line whose halved axis has gaps
    spread.kind = kind;
    spread.transform = {{8, 3, 2}};
    spread.in_place = true;
    check_directions(spread);
  }
}

TEST(AgainstReference, PointersOffAlignment) {
  for (const Kind kind : kinds) {
    for (const Shifts shifts : {Shifts{8, 8}, Shifts{0, 8}, Shifts{8, 0}}) {
      FftSpec spec = dense_spec(kind, {16}, 5);
      check_directions(spec, shifts);
      spec = dense_spec(kind, {5, 9}, 3);
      spec.scale = 2;
      check_directions(spec, shifts);
      spec.aligned = false;
      check_directions(spec, shifts);
      spec = dense_spec(Kind::c2c, {12}, 3);
      spec.in_place = true;
      check_directions(spec, shifts);
    }
  }
  for (const std::string& backend : tested_backends()) {
    FftSpec spec = dense_spec(Kind::r2c, {16}, 5);
    spec.precision = Precision::f32;
    check(backend, spec, {4, 4});
  }
}

TEST(AgainstReference, InputsThatMayBeDestroyed) {
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{8}, {5, 8}, {4, 3, 7}}) {
    FftSpec spec = dense_spec(Kind::c2r, shape, 3);
    spec.preserve_input = false;
    spec.scale = 0.1;
    check_directions(spec);
  }
}

TEST(AgainstReference, MeasuredPlansToo) {
  for (const std::string& backend : tested_backends()) {
    for (const Kind kind : kinds) {
      for (const Effort effort : {Effort::measure, Effort::patient}) {
        for (const bool aligned : {true, false}) {
          FftSpec spec = dense_spec(kind, {6, 16}, 5);
          spec.direction = kind == Kind::c2r ? Direction::backward : Direction::forward;
          spec.effort = effort;
          spec.aligned = aligned;
          check(backend, spec);
          check(backend, spec, {8, 8});
        }
      }
    }
  }
}

TEST(AgainstReference, LongLines) {
  for (const std::string& backend : tested_backends()) {
    for (const Kind kind : kinds) {
      for (const std::int64_t n : {1024, 1009, 1500}) {
        FftSpec spec = dense_spec(kind, {n});
        spec.effort = Effort::estimate;
        check(backend, spec);
      }
    }
  }
}

TEST(Planning, LeavesNoTraceInConcurrentExecutions) {
  for (const std::string& backend : tested_backends()) {
    const FftSpec spec = dense_spec(Kind::c2r, {6, 10}, 4);
    const auto fft = make_local_fft(backend, spec);
    TestArray in(spec.precision, input_reals(spec)), alone(spec.precision, output_reals(spec));
    in.fill_random(3);
    fft->execute(in.data(), alone.data());
    std::vector<std::unique_ptr<TestArray>> outs;
    for (int t = 0; t < 8; ++t) outs.push_back(std::make_unique<TestArray>(spec.precision, output_reals(spec)));
    const void* source = in.data();
    std::vector<std::thread> threads;
    for (auto& out : outs) threads.emplace_back([&fft, source, target = out->data()] { fft->execute(source, target); });
    for (auto& thread : threads) thread.join();
    for (auto& out : outs)
      for (std::int64_t i = 0; i < alone.reals(); ++i) ASSERT_EQ(out->get(i), alone.get(i)) << backend;
  }
}

}  // namespace
}  // namespace shardfft::test
