// Plans. Arrays come as addresses: the Python side has checked their type, shape and memory order.
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>

#include "bind.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::Options;
using shardfft::Plan;

namespace {

/// A plan that close() may end before Python's garbage collector would: ending is collective.
class PyPlan {
 public:
  PyPlan(std::uintptr_t comm_address, shardfft::Transform transform, const shardfft::Layout& input,
         const std::optional<shardfft::Layout>& output, bool natural, const Options& options) {
    // mpi4py gives the address of its handle.
    MPI_Comm comm = *reinterpret_cast<const MPI_Comm*>(comm_address);
    const nb::gil_scoped_release others_may_run;
    if (output)
      plan_ = std::make_unique<Plan>(comm, transform, input, *output, options);
    else
      plan_ = std::make_unique<Plan>(comm, transform, input,
                                     natural ? shardfft::natural_output : shardfft::default_output, options);
  }

  Plan& get() {
    if (!plan_) throw shardfft::Error(shardfft::Status::invalid_argument, "this plan was closed");
    return *plan_;
  }
  void run(bool forward, std::uintptr_t in, std::uintptr_t out) {
    Plan& plan = get();
    const void* from = shardfft::python::pointer(in);
    void* to = shardfft::python::pointer(out);
    const shardfft::python::InUse use(used_);
    const nb::gil_scoped_release others_may_run;
    if (forward)
      plan.forward(from, to);
    else
      plan.backward(from, to);
  }
  void refuse(const std::string& why) {
    Plan& plan = get();
    const shardfft::python::InUse use(used_);
    const nb::gil_scoped_release others_may_run;
    plan.refuse(why);
  }
  shardfft::PlanReport report() {
    Plan& plan = get();
    const shardfft::python::InUse use(used_);
    const nb::gil_scoped_release others_may_run;
    return plan.report();
  }
  shardfft::python::Memory allocate(bool input) {
    Plan& plan = get();
    const shardfft::python::InUse use(used_);
    shardfft::Buffer buffer;
    {
      const nb::gil_scoped_release others_may_run;
      buffer = input ? plan.allocate_input() : plan.allocate_output();
    }
    return shardfft::python::make_memory(std::move(buffer), plan.device());
  }
  void close() {
    const shardfft::python::InUse use(used_);
    std::unique_ptr<Plan> ended = std::move(plan_);
    const nb::gil_scoped_release others_may_run;
    ended.reset();
  }
  /// Leaves the plan as it is for ever: ending it may wait for other ranks.
  void abandon() { static_cast<void>(plan_.release()); }
  bool closed() const { return !plan_; }

 private:
  std::unique_ptr<Plan> plan_;
  bool used_ = false;
};

}  // namespace

void shardfft::python::bind_plan(nb::module_& module) {
  nb::class_<PyPlan>(module, "Plan")
      .def(nb::init<std::uintptr_t, Transform, const Layout&, const std::optional<Layout>&, bool, const Options&>(),
           "comm_address"_a, "transform"_a, "input"_a, "output"_a.none(), "natural"_a, "options"_a)
      .def("run", &PyPlan::run, "forward"_a, "source"_a, "destination"_a)
      .def("refuse", &PyPlan::refuse, "why"_a)
      .def("report", &PyPlan::report)
      .def("close", &PyPlan::close)
      .def("abandon", &PyPlan::abandon)
      .def_prop_ro("closed", &PyPlan::closed)
      .def_prop_ro("input", [](PyPlan& self) { return self.get().input(); })
      .def_prop_ro("output", [](PyPlan& self) { return self.get().output(); })
      .def_prop_ro("device", [](PyPlan& self) { return self.get().device(); })
      .def_prop_ro("stream", [](PyPlan& self) { return address(self.get().stream()); })
      .def_prop_ro("workspace_bytes", [](PyPlan& self) { return self.get().workspace_bytes(); })
      .def("allocate_input", [](PyPlan& self) { return self.allocate(true); })
      .def("allocate_output", [](PyPlan& self) { return self.allocate(false); });
}
