// Plans. Arrays are passed as addresses, one a member of this process; the Python side has checked their type, shape
// and memory order.
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "ends.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::Direction;
using shardfft::Layout;
using shardfft::Options;
using shardfft::Plan;
using shardfft::python::Way;

namespace {

using Addresses = std::vector<std::uintptr_t>;
using Inputs = std::vector<const void*>;
using Outputs = std::vector<void*>;

Outputs pointers(const Addresses& addresses) {
  Outputs result;
  for (const std::uintptr_t address : addresses) result.push_back(shardfft::python::pointer(address));
  return result;
}

/// "forward", "backward", or either with "_adjoint".
Way way_of(const std::string& name) {
  return {name.starts_with("forward") ? Direction::forward : Direction::backward, name.ends_with("_adjoint")};
}

/// mpi4py passes the address of its handle; 0 if the ranks are devices.
shardfft::Ranks ranks_of(std::uintptr_t comm_address, const std::vector<int>& devices) {
  if (comm_address == 0) return shardfft::Devices(devices);
  return *reinterpret_cast<const MPI_Comm*>(comm_address);
}

/// A plan that close() can end before Python's garbage collector would: ending is collective.
class PyPlan {
  template <class Work>
  auto during(const Work& work) {
    Plan& plan = get();
    const shardfft::python::InUse use(used_);
    const nb::gil_scoped_release others_may_run;
    return work(plan);
  }
  template <class Work>
  auto called(const Addresses& in, const Addresses& out, const nb::object& arrays, const Work& work) {
    const Outputs sources = pointers(in), to = pointers(out);
    const Inputs from(sources.begin(), sources.end());
    return during(
        [&](Plan& plan) { return shardfft::python::keeping(arrays, plan, [&] { return work(plan, from, to); }); });
  }

 public:
  PyPlan(std::uintptr_t comm_address, const std::vector<int>& devices, shardfft::Transform transform,
         const Layout& input, const std::optional<Layout>& output, bool natural, const Options& options) {
    const shardfft::Ranks ranks = ranks_of(comm_address, devices);
    const nb::gil_scoped_release others_may_run;
    if (output)
      plan_ = std::make_unique<Plan>(ranks, transform, input, *output, options);
    else
      plan_ = std::make_unique<Plan>(ranks, transform, input,
                                     natural ? shardfft::natural_output : shardfft::default_output, options);
  }

  Plan& get() {
    if (!plan_) throw shardfft::Error(shardfft::Status::invalid_argument, "this plan was closed");
    return *plan_;
  }
  /// `arrays`: the owner of the memory at these addresses.
  void run(Way way, const Addresses& in, const Addresses& out, const nb::object& arrays) {
    called(in, out, arrays, [&](Plan& plan, const Inputs& from, const Outputs& to) {
      if (way.adjoint) return plan.adjoint(way.of, from, to);
      way.of == Direction::forward ? plan.forward(from, to) : plan.backward(from, to);
    });
  }
  void apply(const shardfft::Operator& op, const Addresses& in, const Addresses& out, const nb::object& arrays) {
    called(in, out, arrays, [&](Plan& plan, const Inputs& from, const Outputs& to) { plan.apply(op, from, to); });
  }
  shardfft::Operator convolution(const Addresses& kernels, const nb::object& arrays) {
    return called(kernels, {}, arrays, [](Plan& plan, const Inputs& from, const Outputs& /*none*/) {
      return plan.convolution(std::span<const void* const>(from));
    });
  }
  void refuse(const std::string& why) {
    during([&](Plan& plan) { plan.refuse(why); });
  }
  void set_streams(const Addresses& streams) {
    during([to = pointers(streams)](Plan& plan) { plan.set_streams(to); });
  }
  std::string way() {
    return during([](Plan& plan) { return plan.way(); });
  }
  shardfft::PlanReport report() {
    return during([](Plan& plan) { return plan.report(); });
  }
  shardfft::python::Memory allocate(bool input, int member) {
    shardfft::Buffer buffer =
        during([&](Plan& plan) { return input ? plan.allocate_input(member) : plan.allocate_output(member); });
    return shardfft::python::make_memory(std::move(buffer), get().device(member));
  }
  void close() {
    const shardfft::python::InUse use(used_);
    std::unique_ptr<Plan> ended = std::move(plan_);
    const nb::gil_scoped_release others_may_run;
    ended.reset();
  }
  /// Never ends the plan, because that may wait for other ranks.
  void abandon() { static_cast<void>(plan_.release()); }
  bool closed() const { return !plan_; }

 private:
  std::unique_ptr<Plan> plan_;
  bool used_ = false;
};

/// Lets the plan tell the other ranks of an error here.
void refuse(nb::handle plan, nb::handle error) { plan.attr("_refuse")(error); }

}  // namespace

nb::object shardfft::python::Again::call(nb::handle plan, nb::handle x, nb::handle out) const {
  std::optional<Ends::Taken> taken;
  const Ends& both = nb::cast<const Ends&>(ends);
  try {
    taken = both.take(x, out);
  } catch (nb::python_error& error) {
    refuse(plan, error.value());
    throw;
  } catch (const std::exception& error) {
    refuse(plan, nb::handle(PyExc_RuntimeError)(error.what()));
    throw;
  }
  if (!taken) return nb::none();
  nb::cast<PyPlan&>(core).run(way, {taken->source}, {taken->destination}, nb::make_tuple(x, taken->result));
  both.lead(taken->theirs);
  return taken->result;
}

void shardfft::python::bind_plan(nb::module_& module) {
  nb::class_<PyPlan>(module, "Plan")
      .def(nb::init<std::uintptr_t, const std::vector<int>&, Transform, const Layout&, const std::optional<Layout>&,
                    bool, const Options&>(),
           "comm_address"_a, "devices"_a, "transform"_a, "input"_a, "output"_a.none(), "natural"_a, "options"_a)
      .def(
          "run",
          [](PyPlan& self, const std::string& what, const Addresses& from, const Addresses& to,
             const nb::object& arrays) { self.run(way_of(what), from, to, arrays); },
          "what"_a, "sources"_a, "destinations"_a, "arrays"_a)
      .def("apply", &PyPlan::apply, "operator"_a, "sources"_a, "destinations"_a, "arrays"_a)
      .def("convolution", &PyPlan::convolution, "kernels"_a, "arrays"_a)
      .def("refuse", &PyPlan::refuse, "why"_a)
      .def("way", &PyPlan::way)
      .def("report", &PyPlan::report)
      .def("close", &PyPlan::close)
      .def("abandon", &PyPlan::abandon)
      .def_prop_ro("closed", &PyPlan::closed)
      .def_prop_ro("members", [](PyPlan& self) { return self.get().members(); })
      .def(
          "input", [](PyPlan& self, int member) { return self.get().input(member); }, "member"_a)
      .def(
          "output", [](PyPlan& self, int member) { return self.get().output(member); }, "member"_a)
      .def(
          "device", [](PyPlan& self, int member) { return self.get().device(member); }, "member"_a)
      .def(
          "stream", [](PyPlan& self, int member) { return address(self.get().stream(member)); }, "member"_a)
      .def("set_streams", &PyPlan::set_streams, "streams"_a)
      .def_prop_ro("workspace_bytes", [](PyPlan& self) { return self.get().workspace_bytes(); })
      .def(
          "in_place_bytes", [](PyPlan& self, int member) { return self.get().in_place_bytes(member); }, "member"_a)
      .def(
          "allocate_input", [](PyPlan& self, int member) { return self.allocate(true, member); }, "member"_a)
      .def(
          "allocate_output", [](PyPlan& self, int member) { return self.allocate(false, member); }, "member"_a);
  nb::class_<Again>(module, "Again")
      .def(
          "__init__",
          [](Again* self, nb::handle_t<PyPlan> core, const std::string& what, nb::handle_t<Ends> ends) {
            new (self) Again{nb::borrow(core), way_of(what), nb::borrow(ends)};
          },
          "core"_a, "what"_a, "ends"_a)
      .def("__call__", &Again::call, "plan"_a, "x"_a, "out"_a.none());
}
