#include "base/available_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>

#include "base/check.hpp"
#include "base/page_size.hpp"
#include "base/text.hpp"

namespace shardfft {

namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// The number of a file that has one, or of the line that begins with `name`; nothing for "max".
std::optional<std::size_t> number_in(const std::string& path, const std::string& name = {}) {
  TextOfFile file(path);
  for (std::string word, rest; name.empty() || file >> word; std::getline(file, rest)) {
    std::size_t number = 0;
    if (name.empty() || word == name) return file >> number ? std::optional(number) : std::nullopt;
  }
  return std::nullopt;
}

void take_less(Room& room, const Room& other) {
  if (other.bytes < room.bytes) room = other;
}

/// The names of files in a version of control groups.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* reclaimable;  ///< of memory.stat: files that were read and can be read again
};

/// Lowers `room` to the memory that a group leaves, or any group that contains it, up to `mount`. Groups that this
/// process does not see have no files here.
void take_group(Room& room, const std::string& mount, std::string group, const GroupFiles& files) {
  for (;;) {
    const std::string folder = mount + group + "/";
    const auto limit = number_in(folder + files.limit), used = number_in(folder + files.used);
    if (limit && used && *limit - std::min(*limit, *used) < room.bytes) {
      const std::size_t kept =
          *used - std::min(*used, number_in(folder + "memory.stat", files.reclaimable).value_or(0));
      Text text;
      text << "the memory limit of the control group " << (group.empty() ? "/" : group) << " (" << files.limit << " is "
           << in_mebibytes(static_cast<double>(*limit)) << ", " << in_mebibytes(static_cast<double>(kept))
           << " are used)";
      take_less(room, {*limit - std::min(*limit, kept), text.str()});
    }
    if (group.empty()) return;
    group.erase(group.rfind('/'));
  }
}

/// Reads control groups of version 1 and 2; a host may have both.
void take_groups(Room& room, const std::string& root) {
  TextOfFile file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // "number:controllers:/path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string controllers = line.substr(first, second - first + 1);
    controllers.front() = controllers.back() = ',';
    std::string group = line.substr(second + 1);
    if (group.empty() || group.front() != '/' || group == "/" || group.starts_with("/..")) group.clear();
    if (controllers == ",,")
      take_group(room, root + "/sys/fs/cgroup", group, {"memory.max", "memory.current", "inactive_file"});
    if (controllers.find(",memory,") != std::string::npos)
      take_group(room, root + "/sys/fs/cgroup/memory", group,
                 {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"});
  }
}

Room limit_room(int resource, const char* name, std::size_t used) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return {no_limit, ""};
  const auto most = static_cast<std::size_t>(limit.rlim_cur);
  return {most - std::min(most, used), std::string(name) + " is " + in_mebibytes(static_cast<double>(most))};
}

}  // namespace

std::string in_mebibytes(double bytes) {
  constexpr double mebibyte = 1 << 20;
  Text text;
  text << bytes / mebibyte << " MiB";
  return text.str();
}

Room memory_room(const std::string& root) {
  Room room{no_limit, ""};
  const std::string facts = root + "/proc/meminfo";
  const auto offer = [&room](std::size_t kilobytes, const char* what) {
    const std::size_t bytes = kilobytes * 1024;
    take_less(room, {bytes, std::string(what) + " (" + in_mebibytes(static_cast<double>(bytes)) + ")"});
  };
  if (const auto available = number_in(facts, "MemAvailable:"))
    offer(*available, "the memory that is left on this host");
  if (number_in(root + "/proc/sys/vm/overcommit_memory") == 2) {
    const auto most = number_in(facts, "CommitLimit:"), promised = number_in(facts, "Committed_AS:");
    if (most && promised)
      offer(*most - std::min(*most, *promised),
            "the memory that this host may still promise, vm.overcommit_memory is 2");
  }
  take_groups(room, root);
  return room;
}

Room address_room() {
  std::size_t pages = 0;
  TextOfFile("/proc/self/statm") >> pages;
  return limit_room(RLIMIT_AS, "the limit on addresses (RLIMIT_AS, ulimit -v)", pages * page_size());
}

Room file_room() { return limit_room(RLIMIT_FSIZE, "the limit on the size of files (RLIMIT_FSIZE, ulimit -f)", 0); }

std::string no_more_mappings(const std::string& root) {
  const auto most = number_in(root + "/proc/sys/vm/max_map_count");
  TextOfFile file(root + "/proc/self/maps");
  const auto used = static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  if (!most || used <= *most - *most / 8) return {};
  return "this process has " + std::to_string(used) + " of the " + std::to_string(*most) +
         " mappings that vm.max_map_count lets it have";
}

std::size_t available_memory() {
  const std::size_t bytes = memory_room().bytes;
  return bytes == no_limit ? 0 : bytes;
}

void require_memory(double bytes, const std::string& what) {
  constexpr double small = 64 << 20;  // not worth reading files for
  if (bytes > small) {
    const Room room = memory_room();
    if (bytes > static_cast<double>(room.bytes))
      fail(Status::out_of_memory, what, " needs about ", in_mebibytes(bytes),
           ", but there is no room for them: ", room.limit);
  }
  // Limits of the process are known to the kernel only. Memory that is not touched costs nothing; an allocator would
  // keep it, and one of sanitizers marks every byte. Near a limit, room that the allocator still has does not count.
  const std::size_t length = static_cast<std::size_t>(bytes) + 1;
  void* const probe = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) {
    const Room room = address_room();
    fail(Status::out_of_memory, what, " needs about ", in_mebibytes(bytes), ", and cannot get them",
         room.limit.empty() ? "" : ": " + room.limit);
  }
  munmap(probe, length);
}

void require_fits_host(double bytes, const std::string& what) {
  const double all = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (all > 0 && bytes > all)
    fail(Status::out_of_memory, what, " has ", in_mebibytes(bytes), " on this rank; this host has ", in_mebibytes(all));
}

}  // namespace shardfft
