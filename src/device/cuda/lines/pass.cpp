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

std::vector<int> key_of(int n, Precision precision, bool odd) { return {n, static_cast<int>(precision), odd ? 1 : 0}; }
std::vector<int> key_of(int n, int m, Precision precision, bool real) {
  return {n, m, static_cast<int>(precision), real ? 1 : 0};
}

Registry<Prepared>& lines_of_devices() {
  static Registry<Prepared> all;
  return all;
}
Registry<Prepared>& checked_lines_of_devices() {
  static Registry<Prepared> all;
  return all;
}
Registry<PreparedPlanes>& planes_of_devices() {
  static Registry<PreparedPlanes> all;
  return all;
}

Registry<PreparedPlanes>& checked_planes_of_devices() {
  static Registry<PreparedPlanes> all;
  return all;
}

/// `make` does so of a recipe, for even rows or odd ones.
void prepare_rows(Registry<Prepared>& all, int n, Precision precision, bool odd_rows,
                  Prepared (*make)(const Recipe&, Precision, bool)) {
  require_kernel(n, precision, odd_rows);
  for (const bool odd : {false, true})
    if (!odd || odd_rows)
      all.prepare(key_of(n, precision, odd), [&] { return make(*recipe_for(n, odd), precision, odd); });
}

}  // namespace

bool supported(int n) { return recipe_for(n) != nullptr; }

bool takes_odd_rows(int n) { return recipe_for(n, true) != nullptr; }

bool reads_from(int n, const Side& side) {
  const Recipe* recipe = recipe_for(n);
  return recipe != nullptr && reads_from(recipe->tile(), side);
}

void prepare(int n, Precision precision, bool odd_rows) {
  prepare_rows(lines_of_devices(), n, precision, odd_rows, make_prepared);
}

bool checkable(int n) { return can_compile() && supported(n); }

void prepare_checked(int n, Precision precision, bool odd_rows) {
  prepare_rows(checked_lines_of_devices(), n, precision, odd_rows, make_checked);
}

void run(const Pass& pass, void* stream) {
  require(supported(pass.n), "no line kernel for ", pass.n, " points");
  require_pass(pass);
  auto& kernels = pass.checks.results != nullptr ? checked_lines_of_devices() : lines_of_devices();
  launch(kernels.get(key_of(pass.n, pass.precision, is_odd(pass))), pass, stream);
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
  planes_of_devices().prepare(key_of(n, m, precision, real),
                              [&] { return make_prepared(plane_cut_for(n, m, precision, {real}), precision, real); });
}

bool planes_checkable(int n, int m) { return can_compile() && has_plane_cuts(n, m); }

void prepare_checked_planes(int n, int m, Precision precision, bool real) {
  checked_planes_of_devices().prepare(key_of(n, m, precision, real), [&] {
    return make_checked(plane_cut_for(n, m, precision, {real, true}), precision, real);
  });
}

void run(const PlanePass& pass, std::uint32_t* counters, void* stream) {
  const Pass& columns = pass.columns;
  require_planes(pass);
  auto& kernels = columns.checks.results != nullptr ? checked_planes_of_devices() : planes_of_devices();
  launch(kernels.get(key_of(columns.n, pass.m, columns.precision, pass.real)), pass, counters, stream);
}

}  // namespace shardfft::device::lines
