#pragma once
// Keeps a process that was forked from this one from using anything that the two would share. Nothing else in the
// library watches forks.
#include <cstddef>
#include <cstdint>

namespace shardfft {

/// Forks that this process has begun, and those before it: at each one OpenMP's threads end, in both processes.
std::uint64_t forks_begun();

/// Work that each child does as it begins, because later is too late to ask the parent. To be made as the library is
/// loaded; never undone.
struct InEachChild {
  explicit InEachChild(void (*work)());
};

/// The process in which an object was made. Costs nothing to ask.
class HomeProcess {
 public:
  /// Whether this is a child, forked since.
  bool left() const { return forks_ != forks(); }

 private:
  /// Forks between this process and the one that loaded the library.
  static std::uint64_t forks();

  std::uint64_t forks_ = forks();
};

/// Mapped memory that several processes share, and that none of their children may write. If a file is mapped, a child
/// finds its own copy there: it shares the file's pages until it writes them, and sees others' changes of the rest.
/// Otherwise it finds nothing there, and ends when it reads.
class KeptFromChildren {
 public:
  /// `descriptor`: of the file, which this keeps open by a number of its own, and which is mapped from `offset` on; -1:
  /// children find nothing.
  KeptFromChildren(std::byte* memory, std::size_t bytes, int descriptor, std::size_t offset = 0);
  ~KeptFromChildren();
  KeptFromChildren(const KeptFromChildren&) = delete;
  KeptFromChildren& operator=(const KeptFromChildren&) = delete;

 private:
  std::byte* memory_;
};

}  // namespace shardfft
