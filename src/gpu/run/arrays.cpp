#include "gpu/run/arrays.hpp"

#include <cstdint>

#include "base/check.hpp"
#include "device/facts.hpp"
#include "shardfft/option_table.hpp"

namespace shardfft::gpu {

namespace {

const char* kind_text(device::MemoryKind kind) {
  switch (kind) {
    case device::MemoryKind::pageable:
      return "plain host memory";
    case device::MemoryKind::pinned:
      return "pinned host memory";
    case device::MemoryKind::managed:
      return "managed memory";
    case device::MemoryKind::device:
      break;
  }
  return "device memory";
}

bool on_host(device::MemoryKind kind) {
  return kind == device::MemoryKind::pageable || kind == device::MemoryKind::pinned;
}

bool fits(MemoryModel model, device::MemoryKind kind) {
  switch (model) {
    case MemoryModel::host:
    case MemoryModel::registered:
      return on_host(kind);
    case MemoryModel::managed:
      return kind == device::MemoryKind::managed;
    case MemoryModel::device:
      return kind == device::MemoryKind::device;
    case MemoryModel::automatic:
      break;
  }
  return true;
}

bool aligned(const void* array) { return reinterpret_cast<std::uintptr_t>(array) % device::unit_bytes == 0; }

}  // namespace

void UserArrays::check(const void* array, std::size_t bytes, std::size_t room, const char* which, device::Memory& stage,
                       Checked& checked) {
  if (bytes < room) reserve(stage);
  if (bytes == 0) return;
  const device::PointerInfo info = device::describe(array);
  checked = {array, info.kind};
  require(fits(model_, info.kind), "the ", which, " lies in ", kind_text(info.kind),
          ", but the plan was made with memory=", to_text(model_));
  require(info.kind != device::MemoryKind::device || info.device == member_.device, "the ", which, " lies on GPU ",
          info.device, ", but rank ", member_.rank, " runs on GPU ", member_.device);
  if (on_host(info.kind) || !aligned(array)) reserve(stage);
}

/// After memory is unmapped, the runtime still treats it as pinned, and would copy to and from its old pages.
void UserArrays::forget_others(const std::byte* array, std::size_t bytes, device::StreamHandle stream) {
  for (auto known = pinned_.begin(); known != pinned_.end();) {
    const PinnedArray& pinned = known->second;
    const bool too_small = known->first == array && pinned.bytes() < bytes;
    if (!too_small && (!pinned.overlaps(array, bytes) || pinned.there())) {
      ++known;
      continue;
    }
    device::synchronize(stream);  // copies of earlier calls
    known = pinned_.erase(known);
  }
}

/// Memory may be another one at the next call.
device::MemoryKind UserArrays::kind_of(const void* array, Checked& checked) {
  const Checked last = std::exchange(checked, {});
  return last.array == array ? last.kind : device::describe(array).kind;
}

void UserArrays::meet(const std::byte* array, std::size_t bytes, device::MemoryKind kind, device::StreamHandle stream) {
  if (kind == device::MemoryKind::managed) device::prefetch(const_cast<std::byte*>(array), bytes, stream);
  if (model_ == MemoryModel::registered) {
    forget_others(array, bytes, stream);
    if (pinned_.contains(array) || device::describe(array).kind == device::MemoryKind::pinned) return;
    try {
      pinned_.try_emplace(array, const_cast<std::byte*>(array), bytes);
      return;
    } catch (const Error&) {
      waits_ = true;  // some of its pages are pinned already, or the system's limit is reached
    }
  }
  waits_ = waits_ || kind == device::MemoryKind::pageable;
}

void UserArrays::reserve(device::Memory& stage) const {
  if (!stage) stage = device::make_memory(device::in_whole_pages(largest_), member_.sharing);
}

std::byte* UserArrays::stage(device::Memory& memory) {
  reserve(memory);
  copies_ = true;
  return static_cast<std::byte*>(memory.get());
}

const std::byte* UserArrays::input(const std::byte* array, std::size_t bytes, bool copy, device::StreamHandle stream) {
  if (bytes == 0) return nullptr;
  const device::MemoryKind kind = kind_of(array, input_);
  meet(array, bytes, kind, stream);
  if (!copy && !on_host(kind) && aligned(array)) return array;
  std::byte* const staged = stage(input_stage_);
  device::copy_bytes(staged, array, bytes, stream);
  return staged;
}

void UserArrays::copy_input(std::byte* to, const std::byte* array, std::size_t bytes, device::StreamHandle stream) {
  if (bytes == 0 || array == to) return;
  meet(array, bytes, kind_of(array, input_), stream);
  copies_ = true;
  device::copy_bytes(to, array, bytes, stream);
}

bool UserArrays::has_room_beside() {
  try {
    reserve(output_stage_);
    return true;
  } catch (const Error& error) {
    if (error.code() != Status::out_of_memory) throw;
    return false;
  }
}

/// Whether other members should write into an array of the user's. They write fast if its allocation is whole pages.
bool UserArrays::is_lent(const std::byte* array, std::size_t room, bool fast) {
  const device::Allocation whole = device::allocation_of(array);
  if (whole.sharing != member_.sharing) return false;
  const bool is_small = room <= gpu_defaults().large_page_bytes;
  return !fast || is_small || device::in_whole_pages(whole.bytes) == whole.bytes || !has_room_beside();
}

UserArrays::Output UserArrays::output(std::byte* array, std::size_t bytes, std::size_t room, Use use,
                                      device::StreamHandle stream) {
  if (room == 0) return {};
  bool is_here = false;
  if (bytes > 0) {
    const device::MemoryKind kind = kind_of(array, output_);
    meet(array, bytes, kind, stream);
    is_here = bytes >= room && !on_host(kind) && aligned(array);
    if (is_here && (!use.shared || is_lent(array, room, use.fast))) return {array, array};
  }
  if (!is_here || !use.apart) {
    std::byte* const staged = stage(output_stage_);
    return {staged, staged};
  }
  reserve(output_stage_);
  return {static_cast<std::byte*>(output_stage_.get()), array};
}

void UserArrays::deliver(std::byte* array, const std::byte* result, std::size_t bytes, device::StreamHandle stream) {
  if (bytes > 0 && array != result) device::copy_bytes(array, result, bytes, stream);
}

}  // namespace shardfft::gpu
