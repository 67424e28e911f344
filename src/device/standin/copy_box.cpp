// device/copy_box.hpp without a GPU.
#include "device/copy_box.hpp"

#include "base/check.hpp"
#include "device/standin/kernel.hpp"
#include "pack/pack.hpp"

namespace shardfft::device {
namespace {

/// The bytes from a box's first to its last element.
standin::Access extent(const std::byte* array, const Box& box, std::size_t element_bytes) {
  std::int64_t last = 0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(box.axes); ++a) last += (box.count[a] - 1) * box.stride[a];
  return {array + box.offset * static_cast<std::int64_t>(element_bytes),
          static_cast<std::size_t>(last + 1) * element_bytes};
}

}  // namespace

void copy_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
              std::size_t element_bytes, void* stream) {
  if (from.elements() != to.elements())
    fail(Status::internal, "copy between boxes of ", from.elements(), " and ", to.elements());
  if (from.elements() == 0) return;
  if (element_bytes > 16 || (element_bytes & (element_bytes - 1)) != 0)
    fail(Status::internal, "no GPU copy for elements of ", element_bytes, " bytes");
  for (const void* array : {static_cast<const void*>(source), static_cast<const void*>(destination)})
    if (reinterpret_cast<std::uintptr_t>(array) % element_bytes != 0)
      fail(Status::backend_failure, "a GPU copy needs arrays aligned to their elements");
  standin::enqueue_kernel(stream, "box copy",
                          {extent(source, from, element_bytes), extent(destination, to, element_bytes)},
                          [=] { shardfft::copy_box(source, from, destination, to, element_bytes); });
}

}  // namespace shardfft::device
