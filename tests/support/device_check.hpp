#pragma once
// Transforms on GPUs against the serial reference: the same cases as on CPUs, arrays in any memory, one rank a process
// or all ranks in one.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

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
    else if (memory == "pages")
      memory_ = {device::allocate(device::in_whole_pages(whole)), device::release};
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
      std::copy_n(static_cast<const std::byte*>(from), bytes, static_cast<std::byte*>(to));
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
  /// What an array holds that is input and output at once.
  std::function<std::size_t(std::size_t member)> in_place_bytes;
};

Members members_of(Plan& plan);

/// One member's arrays of one run: on the host, and where the plan finds them.
struct CallArrays {
  /// `in_place`: what one array for both holds.
  CallArrays(const Side& from, const Side& to, const TransformCase& c, const std::string& memory, int device,
             std::optional<std::size_t> in_place)
      : from_side(from),
        to_side(to),
        bytes(in_place.value_or(0)),
        host_in(from, bytes),
        host_out(to, bytes),
        out(memory, device, std::max(bytes, to.bytes()), c.shift * to.element.bytes()) {
    if (!in_place) in = std::make_unique<PlacedArray>(memory, device, from.bytes(), c.shift * from.element.bytes());
  }
  PlacedArray& source() { return in ? *in : out; }
  /// This member's part of all fields, on the host and where the plan reads it.
  void put(const WholeArrays& whole);

  Side from_side, to_side;
  std::size_t bytes;
  LocalArray host_in, host_out;
  PlacedArray out;
  std::unique_ptr<PlacedArray> in;
};

std::vector<CallArrays> make_arrays(const Members& members, const TransformCase& c, Direction direction,
                                    const std::string& memory, bool in_place);

/// Puts the fields of a whole array into these, and runs.
void run_arrays(const Members& members, std::vector<CallArrays>& arrays, Direction direction, const WholeArrays& whole);

/// Runs with these arrays and compares; they may be used again.
void check_arrays(const Members& members, std::vector<CallArrays>& arrays, const TransformCase& c, Direction direction,
                  std::uint64_t salt);

/// Both directions, out of place, unless the workspace is the least one, and in place.
void check_device_plan(const Members& members, const TransformCase& c, const std::string& memory = "device",
                       std::uint64_t salt = 1);

/// Calls in both directions on the plan's streams, for which nothing waits: each on fresh data in the same two arrays,
/// whose result is poisoned before it and whose source is wiped as soon as the streams allow it.
void check_without_pause(Plan& plan, const TransformCase& c);

/// Options for many small plans on GPUs.
Options on_gpu(const std::string& algorithm = "auto");

Plan make_plan_over(const std::vector<int>& devices, const TransformCase& c);

}  // namespace shardfft::test
