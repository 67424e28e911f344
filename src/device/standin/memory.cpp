#include "device/standin/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "base/page_size.hpp"
#include "device/standin/settings.hpp"

namespace shardfft::device::standin {
namespace {

constexpr int fresh_pattern = 0xff;  // not a number in either precision
constexpr int freed_pattern = 0xf7;  // nor is this

std::byte* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail(Status::out_of_memory, "no addresses left for ", bytes, " bytes");
  return static_cast<std::byte*>(memory);
}

const char* name_of(MemoryKind kind) {
  static const char* const names[] = {"pageable", "pinned", "managed", "device"};
  return names[static_cast<int>(kind)];
}

}  // namespace

MemoryTable& MemoryTable::instance() {
  static MemoryTable& table = *new MemoryTable;  // never destroyed: handles may live in other statics
  return table;
}

/// Maps a block's file, with an unusable page behind it so that no two blocks touch.
void* MemoryTable::map(Block block) {
  block.id = ++last_id_;
  block.reserved = round_up(block.bytes, page_size()) + page_size();
  std::byte* base = reserve(block.reserved);
  block.file->map(base);
  blocks_.emplace(base, std::move(block));
  return base;
}

/// Takes the place of the block freed last, like runtimes.
std::uint64_t MemoryTable::take_place(int device, std::size_t bytes) {
  std::vector<std::uint64_t>& free = free_places_[{device, bytes}];
  if (free.empty()) return ++last_place_;
  const std::uint64_t place = free.back();
  free.pop_back();
  return place;
}

void* MemoryTable::allocate(std::size_t bytes, MemoryKind kind, int device, Sharing sharing) {
  bytes = bytes == 0 ? 1 : bytes;
  const std::lock_guard<std::mutex> lock(mutex_);
  Use& use = used_[{kind, device}];
  if (kind == MemoryKind::device && use.now + bytes > device_bytes())
    fail(Status::out_of_memory, "stand-in device ", device, " has no ", bytes, " bytes left");
  Block block{bytes, 0, kind, device};
  block.file = std::make_shared<SharedFile>(bytes);
  block.sharing = sharing;
  if (sharing == Sharing::ipc) block.place = take_place(device, bytes);
  void* memory = map(std::move(block));
  use.now += bytes;
  use.most = std::max(use.most, use.now);
  std::memset(memory, fresh_pattern, bytes);
  return memory;
}

/// The addresses stay reserved; their memory is returned to the system.
void MemoryTable::retire(std::byte* base, Block& block) {
  mmap(base, block.reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  block.freed = true;
  block.file.reset();
}

void MemoryTable::release(void* base, MemoryKind kind) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(static_cast<std::byte*>(base));
  if (found == blocks_.end()) return;
  Block& block = found->second;
  if (block.freed || block.kind != kind || block.opened > 0 || !block.file) return;
  used_[{kind, block.device}].now -= block.bytes;
  std::memset(base, freed_pattern, block.bytes);  // seen by processes that have it open
  if (block.place > 0) free_places_[{block.device, block.bytes}].push_back(block.place);
  if (block.sharing == Sharing::descriptors && block.file->open_elsewhere()) ++released_while_open_;
  retire(found->first, block);
}

void MemoryTable::register_host(void* memory, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (memory == nullptr || bytes == 0 || find(memory) != nullptr ||
      find(static_cast<std::byte*>(memory) + bytes - 1) != nullptr)
    fail(Status::backend_failure, "memory cannot be registered: it is known already, or nothing");
  blocks_.emplace(static_cast<std::byte*>(memory), Block{bytes, bytes, MemoryKind::pinned});
  ++registrations_;
}

int MemoryTable::released_while_open() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return released_while_open_;
}

std::int64_t MemoryTable::registrations() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return registrations_;
}

void MemoryTable::unregister_host(void* memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(static_cast<std::byte*>(memory));
  if (found != blocks_.end() && found->second.kind == MemoryKind::pinned && !found->second.file) blocks_.erase(found);
}

PointerInfo MemoryTable::describe(const void* pointer) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto* found = find(pointer);
  if (found == nullptr || found->second.freed) return {};
  return {found->second.kind, found->second.device};
}

Allocation MemoryTable::allocation_of(const void* pointer) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto* found = find(pointer);
  if (found == nullptr || found->second.freed || found->second.kind != MemoryKind::device) return {};
  const Block& block = found->second;
  return {found->first, block.bytes, block.opened == 0 ? std::optional(block.sharing) : std::nullopt, block.id};
}

MemoryTable::Use MemoryTable::use_of(MemoryKind kind, int device) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = used_.find({kind, device});
  return found == used_.end() ? Use{} : found->second;
}

void MemoryTable::forget_peaks() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [where, use] : used_) use.most = use.now;
}

IpcHandle MemoryTable::export_memory(void* base) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(static_cast<std::byte*>(base));
  if (found == blocks_.end() || found->second.freed || found->second.kind != MemoryKind::device ||
      found->second.opened > 0)
    fail(Status::backend_failure, "only a whole allocation of device memory of this process can be exported");
  FileAddress address = found->second.file->address(memory_handle, found->second.sharing);
  address.place = found->second.place;
  return to_handle(address);
}

void* MemoryTable::import_memory(const IpcHandle& handle, int device) {
  const FileAddress address = from_handle(handle, memory_handle);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::byte* base : opened_) {  // as CUDA: resource already mapped
    const Block& block = blocks_.at(base);
    if (address.lent()) break;  // new descriptors of one allocation are as good as the first
    if (block.proof == address.ticket.proof) fail(Status::backend_failure, "an allocation is opened a second time");
    if (block.proof.owner == address.ticket.proof.owner && block.place == address.place)
      fail(Status::backend_failure, "an allocation is opened while the one before at its place is still open");
  }
  Block block{address.ticket.bytes, 0, MemoryKind::device, device};
  block.opened = 1;
  block.proof = address.ticket.proof;
  block.place = address.place;
  block.file = std::make_shared<SharedFile>(address);
  void* memory = map(std::move(block));
  opened_.insert(static_cast<std::byte*>(memory));
  return memory;
}

void MemoryTable::close_memory(void* base) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(static_cast<std::byte*>(base));
  if (found == blocks_.end() || found->second.opened == 0 || --found->second.opened > 0) return;
  opened_.erase(found->first);
  retire(found->first, found->second);
}

void MemoryTable::enable_peer(int device, int peer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  peers_.insert({device, peer});
}

const std::pair<std::byte* const, MemoryTable::Block>* MemoryTable::find(const void* pointer) const {
  auto next = blocks_.upper_bound(static_cast<std::byte*>(const_cast<void*>(pointer)));
  if (next == blocks_.begin()) return nullptr;
  --next;
  const bool inside = static_cast<const std::byte*>(pointer) < next->first + next->second.reserved;
  return inside ? &*next : nullptr;
}

const std::pair<std::byte* const, MemoryTable::Block>* MemoryTable::checked(const Access& access) const {
  const auto* found = find(access.first);
  if (found == nullptr) return nullptr;
  const auto& [base, block] = *found;
  if (block.freed) fail(Status::backend_failure, "use of freed ", name_of(block.kind), " memory", how_to_repeat());
  const auto skipped = static_cast<std::size_t>(static_cast<const std::byte*>(access.first) - base);
  if (skipped > block.bytes || access.bytes > block.bytes - skipped)
    fail(Status::backend_failure, "access to bytes ", skipped, " to ", skipped + access.bytes, " of ", block.bytes,
         " bytes of ", name_of(block.kind), " memory", how_to_repeat());
  return found;
}

void MemoryTable::check_kernel(const Access& access, int device) const {
  if (access.bytes == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto* found = checked(access);
  if (found == nullptr) fail(Status::backend_failure, "a kernel cannot use pageable host memory", how_to_repeat());
  const Block& block = found->second;
  if (block.kind == MemoryKind::device && block.opened == 0 && block.device != device &&
      !peers_.contains({device, block.device}))
    fail(Status::backend_failure, "kernels of device ", device, " may not use memory of device ", block.device,
         how_to_repeat());
}

void MemoryTable::check_copy(const Access& access) const {
  if (access.bytes == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  checked(access);
}

}  // namespace shardfft::device::standin
