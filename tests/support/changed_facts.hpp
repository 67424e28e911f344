#pragma once
// Devices of the stand-in with other facts than they have.
#include "device/facts.hpp"
#include "device/standin/settings.hpp"

namespace shardfft::test {

/// Other facts for as long as it lives.
class ChangedFacts {
 public:
  template <class Change>
  explicit ChangedFacts(Change change) {
    device::DeviceFacts facts = before_;
    change(facts);
    device::standin::give_facts(facts);
  }
  ~ChangedFacts() { device::standin::give_facts(before_); }
  ChangedFacts(const ChangedFacts&) = delete;
  ChangedFacts& operator=(const ChangedFacts&) = delete;

 private:
  device::DeviceFacts before_ = device::facts(0);
};

}  // namespace shardfft::test
