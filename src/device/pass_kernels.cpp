#include "device/pass_kernels.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "base/check.hpp"
#include "device/facts.hpp"
#include "device/runtime.hpp"

namespace shardfft::device::lines {
namespace {

/// Objects made once, by key, and kept until exit.
template <class Key, class Value>
class Kept {
 public:
  template <class Make>
  const Value& get(const Key& key, const Make& make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = all_.find(key);
    return found != all_.end() ? found->second : all_.emplace(key, make()).first->second;
  }
  /// Null if none was made.
  Value find(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = all_.find(key);
    return found != all_.end() ? found->second : Value();
  }

 private:
  std::mutex mutex_;
  std::map<Key, Value> all_;
};

/// Never destroyed: passes may run while a process ends.
template <class Key, class Value>
Kept<Key, Value>& kept() {
  static Kept<Key, Value>& all = *new Kept<Key, Value>;
  return all;
}

/// One value for each kind of hardware: recipes depend on nothing else of a device.
template <class Value, class Make>
const Value& of_hardware(int n, int m, const Make& make) {
  const Hardware h = hardware_of(current_facts());
  const bool compiles = can_compile();
  const std::tuple key(n, m, compiles, h.shared_bytes, h.all_shared_bytes, h.registers, h.threads, h.bulk_copies);
  return kept<std::remove_const_t<decltype(key)>, Value>().get(key, [&] { return make(h, compiles); });
}

const std::vector<PlaneCut>& plane_cuts_here(int n, int m) {
  return of_hardware<std::vector<PlaneCut>>(
      n, m, [&](const Hardware& hardware, bool compiles) { return plane_cuts_for(n, m, hardware, compiles); });
}

const PlaneCut& plane_cut_for(int n, int m, Precision precision, PlaneSkills skills) {
  const std::vector<PlaneCut>& cuts = plane_cuts_here(n, m);
  require(!cuts.empty(), "no plane kernel for ", n, " rows of ", m, " points");
  return cuts.size() == 1 ? cuts.front() : choose_cut(cuts, precision, skills);
}

/// Kernels by the lengths, type and skills that they were made for, and by device.
using KernelKey = std::vector<int>;
template <class Kernels>
using Registry = Kept<KernelKey, std::shared_ptr<const Kernels>>;
Registry<Prepared>& line_kernels() { return kept<KernelKey, std::shared_ptr<const Prepared>>(); }
Registry<PreparedPlanes>& plane_kernels() { return kept<KernelKey, std::shared_ptr<const PreparedPlanes>>(); }

KernelKey key_of(int n, Precision precision, KernelSkills skills) {
  const int bits = (skills.odd ? 1 : 0) + (skills.checks ? 2 : 0) + (skills.multiplies ? 4 : 0);
  return {n, static_cast<int>(precision), bits, current_device()};
}
KernelKey key_of(int n, int m, Precision precision, PlaneSkills skills) {
  return {n, m, static_cast<int>(precision), skills.real ? 1 : 0, skills.checks ? 1 : 0, current_device()};
}

template <class Kernels>
const Kernels& prepared(Registry<Kernels>& registry, const KernelKey& key) {
  const std::shared_ptr<const Kernels> found = registry.find(key);  // the registry never drops it
  if (found == nullptr)
    fail(Status::internal, "a pass over ", key.front(), " points was not prepared on device ", key.back());
  return *found;
}

void prepare_kernels(int n, Precision precision, KernelSkills skills) {
  require_kernel(n, precision, skills.odd);
  line_kernels().get(key_of(n, precision, skills),
                     [&] { return make_prepared(*recipe_for(n, skills.odd), precision, skills); });
}

void prepare_kernels(int n, int m, Precision precision, PlaneSkills skills) {
  plane_kernels().get(key_of(n, m, precision, skills),
                      [&] { return make_prepared(plane_cut_for(n, m, precision, skills), precision, skills); });
}

}  // namespace

void compile_ahead(const LineKernel& kernel) {
  const KernelSkills skills{kernel.odd, kernel.checks, kernel.multiplies};
  const Recipe* const recipe = recipe_for(kernel.n, kernel.odd);
  if (recipe != nullptr && line_kernels().find(key_of(kernel.n, kernel.precision, skills)) == nullptr)
    compile_ahead(*recipe, kernel.precision, skills);
}

void compile_ahead(const PlaneKernel& kernel) {
  const auto& [n, m, precision, real, checks] = kernel;
  const PlaneSkills skills{real, checks};
  const std::vector<PlaneCut>& cuts = plane_cuts_here(n, m);
  if (!cuts.empty() && plane_kernels().find(key_of(n, m, precision, skills)) == nullptr)
    compile_ahead(cuts, precision, skills);
}

const Recipe* recipe_for(int n, bool odd) {
  const auto& found = of_hardware<std::optional<Recipe>>(
      n, odd ? 1 : 0, [&](const Hardware& hardware, bool compiles) { return recipe_for(n, hardware, compiles, odd); });
  return found ? &*found : nullptr;
}

bool supported(int n) { return recipe_for(n) != nullptr; }

bool takes_odd_rows(int n) { return recipe_for(n, true) != nullptr; }

bool reads_from(int n, const Side& side) {
  const Recipe* recipe = recipe_for(n);
  return recipe != nullptr && reads_from(recipe->tile(), side);
}

void prepare(int n, Precision precision, bool odd_rows) { prepare_kernels(n, precision, {odd_rows, false}); }

bool checkable(int n) { return can_compile() && supported(n); }

void prepare_checked(int n, Precision precision, bool odd_rows) { prepare_kernels(n, precision, {odd_rows, true}); }

void prepare_to_multiply(int n, Precision precision, bool odd_rows) {
  prepare_kernels(n, precision, {odd_rows, false, true});
}

void run(const Pass& pass, void* stream) {
  require(supported(pass.n), "no line kernel for ", pass.n, " points");
  require_pass(pass);
  const KernelSkills skills{is_odd(pass), pass.checks.results != nullptr, pass.factors.are != FactorsAre::none};
  launch(prepared(line_kernels(), key_of(pass.n, pass.precision, skills)), pass, stream);
}

bool rows_supported(std::int64_t n, std::int64_t m) {
  return may_be_plane(n, m) && !plane_cuts_here(static_cast<int>(n), static_cast<int>(m)).empty();
}

bool planes_supported(std::int64_t n, std::int64_t m, Precision precision, bool real) {
  return fits_planes(n, m, precision, real, current_facts()) && rows_supported(n, m);
}

void prepare_planes(int n, int m, Precision precision, bool real) {
  prepare_kernels(n, m, precision, PlaneSkills{real});
}

bool planes_checkable(int n, int m) { return can_compile() && !plane_cuts_here(n, m).empty(); }

void prepare_checked_planes(int n, int m, Precision precision, bool real) {
  prepare_kernels(n, m, precision, PlaneSkills{real, true});
}

void run(const PlanePass& pass, std::uint32_t* counters, void* stream) {
  const Pass& columns = pass.columns;
  require_planes(pass);
  const PlaneSkills skills{pass.real, columns.checks.results != nullptr};
  launch(prepared(plane_kernels(), key_of(columns.n, pass.m, columns.precision, skills)), pass, counters, stream);
}

}  // namespace shardfft::device::lines
