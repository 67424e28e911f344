#include "device/standin/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/check.hpp"

namespace shardfft::device::standin {
namespace {

std::uint64_t identity_of(int descriptor) {
  struct stat facts {};
  return fstat(descriptor, &facts) == 0 ? static_cast<std::uint64_t>(facts.st_ino) : 0;
}

}  // namespace

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
  if (address.process == getpid()) fail(Status::backend_failure, "a handle cannot be opened in its own process");
  return address;
}

SharedFile::SharedFile(std::size_t bytes) : descriptor_(memfd_create("shardfft-standin", MFD_CLOEXEC)), bytes_(bytes) {
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) {
    const int why = errno;
    if (descriptor_ >= 0) close(descriptor_);
    fail(Status::out_of_memory, "no shared memory for the stand-in: ", std::strerror(why));
  }
}

SharedFile::SharedFile(const FileAddress& address) : bytes_(address.bytes) {
  const std::string path = "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.descriptor);
  descriptor_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0) fail(Status::backend_failure, "cannot open ", path, ": ", std::strerror(errno));
  if (identity_of(descriptor_) != address.identity) {
    close(descriptor_);
    fail(Status::backend_failure, "the memory or event behind a handle is gone");
  }
}

SharedFile::~SharedFile() { close(descriptor_); }

void* SharedFile::map(void* wanted) const {
  void* memory =
      mmap(wanted, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | (wanted != nullptr ? MAP_FIXED : 0), descriptor_, 0);
  if (memory == MAP_FAILED) fail(Status::out_of_memory, "cannot map ", bytes_, " bytes: ", std::strerror(errno));
  return memory;
}

FileAddress SharedFile::address(std::uint64_t what) const {
  return {what, getpid(), descriptor_, identity_of(descriptor_), bytes_, 0};
}

}  // namespace shardfft::device::standin
