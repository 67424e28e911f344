#pragma once
// What the stand-in gave out to a plan, against what the plan's report says: every byte is in one account.
#include <functional>
#include <limits>

#include "device/standin/memory.hpp"
#include "support/device_check.hpp"
#include "support/operator_check.hpp"

namespace shardfft::test {

/// Of all devices.
inline std::vector<std::size_t> given_out(device::MemoryKind kind, bool at_most) {
  const auto& table = device::standin::MemoryTable::instance();
  std::vector<std::size_t> bytes;
  for (int d = 0; d < device::device_count(); ++d) bytes.push_back(at_most ? table.peak(d, kind) : table.used(d, kind));
  return bytes;
}

/// What one member was given: tables while planning, the workspace by the first run, more of both by an operator.
struct Given {
  std::int64_t tables = 0, workspace = 0, in_all = 0, pinned = 0;
};

/// Runs a plan in both directions, and its operator, and compares. No two members share a device. `most_of_ranks`: of
/// what processes know each of its own.
inline void check_accounts(const std::function<Plan()>& make, const TransformCase& c,
                           const std::function<std::int64_t(std::int64_t)>& most_of_ranks) {
  SCOPED_TRACE(c.name());
  constexpr device::MemoryKind on_device = device::MemoryKind::device, pinned = device::MemoryKind::pinned;
  const auto device_before = given_out(on_device, false), pinned_before = given_out(pinned, false);
  {
    Plan plan = make();
    const auto device_planned = given_out(on_device, false), pinned_planned = given_out(pinned, false);
    std::vector<Buffer> arrays;
    std::vector<void*> ins, outs;
    for (int m = 0; m < plan.members(); ++m) {
      arrays.push_back(plan.allocate_input(m));
      ins.push_back(arrays.back().data());
      arrays.push_back(plan.allocate_output(m));
      outs.push_back(arrays.back().data());
    }
    const auto device_arrays = given_out(on_device, false), pinned_arrays = given_out(pinned, false);
    device::standin::MemoryTable::instance().forget_peaks();
    const std::vector<const void*> const_ins(ins.begin(), ins.end()), const_outs(outs.begin(), outs.end());
    for (int run = 0; run < 2; ++run) {
      plan.forward(const_ins, outs);
      plan.backward(const_outs, ins);
    }
    const auto device_run = given_out(on_device, true);
    const PlanReport before_operator = plan.report();
    if (c.kind != Kind::c2r) plan.apply(some_operator(c), const_ins, ins);
    const auto device_most = given_out(on_device, true), pinned_most = given_out(pinned, true);
    Given most;
    std::int64_t least_in_all = std::numeric_limits<std::int64_t>::max();
    for (int m = 0; m < plan.members(); ++m) {
      const auto d = static_cast<std::size_t>(plan.device(m));
      const auto more = [d](const auto& before, const auto& after) {
        return static_cast<std::int64_t>(after[d]) - static_cast<std::int64_t>(before[d]);
      };
      const std::int64_t in_all = more(device_before, device_planned) + more(device_arrays, device_most);
      most.tables = std::max(most.tables, more(device_before, device_planned));
      most.workspace = std::max(most.workspace, more(device_arrays, device_run));
      most.in_all = std::max(most.in_all, in_all);
      most.pinned = std::max(most.pinned, more(pinned_before, pinned_planned) + more(pinned_arrays, pinned_most));
      least_in_all = std::min(least_in_all, in_all);
    }
    const PlanReport report = plan.report();
    const auto told = [](std::size_t bytes) { return static_cast<std::int64_t>(bytes); };
    EXPECT_EQ(most_of_ranks(most.tables), told(before_operator.table_bytes)) << before_operator;
    EXPECT_EQ(most_of_ranks(most.workspace), told(before_operator.workspace_bytes)) << before_operator;
    EXPECT_EQ(most_of_ranks(most.pinned), told(report.pinned_bytes)) << report;
    // One member may have the largest tables, another one the largest workspace.
    const std::int64_t in_all = most_of_ranks(most.in_all),
                       told_in_all = told(report.table_bytes + report.workspace_bytes);
    EXPECT_LE(in_all, told_in_all) << report;
    if (in_all == -most_of_ranks(-least_in_all)) {
      EXPECT_EQ(in_all, told_in_all) << report;
    }
  }
  EXPECT_EQ(given_out(on_device, false), device_before);
  EXPECT_EQ(given_out(pinned, false), pinned_before);
}

/// Shapes, layouts and options of plans of which each has memory of another kind.
inline std::vector<TransformCase> account_cases() {
  std::vector<TransformCase> cases;
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const int chunks : {0, 3}) {
      Options slab = on_gpu("slab"), pencil = on_gpu("pencil"), brick = on_gpu("brick");
      slab.chunks = pencil.chunks = brick.chunks = chunks;
      brick.batch = 3;
      cases.push_back({{32, 24, 18}, "slab", "left", kind, Precision::f32, slab});
      cases.push_back({{16, 12, 18}, "pencil", "natural", kind, Precision::f64, pencil});
      cases.push_back({{12, 8, 16}, "brick", "brick", kind, Precision::f64, brick});
    }
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    Options fewer = on_gpu();
    fewer.modes = {9, 8, 6};
    cases.push_back({{16, 12, 10}, "slab", "left", kind, Precision::f64, fewer});
  }
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::r2r})
    for (const int chunks : {0, 3}) {
      Options walls = on_gpu();
      walls.chunks = chunks;
      const AxisTransform last = kind == Kind::r2r ? AxisTransform::dst2 : AxisTransform::fft;
      walls.transforms = {AxisTransform::dct1, AxisTransform::dct4, last};
      cases.push_back({{16, 13, 10}, "slab", "left", kind, Precision::f64, walls});
    }
  cases.push_back({{16, 24}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()});
  cases.push_back({{4096}, "slab", "natural", Kind::c2c, Precision::f64, on_gpu()});
  for (const char* memory : {"host", "registered", "managed"}) {
    Options o = on_gpu();
    set_option(o, "memory", memory);
    cases.push_back({{16, 16, 16}, "slab", "left", Kind::r2c, Precision::f64, o});
  }
  return cases;
}

/// Plane and line passes, padding inside, stores into the peer.
inline std::vector<TransformCase> large_account_cases() {
  return {{{128, 128, 16}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()},
          {{128, 128, 18}, "slab", "left", Kind::r2c, Precision::f64, on_gpu()},
          {{128, 128, 128}, "slab", "left", Kind::r2c, Precision::f32, on_gpu()},
          {{128, 128, 128}, "pencil", "left", Kind::c2c, Precision::f32, on_gpu("pencil")}};
}

}  // namespace shardfft::test
