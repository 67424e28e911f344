// Entry points of the line passes.
#include <map>
#include <mutex>
#include <vector>

#include "device/cuda/lines/jit.hpp"
#include "device/cuda/lines/plane_launch.hpp"
#include "device/cuda/lines/registry.hpp"
#include "device/facts.hpp"
#include "device/runtime.hpp"

namespace shardfft::device::lines {
namespace {

/// Kernels that were made, by device and by what they were made for: lengths and types.
template <class Kernels>
class Registry {
 public:
  using Key = std::vector<int>;

  /// `make` does so where there are none.
  template <class Make>
  void prepare(Key key, Make make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    key.push_back(current_device());
    if (!all_.contains(key)) all_.emplace(key, make());
  }
  Kernels get(Key key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    key.push_back(current_device());
    if (const auto found = all_.find(key); found != all_.end()) return found->second;
    fail(Status::internal, "a pass over ", key.front(), " points was not prepared on device ", key.back());
  }

 private:
  std::mutex mutex_;
  std::map<Key, Kernels> all_;
};

template <class Kernels>
Registry<Kernels>& kernels_of_devices() {
  static Registry<Kernels> all;
  return all;
}

std::vector<int> key_of(int n, Precision precision, KernelSkills skills) {
  return {n, static_cast<int>(precision), skills.odd ? 1 : 0, skills.checks ? 1 : 0};
}
std::vector<int> key_of(int n, int m, Precision precision, PlaneSkills skills) {
  return {n, m, static_cast<int>(precision), skills.real ? 1 : 0, skills.checks ? 1 : 0};
}

/// For even rows, and for odd ones where there are any.
void prepare_kernels(int n, Precision precision, bool odd_rows, bool checks) {
  require_kernel(n, precision, odd_rows);
  for (const bool odd : {false, true})
    if (!odd || odd_rows)
      kernels_of_devices<Prepared>().prepare(key_of(n, precision, {odd, checks}), [&] {
        return make_prepared(*recipe_for(n, odd), precision, {odd, checks});
      });
}

void prepare_kernels(int n, int m, Precision precision, PlaneSkills skills) {
  kernels_of_devices<PreparedPlanes>().prepare(key_of(n, m, precision, skills), [&] {
    return make_prepared(plane_cut_for(n, m, precision, skills), precision, skills);
  });
}

}  // namespace

bool supported(int n) { return recipe_for(n) != nullptr; }

bool takes_odd_rows(int n) { return recipe_for(n, true) != nullptr; }

bool reads_from(int n, const Side& side) {
  const Recipe* recipe = recipe_for(n);
  return recipe != nullptr && reads_from(recipe->tile(), side);
}

void prepare(int n, Precision precision, bool odd_rows) { prepare_kernels(n, precision, odd_rows, false); }

bool checkable(int n) { return can_compile() && supported(n); }

void prepare_checked(int n, Precision precision, bool odd_rows) { prepare_kernels(n, precision, odd_rows, true); }

void run(const Pass& pass, void* stream) {
  require(supported(pass.n), "no line kernel for ", pass.n, " points");
  require_pass(pass);
  const KernelSkills skills{is_odd(pass), pass.checks.results != nullptr};
  launch(kernels_of_devices<Prepared>().get(key_of(pass.n, pass.precision, skills)), pass, stream);
}

bool rows_supported(std::int64_t n, std::int64_t m) {
  return may_be_plane(n, m) && has_plane_cuts(static_cast<int>(n), static_cast<int>(m));
}

bool planes_supported(std::int64_t n, std::int64_t m, Precision precision, bool real) {
  return fits_planes(n, m, precision, real, current_facts()) && rows_supported(n, m);
}

bool planes_shareable(const PlaneKernel& kernel, const Side& side) {
  const auto& [n, m, precision, real, checks] = kernel;
  return has_plane_cuts(n, m) && shares(plane_cut_for(n, m, precision, {real, checks}).columns, side);
}

void prepare_planes(int n, int m, Precision precision, bool real) {
  prepare_kernels(n, m, precision, PlaneSkills{real});
}

bool planes_checkable(int n, int m) { return can_compile() && has_plane_cuts(n, m); }

void prepare_checked_planes(int n, int m, Precision precision, bool real) {
  prepare_kernels(n, m, precision, PlaneSkills{real, true});
}

void run(const PlanePass& pass, std::uint32_t* counters, void* stream) {
  const Pass& columns = pass.columns;
  require_planes(pass);
  const PlaneSkills skills{pass.real, columns.checks.results != nullptr};
  launch(kernels_of_devices<PreparedPlanes>().get(key_of(columns.n, pass.m, columns.precision, skills)), pass, counters,
         stream);
}

}  // namespace shardfft::device::lines
