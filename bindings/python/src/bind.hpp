#pragma once
// The parts of the extension module; one function a source file.
#include <nanobind/nanobind.h>

#include "shardfft/shardfft.hpp"

namespace shardfft::python {

void bind_layout(nanobind::module_& module);
void bind_options(nanobind::module_& module);
void bind_gpu(nanobind::module_& module);
void bind_memory(nanobind::module_& module);
void bind_ends(nanobind::module_& module);
void bind_gradients(nanobind::module_& module);
void bind_report(nanobind::module_& module);
void bind_operator(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_redistribution(nanobind::module_& module);
void bind_halo(nanobind::module_& module);
void bind_poisson(nanobind::module_& module);

/// A plan's memory for Python's arrays; it lives as long as they do.
struct Memory {
  Buffer buffer;
  MemoryPlace place;
};
/// `device`: the plan's GPU; -1 for plans on CPUs, for which no GPU runtime is called.
Memory make_memory(Buffer buffer, int device);

/// A call of a plan; only one thread at a time may make one. Begun and ended under the interpreter's lock, which the
/// call may release in between.
class InUse {
 public:
  explicit InUse(bool& used) : used_(used) {
    if (used)
      throw Error(Status::invalid_argument,
                  "another thread is in a call of this plan: let it come back before you use the plan or close it");
    used = true;
  }
  ~InUse() { used_ = false; }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  bool& used_;
};

/// Calls a plan or redistribution without the interpreter's lock. If it fails half-way, the owner of its `arrays` lives
/// as long as the process, because MPI may still use them.
template <class Planned, class Work>
auto keeping(const nanobind::object& arrays, const Planned& planned, const Work& work) {
  const bool failed_before = planned.failed_half_way();
  try {
    return work();
  } catch (...) {
    // The call in between changes the answer.
    // cppcheck-suppress incorrectLogicOperator
    if (!failed_before && planned.failed_half_way()) {
      const nanobind::gil_scoped_acquire alone;
      arrays.inc_ref();
    }
    throw;
  }
}

/// Streams and addresses are passed as integers.
inline void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }
inline std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace shardfft::python
