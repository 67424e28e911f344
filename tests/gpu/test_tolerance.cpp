// Short numbers on GPUs: the same bytes as on CPUs, and plans within their tolerance.
#include <cstring>
#include <limits>

#include "device/short_numbers.hpp"
#include "gpu/tolerance_kit.hpp"
#include "pack/shorten.hpp"

namespace shardfft::test {
namespace {

/// Numbers of all kinds in device memory become the bytes that CPUs write, and come back as the same numbers.
template <class Real>
void check_bytes(std::int64_t count, int bytes) {
  SCOPED_TRACE(std::to_string(count) + " numbers of " + std::to_string(sizeof(Real)) + ", " + std::to_string(bytes));
  const ShortNumbers format{sizeof(Real) == 8 ? Precision::f64 : Precision::f32, bytes};
  std::vector<Real> numbers(to_size(count));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<Real>(std::ldexp(noise(1, i, 0), static_cast<int>(i * 7 % 40) - 20));
  if (count > 40) {
    numbers[5] = std::numeric_limits<Real>::infinity();
    numbers[6] = -std::numeric_limits<Real>::infinity();
    numbers[30] = std::numeric_limits<Real>::max();
    numbers[40] = std::numeric_limits<Real>::quiet_NaN();
  }
  const auto whole = [&](auto& array) { return reinterpret_cast<std::byte*>(array.data()); };
  std::vector<std::byte> wanted(format.run_bytes(count)), got(wanted.size());
  std::vector<Real> wanted_back(numbers.size()), back(numbers.size());
  const std::vector<Box> boxes{Box::run(0, count)};
  const Loss wanted_loss = shorten_boxes(whole(numbers), boxes, wanted.data(), sizeof(Real), format);
  restore_boxes(wanted.data(), boxes, whole(wanted_back), sizeof(Real), format);

  const device::Stream stream = device::make_stream();
  const std::size_t number_bytes = numbers.size() * sizeof(Real);
  const device::Memory array = device::make_memory(number_bytes), run = device::make_memory(got.size()),
                       restored = device::make_memory(number_bytes), loss = device::make_memory(sizeof(Loss));
  const auto at = [](const device::Memory& memory) { return static_cast<std::byte*>(memory.get()); };
  device::fill_zero(loss.get(), sizeof(Loss), stream.get());
  device::copy_bytes(array.get(), numbers.data(), number_bytes, stream.get());
  device::shorten(at(array), count, format, at(run), static_cast<Loss*>(loss.get()), stream.get());
  device::restore(at(run), count, format, at(restored), stream.get());
  Loss told;
  device::copy_bytes(got.data(), run.get(), got.size(), stream.get());
  device::copy_bytes(back.data(), restored.get(), number_bytes, stream.get());
  device::copy_bytes(&told, loss.get(), sizeof(Loss), stream.get());
  device::synchronize(stream.get());
  EXPECT_EQ(got, wanted);
  for (std::size_t i = 0; i < back.size(); ++i)
    if (!std::isnan(wanted_back[i]))
      EXPECT_EQ(back[i], wanted_back[i]) << i;
    else
      EXPECT_TRUE(std::isnan(back[i])) << i;
  if (!std::isfinite(wanted_loss.sent)) return;
  EXPECT_NEAR(told.error, wanted_loss.error, 1e-9 * wanted_loss.error);
  EXPECT_NEAR(told.sent, wanted_loss.sent, 1e-9 * wanted_loss.sent);
}

TEST(DeviceShortNumbers, AreThoseOfCpus) {
  for (const std::int64_t count : {1, 15, 16, 17, 100, 255, 256, 257, 70000}) {
    for (int bytes = 1; bytes <= 6; ++bytes) check_bytes<double>(count, bytes);
    for (int bytes = 1; bytes <= 3; ++bytes) check_bytes<float>(count, bytes);
  }
}

void check_over_devices(const TransformCase& c, bool is_short) {
  SCOPED_TRACE(c.name());
  std::vector<int> devices;
  for (int r = 0; r < 3; ++r) devices.push_back(r % device::device_count());
  Plan plan = make_plan_over(devices, c);
  for (const Direction direction : {Direction::forward, Direction::backward, Direction::forward}) {
    const Distance distance = distance_of(members_of(plan), c, direction);
    check_told(plan.report(), c, direction, std::sqrt(distance.error / distance.norm));
    EXPECT_EQ(plan.report().forward.error > 0, is_short) << plan.report();
  }
  EXPECT_EQ(chosen_for_tolerance(plan.report()).find("bytes a number") != std::string::npos, is_short) << plan.report();
}

/// GPUs of one process.
TEST(DeviceTolerance, OverDevices) {
  for (const double tolerance : {1e-2, 1e-6, 1e-11}) {
    TransformCase c{{9, 8, 6}, "brick", "natural", Kind::r2c, Precision::f64, on_gpu("pencil")};
    c.options.exchange = "host_staged";
    c.options.tolerance = tolerance;
    check_over_devices(c, true);
  }
  TransformCase c{{20, 16, 12}, "slab", "left", Kind::c2c, Precision::f32, on_gpu("slab")};
  c.options.exchange = "host_staged";
  c.options.tolerance = 1e-3;
  check_over_devices(c, true);
  c.options.tolerance = 1e-7;
  check_over_devices(c, false);
  c.options.exchange = "auto";
  c.options.tolerance = 1e-3;
  Plan plan = make_plan_over({0, 0}, c);
  EXPECT_EQ(chosen_for_tolerance(plan.report()).find("bytes a number") == std::string::npos,
            plan.report().exchange == "cuda_peer")
      << plan.report();
}

}  // namespace
}  // namespace shardfft::test
