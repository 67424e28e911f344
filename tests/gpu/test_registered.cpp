// Host arrays that a plan pins, freed and mapped anew at the same address.
#include "gpu/pages_kit.hpp"

namespace shardfft::test {
namespace {

TEST(MappingWatch, NoticesNewPagesAtOldAddresses) {
  if (!kernel_tells()) GTEST_SKIP() << "this kernel does not tell locked pages";
  auto pages = std::make_unique<Pages>(page_bytes);
  void* const at = pages->data();
  std::memset(at, 1, page_bytes);
  const gpu::MappingWatch watch(at, page_bytes);
  EXPECT_TRUE(watch.there());
  std::memset(at, 2, page_bytes);
  EXPECT_TRUE(watch.there());
  pages.reset();
  EXPECT_FALSE(watch.there()) << "unmapped";
  pages = std::make_unique<Pages>(page_bytes, at);
  ASSERT_EQ(pages->data(), at);
  EXPECT_FALSE(watch.there()) << "mapped anew, not touched";
  std::memset(at, 3, page_bytes);
  EXPECT_FALSE(watch.there()) << "mapped anew";
}

TEST(MappingWatch, LeavesLocksOfOthersAlone) {
  if (!kernel_tells()) GTEST_SKIP() << "this kernel does not tell locked pages";
  const Pages pages(page_bytes);
  ASSERT_EQ(mlock(pages.data(), 4096), 0);
  { const gpu::MappingWatch watch(pages.data(), 4096); }
  EXPECT_NE(madvise(pages.data(), 4096, MADV_COLD), 0) << "the caller's lock is gone";
}

/// A GPU that still had the old pages would transform what they held.
TEST(RegisteredArrays, ResultsAreThoseOfTheNewMemory) {
  if (!kernel_tells()) GTEST_SKIP() << "this kernel does not tell locked pages";
  Options o = on_gpu();
  o.memory = MemoryModel::registered;
  Plan plan(Devices{0}, c2c<double>, Layout::slab({16, 16, 16}, 1), default_output, o);
  auto in = std::make_unique<Pages>(page_bytes), out = std::make_unique<Pages>(page_bytes);
  void *const in_at = in->data(), *const out_at = out->data();
  for (int run = 1; run <= 3; ++run) {
    auto* const field = static_cast<std::complex<double>*>(in->data());
    std::fill_n(field, 4096, double(run));
    const std::vector<const void*> ins{in->data()};
    const std::vector<void*> outs{out->data()};
    plan.forward(ins, outs);
    EXPECT_EQ(static_cast<const std::complex<double>*>(out->data())[0], 4096.0 * run);
    in.reset();
    out.reset();
    in = std::make_unique<Pages>(page_bytes, in_at);
    out = std::make_unique<Pages>(page_bytes, out_at);
    ASSERT_TRUE(in->data() == in_at && out->data() == out_at);
  }
}

}  // namespace
}  // namespace shardfft::test
