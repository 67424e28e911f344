// Entry points of the line passes.
#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "device/cuda/lines/plane_launch.hpp"
#include "device/cuda/lines/registry.hpp"
#include "device/facts.hpp"

namespace shardfft::device::lines {
namespace {

const PlaneVariant* find_planes(int n, Precision precision) {
  return precision == Precision::f64 ? find_planes_f64(n) : find_planes_f32(n);
}

/// By device, length and precision.
template <class Kernels>
class Registry {
 public:
  /// `make` does so where `enough` says that what is there is not.
  template <class Enough, class Make>
  void prepare(int n, Precision precision, Enough enough, Make make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto key = key_of(n, precision);
    const auto found = all_.find(key);
    if (found == all_.end() || !enough(found->second)) all_.insert_or_assign(key, make());
  }
  Kernels get(int n, Precision precision) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto key = key_of(n, precision);
    if (const auto found = all_.find(key); found != all_.end()) return found->second;
    fail(Status::internal, "lines::prepare(", n, ") was not called on device ", std::get<0>(key));
  }

 private:
  using Key = std::tuple<int, int, Precision>;
  static Key key_of(int n, Precision precision) {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    return {device, n, precision};
  }

  std::mutex mutex_;
  std::map<Key, Kernels> all_;
};

Registry<Prepared>& lines_of_devices() {
  static Registry<Prepared> all;
  return all;
}
Registry<PreparedPlanes>& planes_of_devices() {
  static Registry<PreparedPlanes> all;
  return all;
}

/// Of shared memory, that a block on the current device may have.
int block_bytes() { return static_cast<int>(current_facts().shared_bytes_a_block); }

}  // namespace

bool supported(int n) { return recipe_for(n) != nullptr; }

bool takes_odd_rows(int n) {
  const Recipe* recipe = recipe_for(n);
  return recipe != nullptr && recipe->shared_bytes(Precision::f32, true) + reserved_shared_bytes <= block_bytes();
}

bool reads_from(int n, const Side& side) {
  const Recipe* recipe = recipe_for(n);
  return recipe != nullptr && reads_from(recipe->tile(), side);
}

void prepare(int n, Precision precision, bool odd_rows) {
  const Recipe* recipe = recipe_for(n);
  require(recipe != nullptr, "no line kernel for ", n, " points");
  lines_of_devices().prepare(
      n, precision, [&](const Prepared& there) { return !odd_rows || there.kernel[1][0]; },
      [&] { return make_prepared(*recipe, precision, odd_rows); });
  if (const PlaneVariant* planes = find_planes(n, precision); planes != nullptr && current_facts().bulk_copies)
    planes_of_devices().prepare(
        n, precision, [](const PreparedPlanes&) { return true; }, [&] { return make_prepared(*planes, precision); });
}

void run(const Pass& pass, void* stream) {
  require(supported(pass.n), "no line kernel for ", pass.n, " points");
  require_pass(pass);
  launch(lines_of_devices().get(pass.n, pass.precision), pass, stream);
}

bool planes_supported(int n, Precision precision, bool real) {
  const PlaneVariant* v = find_planes(n, precision);
  if (v == nullptr || !current_facts().bulk_copies || v->shared_bytes() + reserved_shared_bytes > block_bytes())
    return false;
  return planes_stay_cached(n, precision, real, current_facts());
}

void run(const PlanePass& pass, std::uint32_t* counters, void* stream) {
  const Pass& columns = pass.columns;
  const PlaneVariant* v = find_planes(columns.n, columns.precision);
  require(v != nullptr, "no plane kernel for ", columns.n, " points");
  require_planes(pass);
  launch(planes_of_devices().get(columns.n, columns.precision), pass, counters, stream);
}

}  // namespace shardfft::device::lines
