// Files of the cache: "shardfft-kernel 1", key, length and hash of the content, each on a line, then the content.
#include "device/kernel_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>

#include "base/environment.hpp"
#include "tune/defaults.hpp"

namespace shardfft::device::lines {
namespace {

namespace fs = std::filesystem;

constexpr const char* first_line = "shardfft-kernel 1";
constexpr std::chrono::milliseconds between_looks{20};

std::string head_of(const std::string& key, const std::string& content) {
  std::ostringstream head;
  head << first_line << '\n' << key << '\n' << content.size() << '\n' << hash_of(content) << '\n';
  return head.str();
}

std::optional<std::string> read(const fs::path& file, const std::string& key) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  const std::string all{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::size_t begin = 0;
  for (int line = 0; line < 4; ++line) {
    begin = all.find('\n', begin);
    if (begin == std::string::npos) return std::nullopt;
    ++begin;
  }
  std::string content = all.substr(begin);
  if (all.compare(0, begin, head_of(key, content)) != 0) return std::nullopt;
  return content;
}

/// Under another name first: readers see a whole file or none. Failures only mean that nothing is kept.
void write(const fs::path& file, const std::string& key, const std::string& content) {
  std::string name = file.string() + ".XXXXXX";
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) return;
  const std::string all = head_of(key, content) + content;
  std::size_t done = 0;
  while (done < all.size()) {
    const ssize_t written = ::write(descriptor, all.data() + done, all.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  const bool closed = ::close(descriptor) == 0;
  if (done != all.size() || !closed || std::rename(name.c_str(), file.c_str()) != 0) ::unlink(name.c_str());
}

/// Held by one process of a host at a time; the system takes it back from a process that ends.
class Lock {
 public:
  explicit Lock(std::string file)
      : file_(std::move(file)), descriptor_(::open(file_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(gpu_defaults().longest_kernel_wait);
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(between_looks);
  }
  ~Lock() {
    if (descriptor_ < 0) return;
    ::unlink(file_.c_str());  // who waits for it finds what was made
    ::close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::string file_;
  int descriptor_;
};

}  // namespace

/// FNV-1a, 64 bits.
std::string hash_of(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  std::ostringstream hex;
  hex << std::hex << value;
  return hex.str();
}

std::string cache_directory() {
  if (const auto said = environment("SHARDFFT_CACHE")) return *said;
  if (const auto base = environment("XDG_CACHE_HOME"); base && !base->empty()) return *base + "/shardfft";
  if (const auto home = environment("HOME"); home && !home->empty()) return *home + "/.cache/shardfft";
  return {};
}

std::string cached(const std::string& directory, const std::string& key, const std::function<std::string()>& make) {
  if (directory.empty()) return make();
  const fs::path file = fs::path(directory) / (hash_of(key) + ".cubin");
  if (auto found = read(file, key)) return *std::move(found);
  std::error_code ignored;
  fs::create_directories(directory, ignored);
  const Lock lock(file.string() + ".lock");
  if (auto found = read(file, key)) return *std::move(found);
  std::string made = make();
  write(file, key, made);
  return made;
}

}  // namespace shardfft::device::lines
