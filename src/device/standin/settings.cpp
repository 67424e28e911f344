#include "device/standin/settings.hpp"

#include <atomic>
#include <cstdlib>

#include "device/standin/scheduler.hpp"

namespace shardfft::device::standin {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Settings order nothing: a thread that changes them makes sure itself that others see it.
constexpr auto relaxed = std::memory_order_relaxed;

std::atomic<std::uint64_t>& present_seed() {
  static std::atomic<std::uint64_t> seed{from_environment("SHARDFFT_STANDIN_SEED", 1)};
  return seed;
}

std::atomic<int>& countdown() {
  static std::atomic<int> pieces{-1};
  return pieces;
}

std::atomic<bool>& work_areas_taken() {
  static std::atomic<bool> taken{false};
  return taken;
}

}  // namespace

int devices() {
  static const int count = static_cast<int>(from_environment("SHARDFFT_STANDIN_DEVICES", 4));
  return count;
}

std::size_t device_bytes() {
  static const std::size_t bytes = from_environment("SHARDFFT_STANDIN_MEMORY", 4096) << 20;
  return bytes;
}

void take_work_areas(bool taken) { work_areas_taken().store(taken, relaxed); }
bool takes_work_areas() { return work_areas_taken().load(relaxed); }

void fail_after(int more) { countdown().store(more, relaxed); }
int pieces_before_failure() { return countdown().load(relaxed); }
bool fails_now() { return countdown().load(relaxed) >= 0 && countdown().fetch_sub(1, relaxed) == 0; }

std::uint64_t first_seed() { return present_seed().load(relaxed); }
std::string how_to_repeat() { return " (stand-in, SHARDFFT_STANDIN_SEED=" + std::to_string(first_seed()) + ")"; }
void reseed(std::uint64_t seed) {
  present_seed().store(seed, relaxed);
  Scheduler::instance().reseed(seed);
}

}  // namespace shardfft::device::standin
