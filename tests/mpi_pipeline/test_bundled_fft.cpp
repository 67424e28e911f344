// Transforms in bundles whose lines lie with several owners: every rank of a layout in turn, in this process.
#include <gtest/gtest.h>

#include <atomic>

#include "base/aligned.hpp"
#include "exec/bundled_fft.hpp"
#include "support/serial_dft.hpp"
#include "support/world.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

constexpr int ranks = 3;
constexpr int axis = 2;  // is transformed
const Shape shape{4, 7, 6, 9};

Value number(std::int64_t i) {
  return {std::sin(static_cast<double>(3 * i + 1)), std::cos(static_cast<double>(5 * i))};
}

std::vector<Value> whole_array() {
  std::vector<Value> all;
  for (std::int64_t i = 0; i < product(shape); ++i) all.push_back(number(i));
  return all;
}

/// `whole` as the ranks of a layout have it.
std::vector<std::vector<Value>> cut(const Layout& layout, const std::vector<Value>& whole) {
  std::vector<std::vector<Value>> arrays;
  for (int r = 0; r < layout.ranks(); ++r) {
    arrays.emplace_back(to_size(layout.count(r)));
    for (const Piece& piece : layout.pieces(r))
      for_elements(piece, [&](std::int64_t address, const Index& index) {
        arrays.back()[to_size(address)] = whole[to_size(number_of(index, layout.shape()))];
      });
  }
  return arrays;
}

class Arrays : public LineSource {
 public:
  explicit Arrays(const std::vector<std::vector<Value>>& arrays) : arrays_(arrays) {}
  const std::byte* here(int peer) const override {
    return reinterpret_cast<const std::byte*>(arrays_[to_size(peer)].data());
  }
  void fetch(const PeerCopy& /*copy*/, std::byte* /*lines*/, std::byte* /*scratch*/) const override {}

 private:
  const std::vector<std::vector<Value>>& arrays_;
};

class Targets : public LineTarget {
 public:
  explicit Targets(std::vector<std::vector<Value>>& arrays) : arrays_(arrays) {}
  std::byte* array(int peer) const override { return reinterpret_cast<std::byte*>(arrays_[to_size(peer)].data()); }

 private:
  std::vector<std::vector<Value>>& arrays_;
};

/// How often somebody asked where an array is: whoever gathers lines does once each time.
class CountedArrays : public Arrays {
 public:
  using Arrays::Arrays;
  const std::byte* here(int peer) const override {
    ++asked;
    return Arrays::here(peer);
  }
  mutable std::atomic<std::int64_t> asked = 0;
};

/// Of lines that `from` has to those that `lines` has.
BundledFftSetup setup_of(const Layout& from, const Layout& lines, int rank) {
  BundledFftSetup setup;
  setup.step = fourier_step({axis}, Kind::c2c, lines.shape());
  setup.before = {lines, true};
  setup.after = {lines, true};
  setup.rank = rank;
  setup.scale = 0.5;
  setup.from = from;
  setup.to = lines;
  return setup;
}

/// Of lines that `from` has; every rank in turn writes what `to` has.
void check(const Layout& from, const Layout& lines, const Layout& to, std::int64_t bundle_bytes, int threads) {
  const std::vector<Value> whole = whole_array();
  std::vector<Value> transformed = whole;
  serial_dft(transformed, shape, axis, -1);
  const auto sources = cut(from, whole);
  const auto expected = cut(to, transformed);
  std::vector<std::vector<Value>> results;
  for (int rank = 0; rank < ranks; ++rank) results.emplace_back(to_size(to.count(rank)), Value(-7, -7));
  for (int rank = 0; rank < ranks; ++rank) {
    LocalFfts ffts({candidates(bundle_bytes == 1000 ? "lanes" : "fftw")}, Effort::estimate);
    BundledFftSetup setup = setup_of(from, lines, rank);
    setup.to = to;
    setup.ffts = ffts.step("");
    setup.threads = threads;
    setup.bundle_bytes = bundle_bytes;
    setup.bytes_past_cache = bundle_bytes == 1000 ? 1 : host_defaults().bytes_to_write_past_cache;
    BundledFft fft(setup);
    ffts.make(world());
    const AlignedMemory scratch = allocate_aligned(fft.scratch_bytes());
    fft.run(Arrays(sources), Targets(results), scratch.get());
    std::int64_t fetched = 0;
    fft.for_each_gather([&](const PeerCopy& copy, std::int64_t times) { fetched += times * copy.boxes.to.elements(); });
    EXPECT_EQ(fetched, lines.count(rank));
  }
  for (std::size_t rank = 0; rank < results.size(); ++rank)
    for (std::size_t i = 0; i < results[rank].size(); ++i)
      ASSERT_NEAR(std::abs(results[rank][i] - 0.5 * expected[rank][i]), 0, 1e-12)
          << "element " << i << " of rank " << rank;
}

/// Whatever the bundles are: single lines, rows with and without a shorter last bundle, or all in one.
TEST(BundledFft, GathersAndTransformsEveryLine) {
  const Layout pencils = Layout::pencil(shape, {1, ranks, 1}, axis);
  for (const NamedLayout& from : zoo(shape, ranks))
    for (const AxisOrder& order : {AxisOrder{0, 1, 2, 3}, AxisOrder{0, 2, 1, 3}, AxisOrder{3, 1, 0, 2}})
      for (const std::int64_t bytes : {1, 300, 1000, 100000}) {
        SCOPED_TRACE(from.name + ", bundles of " + std::to_string(bytes) + " bytes");
        const Layout lines = pencils.with_order(order);
        check(from.layout, lines, lines, bytes, bytes == 300 ? 2 : 1);
        if (HasFatalFailure()) return;
      }
}

/// The same for results that belong to several owners.
TEST(BundledFft, WritesEveryResultToItsOwner) {
  const Layout slabs = Layout::slab(shape, ranks, 1);
  for (const NamedLayout& to : zoo(shape, ranks))
    for (const AxisOrder& order : {AxisOrder{0, 1, 2, 3}, AxisOrder{0, 2, 1, 3}})
      for (const std::int64_t bytes : {1, 300, 1000, 100000}) {
        SCOPED_TRACE(to.name + ", bundles of " + std::to_string(bytes) + " bytes");
        check(Layout::slab(shape, ranks, axis), slabs.with_order(order), to.layout, bytes, bytes == 300 ? 2 : 1);
        if (HasFatalFailure()) return;
      }
}

/// Rows of the output are columns of the bundles, and all points of a line share a set of the cache: a bundle has whole
/// runs of both.
TEST(BundledFft, FillsRunsOfItsOwners) {
  const Shape extents{1, 4, 64, 128};
  const Layout lines = Layout::single(extents, 1, 0), turned = lines.with_order({0, 1, 3, 2});
  std::vector<Value> in;
  for (std::int64_t i = 0; i < product(extents); ++i) in.push_back(number(i));
  std::vector<Value> expected = in, out(in.size());
  serial_dft(expected, extents, 1, -1);
  LocalFfts ffts({candidates("fftw")}, Effort::estimate);
  BundledFftSetup setup;
  setup.step = fourier_step({1}, Kind::c2c, extents);
  setup.before = setup.after = {lines, true};
  setup.from = lines;
  setup.to = turned;
  setup.ffts = ffts.step("");
  setup.bundle_bytes = 48 * 4 * 16;  // of 48 lines: three of each of 16 rows, and not of one row
  BundledFft fft(setup);
  ffts.make(world());
  EXPECT_NE(fft.describe().find("in 172 bundles"), std::string::npos) << fft.describe();
  const AlignedMemory scratch = allocate_aligned(fft.scratch_bytes());
  const std::vector<std::vector<Value>> sources{in};
  fft.run(Arrays(sources), OwnTarget(reinterpret_cast<std::byte*>(out.data())), scratch.get());
  for_elements(only_piece(turned, 0), [&](std::int64_t address, const Index& index) {
    ASSERT_NEAR(std::abs(out[to_size(address)] - expected[to_size(number_of(index, extents))]), 0, 1e-12);
  });
}

/// Of each array whose lines a bundle fetches, while the one before is transformed, and only where lines come from
/// memory.
TEST(BundledFft, ReadsAheadWhereResultsGoPastTheCache) {
  const Layout lines = Layout::pencil(shape, {1, ranks, 1}, axis);
  const Layout from = Layout::slab(shape, ranks, axis);
  const auto sources = cut(from, whole_array());
  for (const std::size_t past : {std::size_t{1}, host_defaults().bytes_to_write_past_cache})
    for (const int threads : {1, 2}) {
      LocalFfts ffts({candidates("lanes")}, Effort::estimate);
      BundledFftSetup setup = setup_of(from, lines, 1);
      setup.ffts = ffts.step("");
      setup.threads = threads;
      setup.bundle_bytes = 1000;
      setup.bytes_past_cache = past;
      BundledFft fft(setup);
      ffts.make(world());
      std::int64_t gathers = 0, first = 0;
      fft.for_each_gather([&](const PeerCopy& copy, std::int64_t times) {
        gathers += times;
        first += copy.peer == 0 ? times : 0;
      });
      ASSERT_GT(first, threads) << "bundles";
      ASSERT_EQ(gathers, ranks * first) << "each bundle fetches from all";
      std::vector<Value> out(to_size(lines.count(1)));
      const AlignedMemory scratch = allocate_aligned(fft.scratch_bytes());
      const CountedArrays arrays(sources);
      fft.run(arrays, OwnTarget(reinterpret_cast<std::byte*>(out.data())), scratch.get());
      EXPECT_EQ(arrays.asked - gathers, past == 1 ? gathers - ranks * threads : 0) << threads << " threads";
    }
}

const Communicator& this_rank() {
  static const Communicator comm = Communicator::duplicate(MPI_COMM_SELF);
  return comm;
}

/// Of one rank's own array, by its own plan of bundles; complex numbers, or real ones on the side that has them.
template <class Real>
std::vector<Real> own_lines(const TransformStep& step, const State& before, const std::vector<Real>& in,
                            std::int64_t bundle_bytes, bool in_place) {
  LocalFfts ffts({candidates("fftw")}, Effort::estimate);
  BundledFftSetup setup;
  setup.step = step;
  setup.before = before;
  setup.after = state_after(step, before);
  setup.precision = sizeof(Real) == 4 ? Precision::f32 : Precision::f64;
  setup.from = before.layout;
  setup.to = setup.after.layout;
  setup.ffts = ffts.step("");
  setup.bundle_bytes = bundle_bytes;
  setup.bytes_past_cache = bundle_bytes > 700 ? 1 : host_defaults().bytes_to_write_past_cache;
  const std::unique_ptr<Operation> operation = std::make_unique<BundledFft>(setup);
  ffts.make(this_rank());
  std::vector<Real> source = in;
  std::vector<Real> out(state_bytes(setup.after, setup.precision, 0) / sizeof(Real));
  const AlignedMemory scratch = allocate_aligned(operation->scratch_bytes());
  std::vector<Real>& to = in_place ? source : out;
  operation->run(reinterpret_cast<const std::byte*>(source.data()), reinterpret_cast<std::byte*>(to.data()),
                 scratch.get());
  EXPECT_TRUE(in_place || source == in) << "the input has changed";
  return to;
}

/// `in` transformed along all axes of `step`, one after the other, by the definition.
std::vector<Value> by_definition(const TransformStep& step, const Shape& extents, std::vector<Value> values) {
  for (const AxisStep& a : step.axes) serial_dft(values, extents, a.axis, -1);
  return values;
}

template <class Real>
void check_own(const Shape& extents, const std::vector<int>& axes, const AxisOrder& order, std::int64_t bundle_bytes,
               const std::vector<Value>& whole, const std::vector<Value>& expected) {
  const double bound = sizeof(Real) == 4 ? 1e-4 : 1e-11;
  const State before{Layout::single(extents, 1, 0).with_order(order), true};
  const Piece piece = only_piece(before.layout, 0);
  const TransformStep step = fourier_step(axes, Kind::c2c, extents);
  std::vector<Real> in(2 * whole.size());
  for_elements(piece, [&](std::int64_t address, const Index& index) {
    const Value v = whole[to_size(number_of(index, extents))];
    in[to_size(2 * address)] = static_cast<Real>(v.real());
    in[to_size(2 * address + 1)] = static_cast<Real>(v.imag());
  });
  for (const bool in_place : {false, true}) {
    const std::vector<Real> out = own_lines<Real>(step, before, in, bundle_bytes, in_place);
    for_elements(piece, [&](std::int64_t address, const Index& index) {
      const Value got(out[to_size(2 * address)], out[to_size(2 * address + 1)]);
      ASSERT_NEAR(std::abs(got - expected[to_size(number_of(index, extents))]), 0, bound) << "address " << address;
    });
  }
}

/// Lines that are contiguous, and lines that lie side by side, written into the cache or past it,
/// and with rows that are long enough to be turned on their way. Each rank takes its share of the cases.
TEST(BundledFft, OwnLinesOfEveryOrder) {
  int turn = 0;
  for (const Shape& extents : {Shape{1, 5, 6, 8}, Shape{2, 3, 7, 9}, Shape{1, 5, 4, 67}})
    for (const std::vector<int>& axes : {std::vector<int>{3}, {2}, {1}, {2, 3}, {1, 3}}) {
      if (turn++ % world().size() != world().rank()) continue;
      std::vector<Value> whole;
      for (std::int64_t i = 0; i < product(extents); ++i) whole.push_back(number(i));
      const std::vector<Value> expected = by_definition(fourier_step(axes, Kind::c2c, extents), extents, whole);
      for (const AxisOrder& order : {AxisOrder{0, 1, 2, 3}, AxisOrder{0, 2, 1, 3}, AxisOrder{0, 3, 2, 1}})
        for (const std::int64_t bytes : {1, 700, 9000, 100000}) {
          SCOPED_TRACE("bundles of " + std::to_string(bytes) + " bytes");
          check_own<double>(extents, axes, order, bytes, whole, expected);
          check_own<float>(extents, axes, order, bytes, whole, expected);
          if (HasFatalFailure()) return;
        }
    }
}

/// Real lines, and the way back, which must leave its input as it was.
TEST(BundledFft, OwnRealLines) {
  for (const Shape& extents : {Shape{1, 5, 6, 8}, Shape{2, 3, 7, 9}})
    for (const std::vector<int>& axes : {std::vector<int>{3}, {2, 3}})
      for (const std::int64_t bytes : {1, 700, 100000}) {
        const State before{Layout::single(extents, 1, 0), false};
        const TransformStep step = fourier_step(axes, Kind::r2c, extents);
        const State after = state_after(step, before);
        std::vector<double> in;
        std::vector<Value> whole;
        for (std::int64_t i = 0; i < product(extents); ++i) {
          in.push_back(number(i).real());
          whole.emplace_back(in.back(), 0);
        }
        const std::vector<double> spectrum = own_lines<double>(step, before, in, bytes, false);
        const std::vector<Value> expected = by_definition(step, extents, whole);
        for_elements(only_piece(after.layout, 0), [&](std::int64_t address, const Index& index) {
          const Value got(spectrum[to_size(2 * address)], spectrum[to_size(2 * address + 1)]);
          ASSERT_NEAR(std::abs(got - expected[to_size(number_of(index, extents))]), 0, 1e-11);
        });
        const std::vector<double> back = own_lines<double>(reversed(step), after, spectrum, bytes, false);
        double points = 1;
        for (const int a : axes) points *= static_cast<double>(extents[to_size(a)]);
        for (std::size_t i = 0; i < in.size(); ++i) ASSERT_NEAR(back[i], points * in[i], 1e-10) << "element " << i;
      }
}

/// What a plan keeps of a batch does not grow with it.
TEST(BundledFft, RowsOfABatchAreKeptOnce) {
  for (const std::int64_t fields : {std::int64_t{1} << 4, std::int64_t{1} << 30}) {
    const Layout lines = Layout::pencil({7, 6, 9}, {ranks, 1}, 1).with_batch(fields);
    const Layout from = Layout::slab({7, 6, 9}, ranks, 2).with_batch(fields);
    LocalFfts ffts({candidates("fftw")}, Effort::estimate);
    BundledFftSetup setup = setup_of(from, lines, 1);
    setup.ffts = ffts.step("");
    setup.bundle_bytes = 1000;
    const BundledFft fft(setup);
    std::int64_t kept = 0;
    std::int64_t elements = 0;
    fft.for_each_gather([&](const PeerCopy& copy, std::int64_t times) {
      ++kept;
      elements += times * copy.boxes.to.elements();
    });
    EXPECT_LE(kept, 30);
    EXPECT_EQ(elements, lines.count(1));
  }
}

}  // namespace
}  // namespace shardfft::test
