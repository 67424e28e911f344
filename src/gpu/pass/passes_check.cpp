#include "gpu/pass/passes_check.hpp"

#include <algorithm>
#include <bit>

#include "base/hooks.hpp"
#include "gpu/pass/placed_passes.hpp"
#include "verify/transform_check.hpp"

namespace shardfft::gpu {

bool PassesCheck::gains(const std::vector<PlacedPass>& passes) {
  return !passes.empty() && std::all_of(passes.begin(), passes.end(), [](const PlacedPass& p) { return p.checks; });
}

PassesCheck::PassesCheck(const std::vector<PlacedPass>& passes) {
  for (const PlacedPass& placed : passes) {
    placed.pass->prepare_checks();
    passes_.push_back({placed.out_bytes, placed.pass->bits_between_are()});
  }
}

void PassesCheck::ran(std::size_t pass, std::byte* to, device::StreamHandle stream) const {
  DeviceStepHook* const hook = installed<DeviceStepHook>();
  if (hook != nullptr && pass + 1 < passes_.size())
    hook->reached(step_, DeviceStepHook::Moment::in_middle, to, passes_[pass].out_bytes, stream);
}

std::uint64_t PassesCheck::read(std::size_t pass) const {
  const std::size_t first = first_result(pass);
  if (passes_[pass].between_are == -1) return static_cast<std::uint32_t>(0 - bits(first + device::lines::bits_between));
  return bits(first + device::lines::bits_read);
}

std::uint64_t PassesCheck::written(std::size_t pass) const {
  const std::size_t first = first_result(pass);
  return bits(first + (passes_[pass].between_are == 1 ? device::lines::bits_between : device::lines::bits_written));
}

std::uint64_t PassesCheck::input_bits() const { return read(0); }
std::uint64_t PassesCheck::output_bits() const { return written(passes_.size() - 1); }

Finding PassesCheck::finding() const {
  Finding all;
  for (std::size_t pass = 0; pass < passes_.size(); ++pass) {
    const std::size_t first = first_result(pass);
    if (pass > 0) {
      const bool same = read(pass) == written(pass - 1);
      all.add({1, 0, same ? "" : "what its passes wrote and read is not the same"});
    }
    if (passes_[pass].between_are == 0 && bits(first + device::lines::bits_between) != 0)
      all.add({1, 0, "what a pass reads between its axes is not what it wrote"});
    all.add(transform_finding(static_cast<std::int64_t>(host_[first + device::lines::sums_compared]),
                              std::bit_cast<double>(host_[first + device::lines::largest_square])));
  }
  return all;
}

}  // namespace shardfft::gpu
