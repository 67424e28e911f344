#pragma once
// Detects whether memory was freed and mapped anew: the same addresses are then other memory, and a GPU that pinned the
// old memory does not notice.
#include <cstddef>
#include <vector>

namespace shardfft::gpu {

/// Locks the first and the last page (mlock); a new mapping is not locked. A check costs two system calls. If the
/// kernel cannot tell, or the pages are locked already, there() is always true.
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
