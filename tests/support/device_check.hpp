#pragma once
// Transforms on GPUs against the serial reference: the same cases as on CPUs, arrays in any memory, one rank a process
// or all ranks in one.
#include <functional>
#include <memory>

#include "device/handles.hpp"
#include "shardfft/option_table.hpp"
#include "support/transform_check.hpp"

namespace shardfft::test {

/// An array of a kind of memory that options.memory names, on `device`; poisoned, with a guard.
class PlacedArray {
 public:
  PlacedArray(const std::string& memory, int device, std::size_t bytes, std::size_t shift = 0)
      : device_(device), bytes_(bytes), shift_(shift) {
    const device::DeviceScope scope(device);
    const std::size_t whole = shift + bytes + guard_bytes;
    if (memory == "managed")
      memory_ = {device::allocate_managed(whole), device::release_managed};
    else if (memory == "pinned")
      memory_ = {device::allocate_pinned(whole), device::release_pinned};
    else if (memory == "device" || memory == "auto")
      memory_ = {device::allocate(whole), device::release};
    else
      memory_ = {std::malloc(whole), std::free};
    on_host_ = memory == "host" || memory == "registered";
    // A plan pins arrays until it ends: they must live as long.
    static std::vector<std::shared_ptr<void>> kept;
    if (memory == "registered") kept.push_back(memory_);
    const std::vector<std::byte> fill(whole, poison);
    move(memory_.get(), fill.data(), whole);
  }
  std::byte* data() const { return static_cast<std::byte*>(memory_.get()) + shift_; }
  void put(const void* from) { move(data(), from, bytes_); }
  void get(void* to) const { move(to, data(), bytes_); }
  bool guard_is_whole() const {
    std::vector<std::byte> guard(guard_bytes);
    move(guard.data(), data() + bytes_, guard_bytes);
    return std::all_of(guard.begin(), guard.end(), [](std::byte b) { return b == poison; });
  }

 private:
  void move(void* to, const void* from, std::size_t bytes) const {
    if (on_host_) {
      std::memcpy(to, from, bytes);
      return;
    }
    const device::DeviceScope scope(device_);
    const device::Stream stream = device::make_stream();
    device::copy_bytes(to, from, bytes, stream.get());
    device::synchronize(stream.get());
  }
  int device_;
  std::size_t bytes_;
  std::size_t shift_;
  bool on_host_ = false;
  std::shared_ptr<void> memory_;
};

/// The ranks of a plan that this process has, and how to run one direction on all of them.
struct Members {
  std::vector<int> devices;
  std::function<Side(bool output, std::size_t member)> side;
  std::function<void(Direction, const std::vector<const void*>&, const std::vector<void*>&)> run;
};

inline Members members_of(Plan& plan) {
  std::vector<int> devices;
  for (int m = 0; m < plan.members(); ++m) devices.push_back(plan.device(m));
  return {devices,
          [&plan](bool output, std::size_t m) {
            return output ? plan.output(static_cast<int>(m)) : plan.input(static_cast<int>(m));
          },
          [&plan](Direction d, const std::vector<const void*>& in, const std::vector<void*>& out) {
            d == Direction::forward ? plan.forward(in, out) : plan.backward(in, out);
          }};
}

/// One member's arrays of one run: on the host, and where the plan finds them.
struct RunArrays {
  RunArrays(const Side& from, const Side& to, const TransformCase& c, const std::string& memory, int device,
            bool in_place)
      : from_side(from),
        to_side(to),
        bytes(in_place ? std::max(from.bytes(), to.bytes()) : 0),
        host_in(from, bytes),
        host_out(to, bytes),
        out(memory, device, std::max(bytes, to.bytes()), c.shift * to.element.bytes()) {
    if (!in_place) in = std::make_unique<PlacedArray>(memory, device, from.bytes(), c.shift * from.element.bytes());
  }
  PlacedArray& source() { return in ? *in : out; }

  Side from_side, to_side;
  std::size_t bytes;
  LocalArray host_in, host_out;
  PlacedArray out;
  std::unique_ptr<PlacedArray> in;
};

inline std::vector<RunArrays> make_arrays(const Members& members, const TransformCase& c, Direction direction,
                                          const std::string& memory, bool in_place) {
  const bool forward = direction == Direction::forward;
  std::vector<RunArrays> arrays;
  for (std::size_t m = 0; m < members.devices.size(); ++m)
    arrays.emplace_back(members.side(!forward, m), members.side(forward, m), c, memory, members.devices[m], in_place);
  return arrays;
}

/// Runs with these arrays and compares; they may be used again.
inline void check_arrays(const Members& members, std::vector<RunArrays>& arrays, const TransformCase& c,
                         Direction direction, std::uint64_t salt) {
  SCOPED_TRACE(std::string(direction == Direction::forward ? "forward" : "backward") +
               (arrays.front().in ? "" : ", in place"));
  const WholeArrays whole = whole_arrays(c, direction, arrays.front().from_side.element, salt);
  std::vector<const void*> ins;
  std::vector<void*> outs;
  for (RunArrays& a : arrays) {
    for (std::int64_t f = 0; f < c.options.batch; ++f)
      for_own_elements(a.from_side, f, [&](std::int64_t address, std::int64_t i) {
        a.host_in.set(address, whole.input[to_size(f)][to_size(i)]);
      });
    a.source().put(a.host_in.data());
    ins.push_back(a.source().data());
    outs.push_back(a.out.data());
  }
  members.run(direction, ins, outs);
  for (std::size_t m = 0; m < arrays.size(); ++m) {
    SCOPED_TRACE("rank " + std::to_string(arrays[m].to_side.rank));
    RunArrays& a = arrays[m];
    a.out.get(a.host_out.data());
    for (std::int64_t f = 0; f < c.options.batch; ++f)
      compare_field(a.host_out, a.to_side, f, whole.output[to_size(f)], whole.points);
    EXPECT_TRUE(a.out.guard_is_whole()) << "written behind the output";
    if (!a.in) continue;
    LocalArray after(a.from_side, a.bytes);
    a.in->get(after.data());
    EXPECT_TRUE(after.memory() == a.host_in.memory()) << "the input was written";
  }
}

/// Both directions, out of place and in place.
inline void check_device_plan(const Members& members, const TransformCase& c, const std::string& memory = "device",
                              std::uint64_t salt = 1) {
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const bool in_place : {false, true}) {
      std::vector<RunArrays> arrays = make_arrays(members, c, direction, memory, in_place);
      check_arrays(members, arrays, c, direction, salt);
    }
}

/// Options for many small plans on GPUs.
inline Options on_gpu(const std::string& algorithm = "auto") {
  Options o;
  o.effort = Effort::estimate;
  o.processor = Processor::gpu;
  o.algorithm = algorithm;
  return o;
}

inline Plan make_plan_over(const std::vector<int>& devices, const TransformCase& c) {
  return plan_of(c, static_cast<int>(devices.size()),
                 [&devices](const auto&... arguments) { return Plan(Devices(devices), arguments...); });
}

}  // namespace shardfft::test
