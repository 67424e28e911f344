// The stand-in itself: that it reorders what may be reordered and nothing else, and that it notices misuse.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "device/copy_box.hpp"
#include "device/handles.hpp"
#include "device/line_pass.hpp"
#include "device/standin/settings.hpp"
#include "device/vendor_fft.hpp"
#include "local/local_fft.hpp"
#include "shardfft/error.hpp"
#include "support/seed.hpp"

namespace shardfft::test {
namespace {

using namespace device;

constexpr std::size_t numbers = 16, bytes = numbers * sizeof(double);

Memory filled(double value) {
  Memory memory = make_memory(bytes);
  const std::vector<double> host(numbers, value);
  const Stream stream = make_stream();
  copy_bytes(memory.get(), host.data(), bytes, stream.get());
  synchronize(stream.get());
  return memory;
}
double first_of(const void* memory) {
  double value = 0;
  const Stream stream = make_stream();
  copy_bytes(&value, memory, sizeof value, stream.get());
  synchronize(stream.get());
  return value;
}

/// Outcomes of `body` under many seeds.
std::set<double> outcomes(const std::function<double()>& body) {
  std::set<double> seen;
  for (std::uint64_t s = 0; s < 60; ++s) {
    standin::reseed(seed() + s);
    seen.insert(body());
  }
  return seen;
}

double last_writer(bool ordered) {
  const Memory a = filled(1), b = filled(2), to = filled(0);
  const Stream first = make_stream(), second = make_stream();
  const Event event = make_event();
  copy_bytes(to.get(), a.get(), bytes, first.get());
  record(event.get(), first.get());
  if (ordered) wait(second.get(), event.get());
  copy_bytes(to.get(), b.get(), bytes, second.get());
  synchronize(first.get());
  synchronize(second.get());
  return first_of(to.get());
}

TEST(StandIn, ReordersStreamsWithoutEvents) {
  EXPECT_EQ(outcomes([] { return last_writer(false); }), (std::set<double>{1, 2}));
}
TEST(StandIn, KeepsTheOrderOfEvents) {
  EXPECT_EQ(outcomes([] { return last_writer(true); }), (std::set<double>{2}));
}

enum class Missing { nothing, sent, ready };

/// Two rounds of a ring of three devices, each through one inbox. The result is right if every number is the sum of
/// what the neighbour had.
double ring(Missing missing) {
  constexpr int ranks = 3;
  std::vector<Memory> from[2], inbox, result[2];
  std::vector<Stream> stream;
  std::vector<Event> sent, ready;
  for (int r = 0; r < ranks; ++r) {
    const DeviceScope scope(r);
    for (int round = 0; round < 2; ++round) {
      from[round].push_back(filled(10 * round + r));
      result[round].push_back(make_memory(bytes));
    }
    inbox.push_back(make_memory(bytes));
    stream.push_back(make_stream());
    sent.push_back(make_event());
    ready.push_back(make_event());
  }
  const auto at = [](int r) { return static_cast<std::size_t>(r); };
  for (int round = 0; round < 2; ++round) {
    for (int r = 0; r < ranks; ++r) {
      const DeviceScope scope(r);
      const int to = (r + 1) % ranks;
      if (missing != Missing::ready) wait(stream[at(r)].get(), ready[at(to)].get());
      copy_bytes(inbox[at(to)].get(), from[round][at(r)].get(), bytes, stream[at(r)].get());
      record(sent[at(r)].get(), stream[at(r)].get());
    }
    for (int r = 0; r < ranks; ++r) {
      const DeviceScope scope(r);
      if (missing != Missing::sent) wait(stream[at(r)].get(), sent[at((r + ranks - 1) % ranks)].get());
      copy_bytes(result[round][at(r)].get(), inbox[at(r)].get(), bytes, stream[at(r)].get());
      record(ready[at(r)].get(), stream[at(r)].get());
    }
  }
  double wrong = 0;
  for (const Stream& s : stream) synchronize(s.get());
  for (int round = 0; round < 2; ++round)
    for (int r = 0; r < ranks; ++r)
      wrong += first_of(result[round][at(r)].get()) == 10 * round + (r + ranks - 1) % ranks ? 0 : 1;
  return wrong > 0 ? 1 : 0;
}

TEST(StandIn, CatchesAMissingWait) {
  EXPECT_EQ(outcomes([] { return ring(Missing::nothing); }), (std::set<double>{0}));
  EXPECT_TRUE(outcomes([] { return ring(Missing::sent); }).contains(1));
  EXPECT_TRUE(outcomes([] { return ring(Missing::ready); }).contains(1));
}

TEST(StandIn, WaitsForNothingWhereNothingWasRecorded) {
  const Stream stream = make_stream();
  const Event event = make_event();
  wait(stream.get(), event.get());
  synchronize(stream.get());
  EXPECT_TRUE(done(event.get()));
}

/// A signal may come before or after the wait for it, and stays until the flag is cleared.
TEST(StandIn, SignalsOrderStreams) {
  EXPECT_EQ(outcomes([] {
              const Memory flags = make_memory(4 * sizeof(std::uint32_t)), target = filled(0), one = filled(1);
              const Stream first = make_stream(), second = make_stream();
              fill_zero(flags.get(), 4 * sizeof(std::uint32_t), first.get());
              synchronize(first.get());
              for (int round = 0; round < 2; ++round) {
                auto* const there = static_cast<std::uint32_t*>(flags.get()) + 2 * round;
                std::uint32_t* const back = there + 1;
                await_signal(there, second.get());
                fill_zero(target.get(), bytes, second.get());
                signal(back, second.get());
                copy_bytes(target.get(), one.get(), bytes, first.get());
                signal(there, first.get());
                await_signal(back, first.get());
              }
              synchronize(first.get());
              return first_of(target.get());
            }),
            (std::set<double>{0}));
}

TEST(StandIn, ReplaysGraphs) {
  const Memory a = filled(1), b = filled(2), to = filled(0), result = filled(0);
  const Stream first = make_stream(), second = make_stream();
  const Event fork = make_event(), join = make_event(), outside = make_event();
  record(outside.get(), second.get());
  begin_capture(first.get());
  copy_bytes(to.get(), a.get(), bytes, first.get());
  record(fork.get(), first.get());
  EXPECT_THROW(wait(first.get(), outside.get()), Error);
  EXPECT_THROW(synchronize(first.get()), Error);
  wait(second.get(), fork.get());
  copy_bytes(result.get(), to.get(), bytes, second.get());
  record(join.get(), second.get());
  wait(first.get(), join.get());
  copy_bytes(to.get(), b.get(), bytes, first.get());
  const Graph graph(end_capture(first.get()));
  EXPECT_EQ(first_of(result.get()), 0) << "captured work must not run";
  for (int round = 0; round < 3; ++round) {
    fill_zero(result.get(), bytes, first.get());
    launch(graph.get(), first.get());
    synchronize(first.get());
    EXPECT_EQ(first_of(result.get()), 1);
    EXPECT_EQ(first_of(to.get()), 2);
  }
  begin_capture(first.get());
  record(fork.get(), first.get());
  wait(second.get(), fork.get());
  copy_bytes(result.get(), to.get(), bytes, second.get());
  EXPECT_THROW(end_capture(first.get()), Error) << "the second stream was not joined";
}

TEST(StandIn, ReportsWrongRanges) {
  const Memory a = filled(1);
  Memory b = filled(2);
  const Stream stream = make_stream();
  copy_bytes(a.get(), b.get(), bytes + 8, stream.get());
  EXPECT_THROW(synchronize(stream.get()), Error);
  copy_box({{a.get(), 64, 0}, {b.get(), 64, 0}, 64, numbers, 1}, stream.get());
  EXPECT_THROW(synchronize(stream.get()), Error);
  copy_bytes(a.get(), b.get(), bytes, stream.get());
  synchronize(stream.get());
  void* const gone = b.get();
  b = Memory();
  EXPECT_THROW(copy_bytes(a.get(), gone, bytes, stream.get()), Error);
  EXPECT_THROW(copy_box({{a.get(), 32, 0}, {a.get(), 64, 0}, 64, 1, 1}, stream.get()), Error) << "rows overlap";
}

TEST(StandIn, KernelsUseTheirOwnDevice) {
  Box box;
  box.axes = 1;
  box.count[0] = static_cast<std::int64_t>(numbers);
  box.stride[0] = 1;
  const Memory here = filled(1);
  const Stream stream = make_stream();
  const DeviceScope scope(3);
  const Memory there = filled(2);
  const auto copy = [&](const Stream& on) {
    copy_box(static_cast<std::byte*>(here.get()), box, static_cast<std::byte*>(there.get()), box, 8, on.get());
  };
  EXPECT_THROW(copy(stream), Error) << "a stream of another device";
  const Stream own = make_stream();
  copy(own);
  EXPECT_THROW(synchronize(own.get()), Error) << "no peers yet";
  enable_peer(3, 0);
  copy(own);
  synchronize(own.get());
  EXPECT_EQ(first_of(there.get()), 1);
}

TEST(StandIn, DescribesMemory) {
  const MemoryInfo before = memory_info();
  const Memory device = make_memory(1000);
  EXPECT_EQ(memory_info().free, before.free - 1000);
  const void* const inside = static_cast<std::byte*>(device.get()) + 10;
  const PointerInfo info = describe(inside);
  const Allocation whole = allocation_of(inside);
  EXPECT_EQ(info.kind, MemoryKind::device);
  EXPECT_EQ(whole.base, device.get());
  EXPECT_EQ(whole.bytes, 1000u);
  EXPECT_EQ(whole.sharing, Sharing::ipc);
  EXPECT_NE(allocation_of(make_memory(8).get()).id, whole.id);
  EXPECT_TRUE(std::isnan(first_of(device.get()))) << "fresh memory is not a number";
  const PinnedMemory pinned = make_pinned_memory(100);
  EXPECT_EQ(describe(pinned.get()).kind, MemoryKind::pinned);
  const Owned<release_managed> managed(allocate_managed(100));
  EXPECT_EQ(describe(managed.get()).kind, MemoryKind::managed);
  std::vector<double> mine(8);
  EXPECT_EQ(describe(mine.data()).kind, MemoryKind::pageable);
  register_host(mine.data(), 64);
  EXPECT_EQ(describe(&mine[3]).kind, MemoryKind::pinned);
  EXPECT_THROW(register_host(mine.data(), 64), Error);
  unregister_host(mine.data());
  EXPECT_EQ(describe(mine.data()).kind, MemoryKind::pageable);
  EXPECT_THROW(make_memory(before.total), Error);
}

TEST(StandIn, DestroyedHandlesAreNoticed) {
  const Stream stream = make_stream();
  Event event = make_event();
  const EventHandle handle = event.get();
  event = Event();
  EXPECT_THROW(record(handle, stream.get()), Error);
}

/// Two axes of three by the stand-in for cuFFT and by the reference, and back from half a spectrum that no real array
/// has, out of padded arrays.
TEST(StandIn, TransformsAsTheReference) {
  device::VendorFftSpec spec;
  spec.kind = Kind::r2c;
  spec.extents = {3, 10};
  spec.batch = 2;
  spec.in = {{3, 12}, 1, 40};
  spec.out = {{4, 7}, 1, 30};
  FftSpec same;
  same.kind = Kind::r2c;
  same.transform = {{3, 12, 7}, {10, 1, 1}};
  same.batch = {{2, 40, 30}};
  std::vector<double> reals(80, 0), half(120, 7), result(120, 7);
  for (std::size_t i = 0; i < reals.size(); ++i) reals[i] = static_cast<double>(i * i % 17);
  make_local_fft("reference", same)->execute(reals.data(), half.data());
  const Memory in = make_memory(80 * 8), out = make_memory(120 * 8);
  const Stream stream = make_stream();
  copy_bytes(in.get(), reals.data(), 80 * 8, stream.get());
  copy_bytes(out.get(), result.data(), 120 * 8, stream.get());
  device::VendorFft(spec).execute(in.get(), out.get(), Direction::forward, stream.get());
  copy_bytes(result.data(), out.get(), 120 * 8, stream.get());
  synchronize(stream.get());
  for (std::size_t i = 0; i < 120; ++i) EXPECT_NEAR(result[i], half[i], 1e-11) << i;

  std::swap(spec.in, spec.out);
  spec.kind = same.kind = Kind::c2r;
  same.direction = Direction::backward;
  same.transform = {{3, 7, 12}, {10, 1, 1}};
  same.batch = {{2, 30, 40}};
  for (std::size_t i = 0; i < half.size(); ++i) half[i] = static_cast<double>(i * i % 13);
  copy_bytes(out.get(), half.data(), 120 * 8, stream.get());
  device::VendorFft(spec).execute(out.get(), in.get(), Direction::backward, stream.get());
  std::vector<double> exact(80), back(80);
  copy_bytes(back.data(), in.get(), 80 * 8, stream.get());
  synchronize(stream.get());
  make_local_fft("reference", same)->execute(half.data(), exact.data());
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t x = 0; x < 10; ++x)
        EXPECT_NEAR(back[40 * b + 12 * y + x], exact[40 * b + 12 * y + x], 1e-11) << b << " " << y << " " << x;
  copy_bytes(result.data(), out.get(), 8, stream.get());
  synchronize(stream.get());
  EXPECT_TRUE(std::isnan(result[0])) << "cuFFT overwrites what it turns into reals";
}

TEST(StandIn, LinePassesDemandWhatKernelsDemand) {
  const Memory data = make_memory(128 * 32 * 16);
  const Stream stream = make_stream();
  lines::Pass pass;
  pass.n = 128;
  pass.in.part[0] = pass.out.part[0] = {data.get(), 32, 128 * 32};
  pass.outer_end = 1;
  pass.m_end = 32;
  EXPECT_THROW(lines::run(pass, stream.get()), Error) << "not prepared";
  lines::prepare(128, Precision::f64);
  lines::run(pass, stream.get());
  synchronize(stream.get());
  const auto refused = [&](lines::Pass p) { EXPECT_THROW(lines::run(p, stream.get()), Error); };
  lines::Pass wrong = pass;
  wrong.m_begin = 40;
  refused(wrong);
  wrong = pass;
  wrong.out.block = 4;
  refused(wrong);
  wrong = pass;
  wrong.outer_end = 0;
  refused(wrong);
  wrong = pass;
  wrong.in.part[0].base = static_cast<std::byte*>(data.get()) + 8;
  refused(wrong);
  pass.m_end = 48;
  lines::run(pass, stream.get());
  EXPECT_THROW(synchronize(stream.get()), Error) << "past the end of the memory";
}

}  // namespace
}  // namespace shardfft::test
