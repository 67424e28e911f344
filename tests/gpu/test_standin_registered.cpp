// Host arrays that a plan pins, freed and mapped anew at the same address.
#include <sys/mman.h>

#include "cuda/standin/memory.hpp"
#include "gpu/arrays.hpp"
#include "gpu/group_kit.hpp"

namespace shardfft::test {
namespace {

/// Pages at an address of their own, or at one that was used before.
class Pages {
 public:
  explicit Pages(std::size_t bytes, void* at = nullptr)
      : bytes_(bytes),
        memory_(mmap(at, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | (at == nullptr ? 0 : MAP_FIXED_NOREPLACE), -1, 0)) {}
  ~Pages() { munmap(memory_, bytes_); }
  void* data() const { return memory_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

constexpr std::size_t bytes = std::size_t{16} << 12;

bool kernel_tells() {
  const Pages pages(bytes);
  std::memset(pages.data(), 1, bytes);
  const gpu::MappingWatch watch(pages.data(), bytes);
  return madvise(pages.data(), 4096, MADV_COLD) != 0;
}

TEST(MappingWatch, NoticesNewPagesAtOldAddresses) {
  if (!kernel_tells()) GTEST_SKIP() << "this kernel does not tell locked pages";
  auto pages = std::make_unique<Pages>(bytes);
  void* const at = pages->data();
  std::memset(at, 1, bytes);
  const gpu::MappingWatch watch(at, bytes);
  EXPECT_TRUE(watch.there());
  std::memset(at, 2, bytes);
  EXPECT_TRUE(watch.there());
  pages.reset();
  EXPECT_FALSE(watch.there()) << "unmapped";
  pages = std::make_unique<Pages>(bytes, at);
  ASSERT_EQ(pages->data(), at);
  EXPECT_FALSE(watch.there()) << "mapped anew, not touched";
  std::memset(at, 3, bytes);
  EXPECT_FALSE(watch.there()) << "mapped anew";
}

TEST(MappingWatch, LeavesLocksOfOthersAlone) {
  if (!kernel_tells()) GTEST_SKIP() << "this kernel does not tell locked pages";
  const Pages pages(bytes);
  ASSERT_EQ(mlock(pages.data(), 4096), 0);
  { const gpu::MappingWatch watch(pages.data(), 4096); }
  EXPECT_NE(madvise(pages.data(), 4096, MADV_COLD), 0) << "the caller's lock is gone";
}

TEST(RegisteredArrays, NewMemoryAtAnOldAddressIsPinnedAnew) {
  if (!kernel_tells()) GTEST_SKIP() << "this kernel does not tell locked pages";
  Options o = on_gpu();
  o.memory = "registered";
  GroupPlan plan({0}, c2c<double>, Layout::slab({16, 16, 16}, 1), default_output, o);
  ASSERT_EQ(plan.input(0).bytes(), bytes);
  auto in = std::make_unique<Pages>(bytes), out = std::make_unique<Pages>(bytes);
  void* const at = in->data();
  const auto& table = cuda::standin::MemoryTable::instance();
  const auto run = [&] {
    std::memset(in->data(), 0, bytes);
    const std::vector<const void*> ins{in->data()};
    const std::vector<void*> outs{out->data()};
    const std::int64_t before = table.registrations();
    plan.forward(ins, outs);
    return table.registrations() - before;
  };
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(run(), 0);
  in.reset();
  in = std::make_unique<Pages>(bytes, at);
  ASSERT_EQ(in->data(), at);
  EXPECT_EQ(run(), 1) << "the old pages are still pinned, the new ones are not";
  EXPECT_EQ(run(), 0);
}

}  // namespace
}  // namespace shardfft::test
