// device/runtime.hpp without a GPU: copies.
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/hooks.hpp"
#include "device/runtime.hpp"
#include "device/standin/memory.hpp"
#include "device/standin/scheduler.hpp"

namespace shardfft::device {
namespace {

using standin::Access;
using standin::MemoryTable;
using standin::Scheduler;

bool pageable(const void* memory) { return describe(memory).kind == MemoryKind::pageable; }

/// The bytes from the first to the last one of a side.
Access extent(const CopySide& side, const BoxCopy& copy) {
  return {side.base, (copy.slices - 1) * side.slice + (copy.rows - 1) * side.pitch + copy.bytes};
}

void check_side(const CopySide& side, const BoxCopy& copy) {
  if (side.pitch < copy.bytes)
    fail(Status::backend_failure, "rows of ", copy.bytes, " bytes cannot lie ", side.pitch, " bytes apart");
  if (copy.slices > 1 && (side.slice % side.pitch != 0 || side.slice / side.pitch < copy.rows))
    fail(Status::backend_failure, "slices of ", copy.rows, " rows cannot lie ", side.slice, " bytes apart");
}

void copy_rows(const BoxCopy& copy) {
  if (CopyHook* const hook = installed<CopyHook>()) hook->copied(copy.to.base, copy.from.base);
  for (std::size_t s = 0; s < copy.slices; ++s)
    for (std::size_t r = 0; r < copy.rows; ++r)
      std::memcpy(static_cast<std::byte*>(copy.to.base) + s * copy.to.slice + r * copy.to.pitch,
                  static_cast<const std::byte*>(copy.from.base) + s * copy.from.slice + r * copy.from.pitch,
                  copy.bytes);
}

/// A copy with pageable memory on either side is done when the call returns, and cannot be captured.
void enqueue_copy(const Access& to, const Access& from, StreamHandle stream, std::function<void()> work) {
  const int device = current_device();
  const bool now = pageable(to.first) || pageable(from.first);
  if (now && Scheduler::instance().captured(stream, device))
    fail(Status::backend_failure, "copies of pageable memory cannot be captured");
  Scheduler::instance().enqueue(stream, device, "copy", [to, from, work = std::move(work)] {
    MemoryTable::instance().check_copy(to);
    MemoryTable::instance().check_copy(from);
    work();
  });
  if (now) synchronize(stream);
}

}  // namespace

void copy_box(const BoxCopy& copy, StreamHandle stream) {
  if (copy.bytes == 0 || copy.rows == 0 || copy.slices == 0) return;
  check_side(copy.to, copy);
  check_side(copy.from, copy);
  enqueue_copy(extent(copy.to, copy), extent(copy.from, copy), stream, [copy] { copy_rows(copy); });
}

void copy_bytes(void* to, const void* from, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  const auto work = [to, from, bytes] { std::memmove(to, from, bytes); };
  if (!pageable(from) || pageable(to)) {
    enqueue_copy({to, bytes}, {from, bytes}, stream, work);
    return;
  }
  // Bytes of pageable memory are read before the call returns; they may reach the device later.
  if (Scheduler::instance().captured(stream, current_device()))
    fail(Status::backend_failure, "copies of pageable memory cannot be captured");
  MemoryTable::instance().check_copy({from, bytes});
  const auto* first = static_cast<const std::byte*>(from);
  Scheduler::instance().enqueue(stream, current_device(), "copy",
                                [to, taken = std::vector<std::byte>(first, first + bytes)] {
                                  MemoryTable::instance().check_copy({to, taken.size()});
                                  std::memcpy(to, taken.data(), taken.size());
                                });
}

void signal(std::uint32_t* flag, StreamHandle stream) {
  if (Scheduler::instance().captured(stream, current_device())) return;  // since nobody waits then
  MemoryTable::instance().check_copy({flag, sizeof *flag});
  Scheduler::instance().enqueue(stream, current_device(), "signal", [flag] {
    std::atomic_ref(*flag).store(1, std::memory_order_release);  // pairs with the load of Scheduler::await
  });
}

void await_signal(const std::uint32_t* flag, StreamHandle stream) {
  MemoryTable::instance().check_copy({flag, sizeof *flag});
  Scheduler::instance().await(flag, stream, current_device());
}

void fill_zero(void* memory, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  Scheduler::instance().enqueue(stream, current_device(), "fill", [memory, bytes] {
    if (pageable(memory)) fail(Status::backend_failure, "pageable memory cannot be filled by a device");
    MemoryTable::instance().check_copy({memory, bytes});
    std::memset(memory, 0, bytes);
  });
}

}  // namespace shardfft::device
