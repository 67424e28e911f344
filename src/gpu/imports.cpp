#include "gpu/imports.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "cuda/handles.hpp"

namespace shardfft::gpu {

namespace {

struct Import {
  std::uint64_t id = 0;
  cuda::ImportedMemory memory;
};

/// Imports of this process by device and handle.
struct Table {
  std::mutex mutex;
  std::map<std::pair<int, cuda::IpcHandle>, std::weak_ptr<Import>> imports;
};

Table& table() {
  static Table table;
  return table;
}

}  // namespace

std::shared_ptr<void> open_import(const cuda::IpcHandle& handle, std::uint64_t id) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  std::erase_if(table().imports, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<Import>& known = table().imports[{cuda::current_device(), handle}];
  std::shared_ptr<Import> import = known.lock();
  if (!import || import->id != id) {
    if (import) import->memory = cuda::ImportedMemory();
    import = std::make_shared<Import>(Import{id, cuda::ImportedMemory(cuda::import_memory(handle))});
    known = import;
  }
  return {import, import->memory.get()};
}

}  // namespace shardfft::gpu
