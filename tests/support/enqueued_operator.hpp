#pragma once
// An operator that calls a function, which enqueues its work on a GPU.
#include <gtest/gtest.h>

#include <map>

#include "device/handles.hpp"
#include "device/pointwise.hpp"
#include "support/operator_check.hpp"

namespace shardfft::test {

/// Multiplies a spectrum by some_factor() on the stream that it is given, and counts how often.
class EnqueuedOperator {
 public:
  explicit EnqueuedOperator(const TransformCase& c) : case_(c) {}
  Operator made() {
    return Operator::calling([this](const SpectrumPart& part) { enqueue(part); });
  }
  int calls = 0;

 private:
  void enqueue(const SpectrumPart& part) {
    ++calls;
    EXPECT_EQ(part.device, device::current_device());
    const std::int64_t count = part.side.count();
    device::Memory& table = tables_[part.side.rank];
    if (!table && count > 0) {
      LocalArray factors = factors_of(part.side, some_factor(case_));
      table = device::make_memory(part.side.bytes());
      device::copy_bytes(table.get(), factors.data(), part.side.bytes(), part.stream);
      device::synchronize(part.stream);
    }
    device::multiply(part.data, part.data, table.get(), count, count, part.side.element, part.stream);
  }

  TransformCase case_;
  std::map<int, device::Memory> tables_;
};

}  // namespace shardfft::test
