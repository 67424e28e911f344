// Files of the cache: "shardfft-kernel 1", key, length and hash of the content, each on a line, then the content.
#include "device/kernel_cache.hpp"

#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "base/own_folder.hpp"
#include "base/text.hpp"
#include "tune/defaults.hpp"

namespace shardfft::device::lines {
namespace {

constexpr const char* first_line = "shardfft-kernel 1";
constexpr std::chrono::milliseconds between_looks{20};

std::string head_of(const std::string& key, const std::string& content) {
  Text head;
  head << first_line << '\n' << key << '\n' << content.size() << '\n' << hash_of(content) << '\n';
  return head.str();
}

std::optional<std::string> read(const OwnFolder& folder, const std::string& file, const std::string& key) {
  const std::optional<std::string> all = folder.read(file);
  if (!all) return std::nullopt;
  std::size_t begin = 0;
  for (int line = 0; line < 4; ++line) {
    begin = all->find('\n', begin);
    if (begin == std::string::npos) return std::nullopt;
    ++begin;
  }
  std::string content = all->substr(begin);
  if (all->compare(0, begin, head_of(key, content)) != 0) return std::nullopt;
  return content;
}

/// A lock that one process of a host holds at a time. The system releases it if the process ends.
class Lock {
 public:
  Lock(const OwnFolder& folder, std::string file)
      : folder_(folder), file_(std::move(file)), descriptor_(folder_.open_lock(file_)) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(gpu_defaults().longest_kernel_wait);
    while (descriptor_ >= 0 && !held() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(between_looks);
  }
  ~Lock() {
    if (descriptor_ < 0) return;
    if (held_) folder_.remove(file_);  // those that wait for it find the new file
    ::close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  bool held() { return held_ = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

  const OwnFolder& folder_;
  std::string file_;
  int descriptor_;
  bool held_ = false;
};

}  // namespace

/// FNV-1a, 64 bits.
std::string hash_of(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  Text hex;
  hex << std::hex << value;
  return hex.str();
}

std::string cached(const std::string& directory, const std::string& key, const std::function<std::string()>& make) {
  if (directory.empty()) return make();
  const OwnFolder folder(directory);
  if (!folder.usable()) return make();
  const std::string file = hash_of(key) + ".cubin";
  if (auto found = read(folder, file, key)) return *std::move(found);
  const Lock lock(folder, file + ".lock");
  if (auto found = read(folder, file, key)) return *std::move(found);
  std::string made = make();
  folder.write(file, head_of(key, made) + made);
  return made;
}

}  // namespace shardfft::device::lines
