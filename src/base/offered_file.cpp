#include "base/offered_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/aligned.hpp"
#include "base/available_memory.hpp"
#include "base/page_size.hpp"

namespace shardfft {

namespace {

/// The first characters of links to files in memory.
constexpr const char* names = "/memfd:shardfft";

[[noreturn]] void fail_for(const char* what, int error, const Room& limit) {
  fail(Status::out_of_memory, what, ": ", std::strerror(error), limit.limit.empty() ? "" : "; ", limit.limit);
}

std::int64_t proof_place(std::size_t bytes) { return static_cast<std::int64_t>(round_up(bytes, page_size())); }

}  // namespace

int make_file(const char* name) {
  const int descriptor = memfd_create(name, MFD_CLOEXEC);
  if (descriptor >= 0) return descriptor;
  const int error = errno;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  fail_for("no file in memory can be made", error,
           {0, "the limit on open files (RLIMIT_NOFILE, ulimit -n) is " + std::to_string(limit.rlim_cur)});
}

std::string FileTicket::path() const {
  return "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
}

FileTicket offer_file(int descriptor, std::size_t bytes, const Proof& proof) {
  const std::int64_t place = proof_place(bytes);
  const Room room = file_room();
  if (static_cast<std::size_t>(place) + sizeof proof > room.bytes)
    fail(Status::out_of_memory, "a file in memory of ", in_mebibytes(static_cast<double>(bytes)),
         " is too large: ", room.limit);
  if (ftruncate(descriptor, place + static_cast<std::int64_t>(sizeof proof)) != 0)
    fail_for("a file in memory cannot grow", errno, memory_room());
  if (pwrite(descriptor, &proof, sizeof proof, place) != static_cast<ssize_t>(sizeof proof))
    fail_for("a file in memory cannot be written", errno, memory_room());
  return {getpid(), descriptor, bytes, proof};
}

/// The name may lead to a file of another program, which opening could disturb. Therefore only files with names of ours
/// are opened.
OfferedFile::OfferedFile(const FileTicket& ticket, bool own) : path_(ticket.path()) {
  if (ticket.process < 0) return;
  if (own) {
    descriptor_ = fcntl(static_cast<int>(ticket.descriptor), F_DUPFD_CLOEXEC, 0);
    error_ = errno;
    found_ = descriptor_ < 0 ? Found::nothing : Found::itself;
    return;
  }
  std::array<char, 64> target{};
  if (readlink(path_.c_str(), target.data(), target.size() - 1) < 0) {
    error_ = errno;
    return;
  }
  found_ = Found::other;
  if (std::string_view(target.data()).rfind(names, 0) != 0) return;
  descriptor_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0) {
    error_ = errno;
    found_ = Found::nothing;
    return;
  }
  Proof proof;
  const bool there = pread(descriptor_, &proof, sizeof proof, proof_place(ticket.bytes)) == ssize_t{sizeof proof};
  if (there && proof == ticket.proof)
    found_ = Found::itself;
  else
    ::close(std::exchange(descriptor_, -1));
}

OfferedFile::~OfferedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string OfferedFile::text() const {
  if (found_ == Found::nothing) return path_ + " cannot be opened: " + std::strerror(error_);
  return path_ + " is another file: process numbers mean different processes here and there, as in containers";
}

}  // namespace shardfft
