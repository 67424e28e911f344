#include "gpu/slab/slab_check.hpp"

#include <algorithm>
#include <bit>

#include "device/sums.hpp"
#include "verify/transform_check.hpp"

namespace shardfft::gpu {

namespace lines = device::lines;

void SlabCheck::add_spectrum(const std::byte* spectrum, const Box& box, std::size_t element_bytes,
                             device::StreamHandle stream) const {
  device::add_bits(spectrum, box, element_bytes, device_ + spectrum_bits, stream);
}

void SlabCheck::reached(DeviceStepHook::Moment moment, std::byte* numbers, std::size_t bytes,
                        device::StreamHandle stream) const {
  if (DeviceStepHook* const hook = installed<DeviceStepHook>()) hook->reached(step_, moment, numbers, bytes, stream);
}

std::uint64_t SlabCheck::planes_bits() const {
  const lines::PassResult result = forward_ ? lines::bits_written : lines::bits_read;
  return told(Lines::planes, result) + told(Lines::y, result);
}

std::uint64_t SlabCheck::rows_bits() const { return told(Lines::x, forward_ ? lines::bits_read : lines::bits_written); }

/// The x lines at their other end.
std::uint64_t SlabCheck::at_spectrum() const {
  return told(Lines::x, forward_ ? lines::bits_written : lines::bits_read);
}

std::uint64_t SlabCheck::input_bits() const {
  if (forward_) return told(Lines::planes, lines::bits_read);
  return copied_ ? bits(spectrum_bits) : at_spectrum();
}

std::uint64_t SlabCheck::output_bits() const {
  if (!forward_) return told(Lines::planes, lines::bits_written);
  return copied_ ? bits(spectrum_bits) : at_spectrum();
}

StepBits SlabCheck::after(const std::byte* out) {
  const std::uint64_t sent = forward_ ? planes_bits() : rows_bits(), received = forward_ ? rows_bits() : planes_bits();
  std::fill(told_.begin(), told_.end(), static_cast<std::uint32_t>(sent - received));
  return DeviceCheck::after(out);
}

Finding SlabCheck::finding() const {
  Finding all;
  const auto compare = [&all](std::uint64_t a, std::uint64_t b, const char* otherwise) {
    all.add({1, 0, a == b ? "" : otherwise});
  };
  // y lines that come behind a plane pass, or before it, read what its rows wrote, or wrote what they read.
  const auto of_y =
      static_cast<std::uint32_t>(forward_ ? told(Lines::y, lines::bits_read) : 0 - told(Lines::y, lines::bits_written));
  compare(told(Lines::planes, lines::bits_between), of_y, "what is read between two axes is not what was written");
  if (copied_) compare(bits(spectrum_bits), at_spectrum(), "a copy of the spectrum is not what was copied");
  for (const Lines kind : {Lines::planes, Lines::y, Lines::x})
    all.add(transform_finding(static_cast<std::int64_t>(host_[first(kind) + lines::sums_compared]),
                              std::bit_cast<double>(host_[first(kind) + lines::largest_square])));
  return all;
}

}  // namespace shardfft::gpu
