// Box copies along axes beyond 2^31. Only where the environment has SHARDFFT_TEST_LARGE, and the device the memory.
#include <gtest/gtest.h>

#include <cstdlib>

#include "device/copy_box.hpp"
#include "device/handles.hpp"
#include "support/seed.hpp"

namespace shardfft::test {
namespace {

constexpr std::int64_t length = (std::int64_t{1} << 31) + 77, all = 2 * length;

/// Two rows, one behind the other, or element by element.
Box rows(std::int64_t row_stride, std::int64_t stride) {
  Box box;
  box.axes = 2;
  box.count = {2, length};
  box.stride = {row_stride, stride};
  return box;
}

/// Sets a few elements, copies, and looks for them where they should be: near the ends, at the limits of 32 bits, and
/// anywhere.
void check(const Box& from, const Box& to) {
  const device::Stream stream = device::make_stream();
  const device::Memory source = device::make_memory(all), target = device::make_memory(all);
  const auto at = [](const device::Memory& memory, const Box& box, std::int64_t row, std::int64_t i) {
    return static_cast<std::byte*>(memory.get()) + row * box.stride[0] + i * box.stride[1];
  };
  Random random(5);
  std::vector<std::int64_t> places{0, 1, 63, 64, length - 1, length - 2, length / 2, length - 64};
  for (const int bits : {24, 29, 30, 31})
    for (const std::int64_t near : {-1, 0, 1}) places.push_back((std::int64_t{1} << bits) + near);
  for (int i = 0; i < 200; ++i) places.push_back(random.integer(0, length - 1));
  device::fill_zero(source.get(), all, stream.get());
  device::fill_zero(target.get(), all, stream.get());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::byte mark{static_cast<unsigned char>(1 + k % 255)};
    device::copy_bytes(at(source, from, static_cast<std::int64_t>(k % 2), places[k]), &mark, 1, stream.get());
    device::synchronize(stream.get());
  }
  device::copy_box(static_cast<const std::byte*>(source.get()), from, static_cast<std::byte*>(target.get()), to, 1,
                   stream.get());
  for (const std::int64_t place : places)
    for (const std::int64_t row : {0, 1}) {
      std::byte sent{}, got{};
      device::copy_bytes(&sent, at(source, from, row, place), 1, stream.get());
      device::copy_bytes(&got, at(target, to, row, place), 1, stream.get());
      device::synchronize(stream.get());
      ASSERT_EQ(got, sent) << "row " << row << ", element " << place;
    }
}

TEST(LargeCopies, RowsAndElementsByTurns) {
  if (std::getenv("SHARDFFT_TEST_LARGE") == nullptr) GTEST_SKIP() << "SHARDFFT_TEST_LARGE is not set";
  if (device::memory_info().free < std::size_t{2 * all}) GTEST_SKIP() << "the device has not " << 2 * all << " bytes";
  check(rows(length, 1), rows(1, 2));
  check(rows(1, 2), rows(length, 1));
  check(rows(length, 1), rows(length, 1));
}

}  // namespace
}  // namespace shardfft::test
