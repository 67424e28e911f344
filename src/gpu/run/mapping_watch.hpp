#pragma once
// Whether memory is still the one that it was: freed and mapped anew, the same addresses are other memory, of which a
// GPU that had pinned the old one knows nothing.
#include <cstddef>
#include <vector>

namespace shardfft::gpu {

/// Locks the first and the last page (mlock), which a new mapping is not. Costs two system calls a look. Where the
/// kernel cannot tell, or the pages are locked already, it always says that the memory is there.
class MappingWatch {
 public:
  MappingWatch(void* memory, std::size_t bytes);
  ~MappingWatch();
  MappingWatch(const MappingWatch&) = delete;
  MappingWatch& operator=(const MappingWatch&) = delete;
  bool there() const;

 private:
  std::vector<void*> pages_;  ///< locked here
};

}  // namespace shardfft::gpu
