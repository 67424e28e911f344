#include "device/standin/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.hpp"

namespace shardfft::device::standin {

IpcHandle to_handle(const FileAddress& address) {
  static_assert(sizeof address <= sizeof(IpcHandle));
  IpcHandle handle{};
  std::memcpy(handle.data(), &address, sizeof address);
  return handle;
}

FileAddress from_handle(const IpcHandle& handle, std::uint64_t what) {
  FileAddress address;
  std::memcpy(&address, handle.data(), sizeof address);
  if (address.what != what) fail(Status::backend_failure, "not a handle of the right kind");
  if (address.ticket.proof.owner == process_word())
    fail(Status::backend_failure, "a handle cannot be opened in its own process");
  return address;
}

namespace {
/// Locks belong to processes, and end with them.
flock whole_file(short kind) {
  flock lock{};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  return lock;
}
}  // namespace

SharedFile::SharedFile(std::size_t bytes) : descriptor_(make_file("shardfft-standin")) {
  try {
    ticket_ = offer_file(descriptor_, bytes, {random_word(), process_word()});
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

SharedFile::SharedFile(const FileAddress& address) : ticket_(address.ticket) {
  if (address.lent()) {
    descriptor_ = borrow_descriptor({static_cast<std::uint64_t>(ticket_.process), ticket_.proof});
    flock of_process = whole_file(F_RDLCK);
    fcntl(descriptor_, F_SETLK, &of_process);
    return;
  }
  OfferedFile file(address.ticket, false);
  if (file.found() != Found::itself)
    fail(Status::backend_failure, "the memory or event behind a handle is gone: ", file.text());
  descriptor_ = file.take();
}

SharedFile::~SharedFile() { close(descriptor_); }

void* SharedFile::map(void* wanted) const {
  // All pages are written at once; a fault for each would cost more than the page.
  const int flags = MAP_SHARED | MAP_POPULATE | (wanted != nullptr ? MAP_FIXED : 0);
  void* memory = mmap(wanted, ticket_.bytes, PROT_READ | PROT_WRITE, flags, descriptor_, 0);
  if (memory == MAP_FAILED) fail(Status::out_of_memory, "cannot map ", ticket_.bytes, " bytes: ", std::strerror(errno));
  return memory;
}

bool SharedFile::open_elsewhere() const {
  flock other = whole_file(F_WRLCK);
  return fcntl(descriptor_, F_GETLK, &other) == 0 && other.l_type != F_UNLCK;
}

FileAddress SharedFile::address(std::uint64_t what, Sharing sharing) {
  if (sharing == Sharing::ipc) return {what, ticket_, 0};
  if (!lent_) lent_ = std::make_unique<LentDescriptor>(fcntl(descriptor_, F_DUPFD_CLOEXEC, 0));
  const LentTicket lent = lent_->ticket();
  return {what, {static_cast<std::int64_t>(lent.lender), FileAddress::lent_descriptor, ticket_.bytes, lent.proof}, 0};
}

}  // namespace shardfft::device::standin
