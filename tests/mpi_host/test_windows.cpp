// Memory that the ranks of a host share: nobody waits for anybody when it is dropped, and it is given back.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "base/aligned.hpp"
#include "base/page_size.hpp"
#include "mpi/host_window.hpp"
#include "mpi_host/host_kit.hpp"

namespace shardfft::test {
namespace {

void fill_window(const Buffer& buffer, const Numbers& numbers) {
  std::copy(numbers.begin(), numbers.end(), buffer.as<std::complex<double>>());
}

/// Garbage collectors drop arrays in an order of their own.
TEST(HostWindows, RanksDropArraysInAnyOrder) {
  Plan plan = short_rows().plan();
  Buffer first = plan.allocate_input();
  Buffer second = plan.allocate_input();
  (world().rank() % 2 == 0 ? first : second) = Buffer();
  world().barrier();
  (world().rank() % 2 == 0 ? second : first) = Buffer();
}

/// Those who keep their array go on with it, and the others read it there.
TEST(HostWindows, SomeRanksDropTheirArray) {
  const HostCase c = short_rows();
  Plan plan = c.plan();
  Buffer shared = plan.allocate_input();
  const Buffer more = plan.allocate_input();
  const Numbers own = random_input(plan.input().count(), 3);
  const bool keeps = world().rank() % 2 == 0;
  if (!keeps) shared = Buffer();
  const Buffer later = plan.allocate_output();
  if (keeps) fill_window(shared, own);
  Numbers out(static_cast<std::size_t>(plan.output().count()));
  plan.forward(keeps ? static_cast<const void*>(shared.data()) : own.data(), out.data());
  EXPECT_LT(distance(out, by_messages(c, own)), 1e-12);
}

TEST(HostWindows, LastLongerThanThePlan) {
  Buffer kept;
  {
    Plan plan = short_rows().plan();
    kept = plan.allocate_input();
  }
  if (world().rank() == 0) kept = Buffer();
  world().barrier();
  std::fill_n(static_cast<std::byte*>(kept.data()), kept.bytes(), std::byte{1});
}

TEST(HostWindows, UnusedOnesAreGivenBack) {
  HostMemory host(world(), 0);
  std::shared_ptr<HostWindow> window = host.allocate(8192);
  const std::weak_ptr<HostWindow> watched = window;
  if (world().rank() != 0) window.reset();
  auto other = host.allocate(64);
  EXPECT_FALSE(watched.expired()) << "one rank uses it";
  EXPECT_EQ(host.locate(other->mine() + 5).offset, 5);
  window.reset();
  other = host.allocate(100);
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(host.locate(&host).window, -1);
}

/// Bytes of files in memory that this process sees through huge pages.
std::size_t seen_in_huge_pages() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  std::size_t kilobytes = 0;
  while (file >> word && word != "ShmemPmdMapped:") continue;
  return file >> kilobytes ? kilobytes * 1024 : 0;
}

/// Whether the kernel gives huge pages at once to one who asks, tried with a file of this process alone.
bool huge_pages_are_given() {
  constexpr int collapse = 25;  // MADV_COLLAPSE
  const std::size_t huge_page = page_sizes().huge;
  if (huge_page == 0) return false;
  const int file = memfd_create("probe", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, huge_page) != 0) return false;
  void* const space = mmap(nullptr, 2 * huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(space) % huge_page;
  void* const page = mmap(static_cast<std::byte*>(space) + (beyond > 0 ? huge_page - beyond : 0), huge_page,
                          PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  close(file);
  std::memset(page, 1, huge_page);
  const bool given = madvise(page, huge_page, collapse) == 0;
  munmap(space, 2 * huge_page);
  return given;
}

TEST(HostWindows, LieInHugePages) {
  const bool given = world().min(std::int64_t{huge_pages_are_given() ? 1 : 0}) == 1;
  if (!given) GTEST_SKIP() << "the kernel gives no huge pages at once (Linux 6.1 and later do)";
  const std::size_t before = seen_in_huge_pages(), rest = 12000, huge_page = page_sizes().huge;
  HostMemory host(world(), 0);
  const std::shared_ptr<HostWindow> window = host.allocate(2 * huge_page + rest);
  for (int rank = 0; rank < world().size(); ++rank)
    for (std::size_t at = 0; at < window->bytes(); at += 4096) EXPECT_EQ(window->segment(rank)[at], std::byte{0});
  EXPECT_GE(seen_in_huge_pages() - before, huge_page) << "as many as there are";
}

/// Remembers what it was asked for.
class AskedMemory : public MemorySource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    last_alignment = alignment;
    return std::aligned_alloc(alignment, bytes);
  }
  void release(void* memory, std::size_t) noexcept override { std::free(memory); }
  bool grant_window(std::size_t bytes) override {
    last_window = bytes;
    return true;
  }
  std::size_t last_alignment = 0, last_window = 0;
};

/// As where pages have 64 KiB and huge ones 512 MiB, or none are huge.
TEST(HostWindows, AreWholePagesWhateverTheirSize) {
  AskedMemory memory;
  const Installed<MemorySource> installed(memory);
  const std::size_t huge = page_sizes().huge, some = std::size_t{5} << 20;
  PageSizes told{16 * page_sizes().page, 256 * huge};
  const Installed<PageSizes> pages(told);
  for (const std::size_t bytes : {std::size_t{100}, some + 100}) {
    HostMemory host(world(), 0);
    const std::shared_ptr<HostWindow> window = host.allocate(bytes);
    EXPECT_EQ(memory.last_window, round_up(bytes, told.page));
    window->mine()[memory.last_window - 1] = std::byte{7};
    world().barrier();
    for (int rank = 0; rank < world().size(); ++rank)
      EXPECT_EQ(window->segment(rank)[memory.last_window - 1], std::byte{7});
    world().barrier();
  }
  EXPECT_EQ(short_rows().plan().report().window_bytes % told.page, 0u);
  allocate_aligned(some);
  EXPECT_EQ(memory.last_alignment, cache_line) << "a page is larger";
  told.huge = 0;
  allocate_aligned(some);
  EXPECT_EQ(memory.last_alignment, cache_line) << "there are none";
  told.huge = std::size_t{1} << 20;
  allocate_aligned(some);
  EXPECT_EQ(memory.last_alignment, told.huge);
}

int mappings_of_windows() {
  std::ifstream file("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(file, line);) count += line.find("/memfd:shardfft") != std::string::npos ? 1 : 0;
  return count;
}

/// The kernel limits how many a process has: it does not matter how many ranks a host has.
TEST(HostWindows, AreOneMappingEach) {
  HostMemory host(world(), 0);
  const int before = mappings_of_windows();
  const auto first = host.allocate(8192), second = host.allocate(page_sizes().huge + 5, HostWindow::InChildren::copy);
  EXPECT_EQ(mappings_of_windows() - before, 2);
}

TEST(HostWindows, WithoutRoomAllAreRefused) {
  HostMemory host(world(), 0);
  expect_error(Status::out_of_memory, "cannot share", [&] { host.allocate(std::size_t{1} << 50); });
  EXPECT_NE(host.allocate(64)->mine(), nullptr);
}

}  // namespace
}  // namespace shardfft::test
