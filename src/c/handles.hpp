#pragma once
// Handles of the C interface: numbers that are given out once, so that a freed one is known for ever.
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/check.hpp"
#include "shardfft/c.h"
#include "shardfft/shardfft.hpp"

namespace shardfft::c {

/// The type behind a handle, and its name in messages.
template <class Handle>
struct Held;
template <>
struct Held<shardfft_layout> {
  using Type = Layout;
  static constexpr const char* name = "layout";
};
template <>
struct Held<shardfft_options> {
  using Type = Options;
  static constexpr const char* name = "set of options";
};
template <>
struct Held<shardfft_plan> {
  using Type = Plan;
  static constexpr const char* name = "plan";
};
template <>
struct Held<shardfft_operator> {
  using Type = Operator;
  static constexpr const char* name = "operator";
};
template <>
struct Held<shardfft_redistribution> {
  using Type = Redistribution;
  static constexpr const char* name = "redistribution";
};
template <>
struct Held<shardfft_halo> {
  using Type = HaloExchange;
  static constexpr const char* name = "halo exchange";
};
template <>
struct Held<shardfft_particle_mesh> {
  using Type = ParticleMesh;
  static constexpr const char* name = "particle mesh";
};
template <>
struct Held<shardfft_migration> {
  using Type = Migration;
  static constexpr const char* name = "migration";
};
template <>
struct Held<shardfft_poisson> {
  using Type = Poisson;
  static constexpr const char* name = "solver";
};
template <>
struct Held<shardfft_side> {
  using Type = Side;
  static constexpr const char* name = "side";
};
template <>
struct Held<shardfft_buffer> {
  using Type = Buffer;
  static constexpr const char* name = "buffer";
};
template <>
struct Held<shardfft_report> {
  using Type = PlanReport;
  static constexpr const char* name = "report";
};

/// A number that no handle had before.
std::uintptr_t new_number();

/// The handles of one kind that live. Safe for any threads; an object that a call uses lives until it returns.
template <class Handle>
class Registry {
 public:
  using Type = typename Held<Handle>::Type;

  /// Lives as long as the process: objects that users did not free must not be ended after MPI and other libraries.
  static Registry& one() {
    static auto* const registry = new Registry;
    return *registry;
  }
  Handle add(std::shared_ptr<Type> object) {
    const std::uintptr_t number = new_number();
    const std::scoped_lock alone(mutex_);
    objects_.emplace(number, std::move(object));
    return reinterpret_cast<Handle>(number);
  }
  std::shared_ptr<Type> find(Handle handle) {
    const std::scoped_lock alone(mutex_);
    return place(handle)->second;
  }
  std::shared_ptr<Type> take(Handle handle) {
    const std::scoped_lock alone(mutex_);
    const auto found = place(handle);
    std::shared_ptr<Type> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

 private:
  auto place(Handle handle) {
    constexpr const char* name = Held<Handle>::name;
    require(handle != nullptr, "the ", name, " is a null handle: create it first");
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    require(found != objects_.end(), "the ", name, " was freed, or is no ", name);
    return found;
  }

  std::mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Type>> objects_;
};

template <class Handle>
std::shared_ptr<typename Held<Handle>::Type> get(Handle handle) {
  return Registry<Handle>::one().find(handle);
}

}  // namespace shardfft::c
