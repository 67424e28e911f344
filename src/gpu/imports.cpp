#include "gpu/imports.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/succeeds.hpp"
#include "mpi/patience.hpp"

namespace shardfft::gpu {

void ImportUser::leave(bool work_is_done) {
  const std::lock_guard<std::mutex> lock(mutex_);
  finish_ = nullptr;
  if (!work_is_done) finish_ = [] { fail(Status::backend_failure, "the GPU work of a failed plan has not ended"); };
}

/// Runs on the device that opened the memory. If that device is gone, its memory is gone too, so a failure is ignored.
void Import::close() noexcept {
  succeeds([this] {
    const device::DeviceScope scope(device_);
    memory_ = device::ImportedMemory();
  });
}

void Import::add(const std::shared_ptr<ImportUser>& user) {
  if (!user) {
    fixed_ = true;
    return;
  }
  std::erase_if(users_, [&user](const auto& known) { return known.expired() || known.lock() == user; });
  users_.push_back(user);
}

bool Import::give_way() {
  if (fixed_) return true;
  std::vector<std::shared_ptr<ImportUser>> users;
  std::vector<std::unique_lock<std::mutex>> calls;
  for (const auto& known : users_) {
    if (const auto user = known.lock(); user) users.push_back(user);
  }
  for (const auto& user : users) {
    calls.emplace_back(user->mutex_, std::try_to_lock);
    if (!calls.back().owns_lock()) return false;
  }
  try {
    for (const auto& user : users)
      if (user->finish_) user->finish_();
  } catch (const std::exception&) {
    return true;
  }
  close();
  return true;
}

namespace {

struct Entry {
  int device = 0;
  Exported allocation;
  std::weak_ptr<Import> import;

  bool is(int on_device, const Exported& wanted) const {
    return device == on_device && allocation.handle == wanted.handle && allocation.id == wanted.id &&
           allocation.owner == wanted.owner;
  }
};

/// All imports that this process has open.
struct Table {
  std::mutex mutex;
  std::vector<Entry> entries;

  void forget_closed() {
    std::erase_if(entries, [](const Entry& entry) {
      const auto import = entry.import.lock();
      return !import || !import->open();
    });
  }
  std::shared_ptr<Import> find(int device, const Exported& allocation) {
    forget_closed();
    for (const Entry& entry : entries)
      if (entry.is(device, allocation)) return entry.import.lock();
    return nullptr;
  }
  /// Returns false if a user is in the middle of a call: a later attempt can close more.
  bool make_room(std::uint64_t owner) {
    bool all = true;
    for (const Entry& entry : entries)
      if (const auto import = entry.import.lock(); import && entry.allocation.owner == owner)
        all = import->give_way() && all;
    return all;
  }
};

Table& table() {
  static Table table;
  return table;
}

}  // namespace

std::shared_ptr<Import> open_import(const Exported& allocation, const std::shared_ptr<ImportUser>& user) {
  constexpr double seconds = 30;  // for calls of other threads, which may wait for this one
  const int device = device::current_device();
  const auto open = [&] {
    const auto import = std::make_shared<Import>(allocation.handle);
    import->add(user);
    table().entries.push_back({device, allocation, import});
    return import;
  };
  for (Patience patience;; patience.rest()) {
    const std::lock_guard<std::mutex> lock(table().mutex);
    if (const auto import = table().find(device, allocation); import) {
      import->add(user);
      return import;
    }
    try {
      return open();
    } catch (const Error&) {
      if (!table().make_room(allocation.owner) && patience.waited() < seconds) continue;
    }
    return open();
  }
}

}  // namespace shardfft::gpu
