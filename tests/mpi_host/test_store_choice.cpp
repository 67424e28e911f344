#include <gtest/gtest.h>

#include <optional>

#include "exec/store_choice.hpp"
#include "support/no_memory.hpp"
#include "support/world.hpp"
#include "tune/defaults.hpp"
#include "tune/own_cache.hpp"

namespace shardfft::test {
namespace {

const std::size_t beyond_doubt = host_defaults().bytes_to_write_past_cache;

std::size_t tried(HostMemory* host, std::size_t bytes, bool may_try = true) {
  return bytes_to_write_past_cache(
      world(), host, bytes,
      {.may_try = may_try, .own_cache = static_cast<std::size_t>(world().max(own_cache_bytes()))});
}

void expect_same_everywhere(std::size_t bytes) {
  const auto signed_bytes = static_cast<std::int64_t>(bytes);
  EXPECT_EQ(world().min(signed_bytes), world().max(signed_bytes));
}

TEST(StoreChoice, AllRanksTakeOneOfTheTwoWays) {
  HostMemory host(world(), 0);
  const auto own_cache = static_cast<std::size_t>(world().max(own_cache_bytes()));
  for (HostMemory* memory : {&host, static_cast<HostMemory*>(nullptr)})
    for (const std::size_t bytes : {own_cache, beyond_doubt / 2}) {
      const std::size_t from = tried(memory, bytes);
      EXPECT_TRUE(from == own_cache || from == beyond_doubt) << from;
      expect_same_everywhere(from);
    }
}

TEST(StoreChoice, NothingIsTriedWhereTheAnswerIsKnown) {
  EXPECT_EQ(tried(nullptr, 4096), beyond_doubt);
  EXPECT_EQ(tried(nullptr, beyond_doubt), beyond_doubt);
  EXPECT_EQ(tried(nullptr, beyond_doubt / 2, false), beyond_doubt);
}

/// A rank without memory for it keeps all from trying, and none waits for it.
TEST(StoreChoice, MemoryMayBeMissing) {
  HostMemory host(world(), 0);
  const bool last = world().rank() == world().size() - 1;
  for (HostMemory* memory : {&host, static_cast<HostMemory*>(nullptr)})
    for (const bool grants : {true, false}) {
      NoMemory none(0, grants);
      std::optional<Installed<MemorySource>> installed;
      if (last) installed.emplace(none);
      EXPECT_EQ(tried(memory, beyond_doubt / 2), beyond_doubt);
    }
}

}  // namespace
}  // namespace shardfft::test
