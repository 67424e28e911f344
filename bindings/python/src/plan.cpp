// Plans. Arrays come as addresses: the Python side has checked their type, shape and memory order.
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "bind.hpp"
#include "shardfft/shardfft.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::Buffer;
using shardfft::Options;
using shardfft::Plan;
using shardfft::Side;

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
    const auto* from = reinterpret_cast<const void*>(in);
    auto* to = reinterpret_cast<void*>(out);
    const nb::gil_scoped_release others_may_run;
    if (forward)
      plan.forward(from, to);
    else
      plan.backward(from, to);
  }
  std::string report() {
    Plan& plan = get();
    const nb::gil_scoped_release others_may_run;
    return plan.report();
  }
  void close() { plan_.reset(); }
  /// Leaves the plan as it is for ever: ending it may wait for other ranks.
  void abandon() { static_cast<void>(plan_.release()); }
  bool closed() const { return !plan_; }

 private:
  std::unique_ptr<Plan> plan_;
};

/// A flat array over plan memory that lives as long as the array, or its views, do.
nb::ndarray<nb::numpy> flat_array(Buffer memory, const Side& side) {
  auto owner_memory = std::make_unique<Buffer>(std::move(memory));
  void* data = owner_memory->data();
  const nb::capsule owner(owner_memory.get(), [](void* p) noexcept { delete static_cast<Buffer*>(p); });
  owner_memory.release();
  nb::dlpack::dtype type{};
  type.code = static_cast<std::uint8_t>(side.element.is_complex ? nb::dlpack::dtype_code::Complex
                                                                : nb::dlpack::dtype_code::Float);
  type.bits = static_cast<std::uint8_t>(8 * side.element.bytes());
  type.lanes = 1;
  const auto count = static_cast<std::size_t>(side.count());
  return nb::ndarray<nb::numpy>(data, {count}, owner, {1}, type);
}

}  // namespace

void shardfft::python::bind_plan(nb::module_& module) {
  nb::enum_<Precision>(module, "Precision").value("f32", Precision::f32).value("f64", Precision::f64);
  nb::enum_<Kind>(module, "Kind").value("c2c", Kind::c2c).value("r2c", Kind::r2c).value("c2r", Kind::c2r);
  nb::enum_<Norm>(module, "Norm")
      .value("backward", Norm::backward)
      .value("ortho", Norm::ortho)
      .value("forward", Norm::forward)
      .value("none", Norm::none);
  nb::enum_<Effort>(module, "Effort")
      .value("estimate", Effort::estimate)
      .value("measure", Effort::measure)
      .value("patient", Effort::patient);

  nb::class_<Options>(module, "Options")
      .def(nb::init<>())
      .def_rw("algorithm", &Options::algorithm)
      .def_rw("exchange", &Options::exchange)
      .def_rw("local_fft", &Options::local_fft)
      .def_rw("norm", &Options::norm)
      .def_rw("effort", &Options::effort)
      .def_rw("axes", &Options::axes)
      .def_rw("real_extent", &Options::real_extent)
      .def_rw("batch", &Options::batch)
      .def_rw("chunks", &Options::chunks)
      .def_rw("threads", &Options::threads)
      .def_rw("grid", &Options::grid)
      .def_rw("in_place", &Options::in_place)
      .def_rw("check_calls", &Options::check_calls)
      .def_rw("fake_ranks_per_host", &Options::fake_ranks_per_host)
      .def_rw("trace", &Options::trace);

  nb::class_<Transform>(module, "Transform")
      .def("__init__",
           [](Transform* self, Kind kind, Precision precision) {
             new (self) Transform{kind, precision};
           })
      .def_ro("kind", &Transform::kind)
      .def_ro("precision", &Transform::precision);

  nb::class_<Side>(module, "Side")
      .def_ro("layout", &Side::layout)
      .def_ro("fields", &Side::fields)
      .def_ro("rank", &Side::rank)
      .def_prop_ro("count", &Side::count)
      .def_prop_ro("is_complex", [](const Side& side) { return side.element.is_complex; });

  nb::class_<PyPlan>(module, "Plan")
      .def(nb::init<std::uintptr_t, Transform, const Layout&, const std::optional<Layout>&, bool, const Options&>(),
           "comm_address"_a, "transform"_a, "input"_a, "output"_a.none(), "natural"_a, "options"_a)
      .def("run", &PyPlan::run, "forward"_a, "source"_a, "destination"_a)
      .def("report", &PyPlan::report)
      .def("close", &PyPlan::close)
      .def("abandon", &PyPlan::abandon)
      .def_prop_ro("closed", &PyPlan::closed)
      .def_prop_ro("input", [](PyPlan& self) { return self.get().input(); })
      .def_prop_ro("output", [](PyPlan& self) { return self.get().output(); })
      .def_prop_ro("workspace_bytes", [](PyPlan& self) { return self.get().workspace_bytes(); })
      .def("allocate_input", [](PyPlan& self) { return flat_array(self.get().allocate_input(), self.get().input()); })
      .def("allocate_output",
           [](PyPlan& self) { return flat_array(self.get().allocate_output(), self.get().output()); });
}
