// Transforms in bundles whose lines lie with several owners: every rank of a layout in turn, in this process.
#include <gtest/gtest.h>

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

/// Of lines that `from` has to those that `lines` has.
BundledFftSetup setup_of(const Layout& from, const Layout& lines, int rank) {
  BundledFftSetup setup;
  setup.step = fourier_step({axis}, Kind::c2c, lines.shape());
  setup.before = {lines, true};
  setup.after = {lines, true};
  setup.rank = rank;
  setup.scale = 0.5;
  setup.from = from;
  return setup;
}

void check(const Layout& from, const Layout& lines, std::int64_t bundle_bytes, int threads) {
  const std::vector<Value> whole = whole_array();
  std::vector<Value> transformed = whole;
  serial_dft(transformed, shape, axis, -1);
  const auto sources = cut(from, whole);
  const auto expected = cut(lines, transformed);
  for (int rank = 0; rank < ranks; ++rank) {
    LocalFfts ffts(candidates("fftw"), Effort::estimate);
    BundledFftSetup setup = setup_of(from, lines, rank);
    setup.ffts = &ffts;
    setup.threads = threads;
    setup.bundle_bytes = bundle_bytes;
    BundledFft fft(setup);
    ffts.make(world());
    std::vector<Value> out(to_size(lines.count(rank)), Value(-7, -7));
    const AlignedMemory scratch = allocate_aligned(fft.scratch_bytes());
    const auto fetch = [&](const PeerCopy& copy, std::byte* into, std::byte*) {
      fft.copy_lines(reinterpret_cast<const std::byte*>(sources[to_size(copy.peer)].data()), copy, into);
    };
    fft.run(fetch, reinterpret_cast<std::byte*>(out.data()), scratch.get());
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_NEAR(std::abs(out[i] - 0.5 * expected[to_size(rank)][i]), 0, 1e-12)
          << "element " << i << " of rank " << rank;
    std::int64_t fetched = 0;
    fft.for_each_gather([&](const PeerCopy& copy, std::int64_t times) { fetched += times * copy.boxes.to.elements(); });
    EXPECT_EQ(fetched, lines.count(rank));
  }
}

/// Whatever the bundles are: single lines, rows with and without a shorter last bundle, or all in one.
TEST(BundledFft, GathersAndTransformsEveryLine) {
  const Layout pencils = Layout::pencil(shape, {1, ranks, 1}, axis);
  for (const NamedLayout& from : zoo(shape, ranks))
    for (const AxisOrder& order : {AxisOrder{0, 1, 2, 3}, AxisOrder{0, 2, 1, 3}, AxisOrder{3, 1, 0, 2}})
      for (const std::int64_t bytes : {1, 300, 1000, 100000}) {
        SCOPED_TRACE(from.name + ", bundles of " + std::to_string(bytes) + " bytes");
        check(from.layout, pencils.with_order(order), bytes, bytes == 300 ? 2 : 1);
        if (HasFatalFailure()) return;
      }
}

/// What a plan keeps of a batch does not grow with it.
TEST(BundledFft, RowsOfABatchAreKeptOnce) {
  for (const std::int64_t fields : {std::int64_t{1} << 4, std::int64_t{1} << 30}) {
    const Layout lines = Layout::pencil({7, 6, 9}, {ranks, 1}, 1).with_batch(fields);
    const Layout from = Layout::slab({7, 6, 9}, ranks, 2).with_batch(fields);
    LocalFfts ffts(candidates("fftw"), Effort::estimate);
    BundledFftSetup setup = setup_of(from, lines, 1);
    setup.ffts = &ffts;
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
