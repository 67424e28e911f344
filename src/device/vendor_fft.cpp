#include "device/vendor_fft.hpp"

#include <utility>

namespace shardfft::device {

VendorFft::VendorFft(VendorFft&& other) noexcept { *this = std::move(other); }

VendorFft& VendorFft::operator=(VendorFft&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(made_, other.made_);
  std::swap(any_ends_, other.any_ends_);
  std::swap(spec_, other.spec_);
  std::swap(work_bytes_, other.work_bytes_);
  return *this;
}

}  // namespace shardfft::device
