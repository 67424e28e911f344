// device/facts.hpp without a GPU: all fake devices have the given facts.
#include "device/facts.hpp"

#include "device/standin/settings.hpp"

namespace shardfft::device {

namespace {

DeviceFacts& given() {
  static DeviceFacts facts = [] {
    DeviceFacts h200 = h200_facts();
    h200.memory_bytes = standin::device_bytes();
    h200.bulk_copies = bulk_copies_wanted();
    return h200;
  }();
  return facts;
}

}  // namespace

const DeviceFacts& facts(int /*device*/) { return given(); }

std::optional<Chips> likely_chips() { return std::nullopt; }

namespace standin {

void give_facts(const DeviceFacts& facts) { given() = facts; }

}  // namespace standin

}  // namespace shardfft::device
