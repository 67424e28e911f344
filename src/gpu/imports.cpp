#include "gpu/imports.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "shardfft/error.hpp"

namespace shardfft::gpu {

namespace {

struct Entry {
  int device = 0;
  Exported allocation;
  bool reopened = false;
  std::weak_ptr<Import> import;

  bool is(int on_device, const Exported& wanted) const {
    return device == on_device && allocation.handle == wanted.handle && allocation.id == wanted.id &&
           allocation.owner == wanted.owner;
  }
};

/// What this process has open.
struct Table {
  std::mutex mutex;
  std::vector<Entry> entries;

  void forget_closed() {
    std::erase_if(entries, [](const Entry& entry) {
      const auto import = entry.import.lock();
      return !import || !import->open();
    });
  }
  void make_room(std::int64_t owner) {
    for (const Entry& entry : entries)
      if (const auto import = entry.import.lock(); import && entry.reopened && entry.allocation.owner == owner)
        import->close();
    forget_closed();
  }
};

Table& table() {
  static Table table;
  return table;
}

}  // namespace

std::shared_ptr<Import> open_import(const Exported& allocation, bool reopened) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  const int device = device::current_device();
  table().forget_closed();
  for (Entry& entry : table().entries) {
    if (!entry.is(device, allocation)) continue;
    entry.reopened = entry.reopened && reopened;
    return entry.import.lock();
  }
  std::shared_ptr<Import> import;
  try {
    import = std::make_shared<Import>(allocation.handle);
  } catch (const Error&) {
    table().make_room(allocation.owner);
    import = std::make_shared<Import>(allocation.handle);
  }
  table().entries.push_back({device, allocation, reopened, import});
  return import;
}

}  // namespace shardfft::gpu
