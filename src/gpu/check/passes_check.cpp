#include "gpu/check/passes_check.hpp"

#include <bit>

#include "verify/transform_check.hpp"

namespace shardfft::gpu {

namespace lines = device::lines;

void PassesCheck::ran(std::size_t pass, std::byte* to, device::StreamHandle stream) const {
  if (pass + 1 < passes_.size()) reached(DeviceStepHook::Moment::in_middle, to, passes_[pass].out_bytes, stream);
}

std::uint64_t PassesCheck::read(std::size_t pass) const {
  return passes_[pass].between_are == -1 ? static_cast<std::uint32_t>(0 - told(pass, lines::bits_between))
                                         : told(pass, lines::bits_read);
}

std::uint64_t PassesCheck::written(std::size_t pass) const {
  return told(pass, passes_[pass].between_are == 1 ? lines::bits_between : lines::bits_written);
}

/// If a pass leaves one axis of some lines to another pass, it reads (or writes) the other lines itself.
std::uint64_t PassesCheck::input_bits() const {
  std::uint64_t sum = read(0);
  for (std::size_t pass = 1; pass < passes_.size(); ++pass)
    if (passes_[pass].between_are == -1) sum += told(pass, lines::bits_read);
  return static_cast<std::uint32_t>(sum);
}

std::uint64_t PassesCheck::output_bits() const {
  std::uint64_t sum = written(passes_.size() - 1);
  for (std::size_t pass = 0; pass + 1 < passes_.size(); ++pass)
    if (passes_[pass].between_are == 1) sum += told(pass, lines::bits_written);
  return static_cast<std::uint32_t>(sum);
}

Finding PassesCheck::finding() const {
  Finding all;
  for (std::size_t pass = 0; pass < passes_.size(); ++pass) {
    if (pass > 0) {
      const bool same = read(pass) == written(pass - 1);
      all.add({1, 0, same ? "" : "one of its passes read other bits than the pass before wrote"});
    }
    if (passes_[pass].between_are == 0 && told(pass, lines::bits_between) != 0)
      all.add({1, 0, "a pass read other bits between its axes than it wrote"});
    const std::uint64_t* const found = host_ + first_result(pass);
    all.add(transform_finding(static_cast<std::int64_t>(found[lines::sums_compared]),
                              std::bit_cast<double>(found[lines::largest_square])));
  }
  return all;
}

}  // namespace shardfft::gpu
