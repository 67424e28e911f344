// Plans of one process for several GPUs; arrays as in plan.cpp, one a GPU.
#include "shardfft/group_plan.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "bind.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::GroupPlan;
using shardfft::Options;

namespace {

std::vector<void*> pointers(const std::vector<std::uintptr_t>& addresses) {
  std::vector<void*> result;
  for (const std::uintptr_t address : addresses) result.push_back(shardfft::python::pointer(address));
  return result;
}

class PyGroupPlan {
 public:
  PyGroupPlan(const std::vector<int>& devices, shardfft::Transform transform, const shardfft::Layout& input,
              const std::optional<shardfft::Layout>& output, bool natural, const Options& options)
      : devices_(devices) {
    const nb::gil_scoped_release others_may_run;
    if (output)
      plan_ = std::make_unique<GroupPlan>(devices, transform, input, *output, options);
    else
      plan_ = std::make_unique<GroupPlan>(devices, transform, input,
                                          natural ? shardfft::natural_output : shardfft::default_output, options);
  }

  GroupPlan& get() {
    if (!plan_) throw shardfft::Error(shardfft::Status::invalid_argument, "this plan was closed");
    return *plan_;
  }
  void set_streams(const std::vector<std::uintptr_t>& streams) { get().set_streams(pointers(streams)); }
  void run(bool forward, const std::vector<std::uintptr_t>& in, const std::vector<std::uintptr_t>& out) {
    GroupPlan& plan = get();
    const std::vector<void*> sources = pointers(in), to = pointers(out);
    const std::vector<const void*> from(sources.begin(), sources.end());
    const shardfft::python::InUse use(used_);
    const nb::gil_scoped_release others_may_run;
    if (forward)
      plan.forward(from, to);
    else
      plan.backward(from, to);
  }
  shardfft::python::Memory allocate(bool input, int rank) {
    GroupPlan& plan = get();
    return shardfft::python::make_memory(input ? plan.allocate_input(rank) : plan.allocate_output(rank),
                                         devices_.at(static_cast<std::size_t>(rank)));
  }
  void close() {
    const shardfft::python::InUse use(used_);
    std::unique_ptr<GroupPlan> ended = std::move(plan_);
    const nb::gil_scoped_release others_may_run;
    ended.reset();
  }
  bool closed() const { return !plan_; }

 private:
  std::vector<int> devices_;
  std::unique_ptr<GroupPlan> plan_;
  bool used_ = false;
};

}  // namespace

void shardfft::python::bind_group_plan(nb::module_& module) {
  nb::class_<PyGroupPlan>(module, "GroupPlan")
      .def(nb::init<const std::vector<int>&, Transform, const Layout&, const std::optional<Layout>&, bool,
                    const Options&>(),
           "devices"_a, "transform"_a, "input"_a, "output"_a.none(), "natural"_a, "options"_a)
      .def("set_streams", &PyGroupPlan::set_streams, "streams"_a)
      .def("run", &PyGroupPlan::run, "forward"_a, "sources"_a, "destinations"_a)
      .def("report", [](PyGroupPlan& self) { return self.get().report(); })
      .def("close", &PyGroupPlan::close)
      .def_prop_ro("closed", &PyGroupPlan::closed)
      .def(
          "input", [](PyGroupPlan& self, int rank) { return self.get().input(rank); }, "rank"_a)
      .def(
          "output", [](PyGroupPlan& self, int rank) { return self.get().output(rank); }, "rank"_a)
      .def(
          "stream", [](PyGroupPlan& self, int rank) { return address(self.get().stream(rank)); }, "rank"_a)
      .def_prop_ro("workspace_bytes", [](PyGroupPlan& self) { return self.get().workspace_bytes(); })
      .def(
          "allocate_input", [](PyGroupPlan& self, int rank) { return self.allocate(true, rank); }, "rank"_a)
      .def(
          "allocate_output", [](PyGroupPlan& self, int rank) { return self.allocate(false, rank); }, "rank"_a);
}
