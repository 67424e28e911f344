#include "base/own_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/environment.hpp"
#include "base/file_signal.hpp"
#include "base/proof.hpp"
#include "base/say_once.hpp"
#include "base/text.hpp"
#include "shardfft/kernels.hpp"

namespace shardfft {

namespace {

std::string not_used(const std::string& path, const std::string& why) {
  return path + " is neither read nor written, because " + why;
}

void say_not_used(const std::string& path, const std::string& why) { say_once(not_used(path, why)); }

/// Why an open file is of another kind, or not this user's alone (`anybodys`: it need not be); empty if nothing is
/// wrong.
std::string flaw(int descriptor, mode_t kind, bool anybodys = false) {
  struct stat found {};
  Text why;
  if (fstat(descriptor, &found) != 0 || (found.st_mode & S_IFMT) != kind)
    why << "it is no " << (kind == S_IFDIR ? "folder" : "plain file");
  else if (!anybodys && found.st_uid != geteuid())
    why << "user " << found.st_uid << " owns it, and this process is user " << geteuid() << "'s";
  else if (!anybodys && (found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    why << "its group or others may write it (mode " << std::oct << (found.st_mode & 07777) << "; chmod go-w helps)";
  return why.str();
}

bool write_all(int descriptor, const std::string& content) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t written = ::write(descriptor, content.data() + done, content.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

int open_folder(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

int make_folder(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, ignored);
  mkdir(path.c_str(), 0700);
  return open_folder(path);
}

}  // namespace

std::string cache_directory() {
  if (const auto said = environment("SHARDFFT_CACHE")) return *said;
  if (const auto base = environment("XDG_CACHE_HOME"); base && !base->empty()) return *base + "/shardfft";
  if (const auto home = environment("HOME"); home && !home->empty()) return *home + "/.cache/shardfft";
  return {};
}

std::string why_nothing_is_kept() {
  const std::string path = cache_directory();
  if (path.empty()) return {};
  const int folder = make_folder(path);
  if (folder < 0) return not_used(path, std::string("it cannot be opened: ") + std::strerror(errno));
  const std::string why = flaw(folder, S_IFDIR);
  ::close(folder);
  return why.empty() ? why : not_used(path, why);
}

OwnFolder::OwnFolder(const std::string& path, bool anybodys)
    : path_(path),
      anybodys_(anybodys),
      descriptor_(judged(anybodys ? open_folder(path) : make_folder(path), path, true)) {}

OwnFolder::~OwnFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

/// Closes a file that has a flaw, and says so; -1 then.
int OwnFolder::judged(int descriptor, const std::string& path, bool folder) const {
  if (descriptor < 0) return -1;
  const std::string why = flaw(descriptor, folder ? S_IFDIR : S_IFREG, anybodys_);
  if (why.empty()) return descriptor;
  ::close(descriptor);
  say_not_used(path, why);
  return -1;
}

/// O_NONBLOCK: opening a pipe must not wait for its other end.
int OwnFolder::open_own(const std::string& name, int flags) const {
  if (!usable()) return -1;
  const std::string path = (std::filesystem::path(path_) / name).string();
  const int found = openat(descriptor_, name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (found < 0 && errno == ELOOP) say_not_used(path, "it is a link");
  return judged(found, path, false);
}

std::optional<std::string> OwnFolder::read(const std::string& name) const {
  const int file = open_own(name, O_RDONLY);
  if (file < 0) return std::nullopt;
  std::string all;
  std::array<char, 1 << 16> part;
  ssize_t got = 1;
  while (got != 0) {
    got = ::read(file, part.data(), part.size());
    if (got < 0 && errno != EINTR) break;
    if (got > 0) all.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(file);
  return got < 0 ? std::nullopt : std::optional<std::string>(std::move(all));
}

bool OwnFolder::write(const std::string& name, const std::string& content, const Content* before) const {
  if (!replaces(name)) return false;
  // Processes of containers, and of hosts that share the folder, have numbers in common.
  const std::string unfinished = name + '.' + std::to_string(random_word());
  const int file = open_own(unfinished, O_WRONLY | O_CREAT | O_EXCL);
  if (file < 0) return false;
  const NoFileSignal no_signal;
  const bool written = write_all(file, content);
  const bool closed = ::close(file) == 0;
  const bool wanted = written && closed && (before == nullptr || read(name) == *before);
  if (wanted && renameat(descriptor_, unfinished.c_str(), descriptor_, name.c_str()) == 0) return true;
  remove(unfinished);
  return false;
}

bool OwnFolder::replaces(const std::string& name) const {
  const int found = open_own(name, O_RDONLY);
  if (found >= 0) return ::close(found) == 0;
  struct stat any {};
  return usable() && fstatat(descriptor_, name.c_str(), &any, AT_SYMLINK_NOFOLLOW) != 0;
}

bool OwnFolder::takes_files() const {
  const std::string name = "try." + std::to_string(random_word());
  const int file = open_own(name, O_WRONLY | O_CREAT | O_EXCL);
  if (file < 0) return false;
  ::close(file);
  remove(name);
  return true;
}

int OwnFolder::open_lock(const std::string& name) const { return open_own(name, O_RDWR | O_CREAT); }

void OwnFolder::remove(const std::string& name) const { unlinkat(descriptor_, name.c_str(), 0); }

}  // namespace shardfft
