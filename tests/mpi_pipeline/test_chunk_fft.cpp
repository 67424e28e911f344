// The transform of a chunk, cut in blocks: all chunks together are the transform of the whole.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/aligned.hpp"
#include "exec/chunk_fft.hpp"
#include "exec/fft_operation.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

const Shape real_shape{2, 6, 5, 8};

BundledFftSetup setup_of(Kind kind, Direction direction, const std::vector<int>& axes,
                         const AxisOrder& order = {0, 1, 2, 3}) {
  const Layout points = Layout::single(real_shape, 1).with_order(order);
  const Layout modes = kind == Kind::r2c ? points.with_axis_extent(axes.back(), 5) : points;
  State first{points, kind != Kind::r2c};
  State last{modes, true};
  BundledFftSetup setup;
  setup.step = fourier_step(axes, kind, points.shape());
  if (direction == Direction::backward) setup.step = reversed(setup.step);
  setup.before = direction == Direction::forward ? first : last;
  setup.after = direction == Direction::forward ? last : first;
  setup.effort = Effort::estimate;
  setup.scale = 0.5;
  setup.from = setup.before.layout;
  setup.to = setup.after.layout;
  setup.block_bytes = 64;
  return setup;
}

std::size_t doubles(const State& state) {
  return static_cast<std::size_t>(state.layout.count(0)) * (state.is_complex ? 2 : 1);
}

std::vector<double> whole_transform(const BundledFftSetup& fft, const std::vector<double>& in) {
  FftSpec spec = fft_spec_between(fft.step, fft.before.layout.pieces(0)[0], fft.after.layout.pieces(0)[0],
                                  fft.precision, fft.before.is_complex);
  spec.scale = fft.scale;
  std::vector<double> out(doubles(fft.after));
  make_local_fft("reference", spec)->execute(in.data(), out.data());
  return out;
}

void check(BundledFftSetup setup, int axis, int chunks) {
  std::vector<double> in(doubles(setup.before));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(static_cast<double>(7 * i + 1));
  const std::vector<double> expected = whole_transform(setup, in);
  std::vector<double> out(expected.size(), -99);
  if (setup.in_place) out = in;
  const double* source = setup.in_place ? out.data() : in.data();
  int blocks = 0;
  for (int k = 0; k < chunks; ++k) {
    LocalFfts ffts({candidates("reference")}, Effort::estimate);
    setup.ffts = ffts.step("");
    const ChunkFft fft(setup, axis < 0 ? Slice{} : Slice{axis, chunks, k});
    ffts.make(world());
    const AlignedMemory scratch = allocate_aligned(fft.scratch_bytes());
    fft.run(reinterpret_cast<const std::byte*>(source), reinterpret_cast<std::byte*>(out.data()), scratch.get(),
            [&] { ++blocks; });
  }
  if (setup.threads == 1) {
    EXPECT_GT(blocks, chunks);
  }
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], 1e-12) << i;
}

TEST(ChunkFft, ChunksMakeTheWhole) {
  for (const AxisOrder& order : {AxisOrder{0, 1, 2, 3}, AxisOrder{0, 2, 3, 1}, AxisOrder{3, 2, 1, 0}})
    for (const Direction direction : {Direction::forward, Direction::backward})
      for (const auto& axes : {std::vector<int>{3}, std::vector<int>{2, 3}})
        for (const Kind kind : {Kind::c2c, Kind::r2c}) {
          const BundledFftSetup setup = setup_of(kind, direction, axes, order);
          check(setup, -1, 1);
          check(setup, 0, 2);
          check(setup, 1, 4);
          BundledFftSetup in_place = setup;
          in_place.in_place = true;
          if (kind == Kind::c2c) check(in_place, 1, 3);
        }
}

/// Blocks as tasks: messages are left to the calling thread.
TEST(ChunkFft, Threads) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      BundledFftSetup setup = setup_of(kind, direction, {3});
      setup.threads = 3;
      check(setup, 1, 1);
      setup.threads = 2;
      check(setup, 0, 2);
    }
}

/// What fails while messages are looked after comes out of run(); of two threads, the other may have taken all blocks.
TEST(ChunkFft, Failures) {
  for (const int threads : {1, 2}) {
    BundledFftSetup setup = setup_of(Kind::c2c, Direction::forward, {3});
    setup.threads = threads;
    const std::vector<double> in(doubles(setup.before));
    std::vector<double> out(doubles(setup.after));
    LocalFfts ffts({candidates("reference")}, Effort::estimate);
    setup.ffts = ffts.step("");
    const ChunkFft fft(setup, {});
    ffts.make(world());
    int calls = 0;
    bool thrown = false;
    const AlignedMemory scratch = allocate_aligned(fft.scratch_bytes());
    const auto lose = [&] {
      ++calls;
      fail(Status::mpi_failure, "a lost message");
    };
    try {
      fft.run(reinterpret_cast<const std::byte*>(in.data()), reinterpret_cast<std::byte*>(out.data()), scratch.get(),
              lose);
    } catch (const Error& e) {
      thrown = e.code() == Status::mpi_failure;
    }
    EXPECT_EQ(thrown, calls > 0);
    if (threads == 1) {
      EXPECT_EQ(calls, 1);
    }
  }
}

class LostArrays : public LineSource {
 public:
  const std::byte* here(int) const override { return nullptr; }
  void fetch(const PeerCopy&, std::byte*, std::byte*) const override { fail(Status::internal, "a lost array"); }
};

/// Bundles are dealt to threads; what one of them throws comes out of run(), and does not end the program.
TEST(BundledFft, Failures) {
  for (const int threads : {1, 2}) {
    BundledFftSetup setup = setup_of(Kind::c2c, Direction::forward, {3});
    setup.threads = threads;
    std::vector<double> out(doubles(setup.after));
    LocalFfts ffts({candidates("reference")}, Effort::estimate);
    setup.ffts = ffts.step("");
    BundledFft fft(setup);
    ffts.make(world());
    const AlignedMemory scratch = allocate_aligned(fft.scratch_bytes());
    const OwnTarget target(reinterpret_cast<std::byte*>(out.data()));
    EXPECT_THROW(fft.run(LostArrays(), target, scratch.get()), Error);
  }
}

/// More chunks than indices: the rest is empty, nothing is planned or called.
TEST(ChunkFft, EmptyChunks) {
  const BundledFftSetup setup = setup_of(Kind::c2c, Direction::forward, {3});
  const ChunkFft last(setup, {0, 5, 4});
  last.run(nullptr, nullptr, nullptr, [] { ADD_FAILURE() << "an empty chunk has no blocks"; });
}

}  // namespace
}  // namespace shardfft::test
