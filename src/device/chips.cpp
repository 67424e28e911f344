#include "device/chips.hpp"

#include <filesystem>
#include <system_error>

#include "base/text.hpp"

namespace shardfft::device {

namespace {

namespace fs = std::filesystem;

/// A file of one hexadecimal number; 0 if it cannot be read.
unsigned number_in(const fs::path& file) {
  unsigned number = 0;
  TextOfFile(file) >> std::hex >> number;
  return number;
}

/// The upper half of a device's number is the family of its chip.
std::optional<int> architecture_of(unsigned device) {
  switch (device >> 8) {
    case 0x20:  // GA100
      return 80;
    case 0x22:  // GA102
    case 0x24:  // GA103, GA104
    case 0x25:  // GA106, GA107
      return 86;
    case 0x26:  // AD102
    case 0x27:  // AD103, AD104
    case 0x28:  // AD106, AD107
      return 89;
    case 0x23:  // GH100
      return 90;
    case 0x29:  // GB100, GB102
      return 100;
    case 0x2b:  // GB202
    case 0x2c:  // GB203
    case 0x2d:  // GB206, GB207
    case 0x2f:  // GB205
      return 120;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Chips> chips_on_bus(const std::string& folder) {
  constexpr unsigned nvidia = 0x10de, display = 0x03;
  Chips chips;
  std::error_code failed;
  for (const fs::directory_entry& device : fs::directory_iterator(folder, failed)) {
    if (number_in(device.path() / "vendor") != nvidia || number_in(device.path() / "class") >> 16 != display) continue;
    const auto architecture = architecture_of(number_in(device.path() / "device"));
    if (!architecture || (chips.count > 0 && chips.architecture != architecture)) return std::nullopt;
    chips = {chips.count + 1, *architecture};
  }
  return chips.count > 0 ? std::optional(chips) : std::nullopt;
}

}  // namespace shardfft::device
