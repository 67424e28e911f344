// Steps of PyTorch's backward pass through plans. On a GPU that pass runs on a thread of PyTorch's own, whose processor
// has nothing of Python's interpreter in its caches: a map that was applied before is applied again without a frame of
// it.
#include <nanobind/nanobind.h>

#include <utility>

#include "ends.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::python::Again;
using shardfft::python::Ends;

namespace {

/// A name that Python compares by its address.
class Name {
 public:
  explicit Name(const char* text) : name_(PyUnicode_InternFromString(text)) {}
  nb::object of(nb::handle object) const {
    nb::object found = nb::steal(PyObject_GetAttr(object.ptr(), name_));
    if (!found.is_valid()) nb::raise_python_error();
    return found;
  }
  template <class... Arguments>
  nb::object call(nb::handle object, const Arguments&... arguments) const {
    nb::object result = nb::steal(PyObject_CallMethodObjArgs(object.ptr(), name_, arguments.ptr()..., nullptr));
    if (!result.is_valid()) nb::raise_python_error();
    return result;
  }

 private:
  PyObject* name_;  // as long as the process
};

/// Held by one thread at a time.
class Alone {
 public:
  explicit Alone(nb::object lock) : lock_(std::move(lock)) {
    static const Name acquire("acquire");
    acquire.call(lock_);
  }
  ~Alone() {
    static const Name release("release");
    nb::error_scope kept;
    release.call(lock_);
  }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  nb::object lock_;
};

/// The call of a plan that a map makes, and the factors around it, for tensors that can be used as they are.
class Step {
 public:
  /// `at_hand` gives the plan or None; `key` is that of its repeated calls.
  Step(nb::object at_hand, nb::tuple key, nb::tuple before, nb::tuple after)
      : at_hand_(std::move(at_hand)), key_(std::move(key)), before_(std::move(before)), after_(std::move(after)) {}
  /// None for other tensors, and if the call was not made before: nothing was run then.
  nb::object operator()(nb::handle x) const {
    static const Name calls("_again"), traced("_traced"), lock("alone");
    const nb::object plan = at_hand_();
    if (plan.is_none()) return nb::none();
    const nb::object known = calls.of(plan);
    const nb::object found = nb::borrow(PyDict_GetItemWithError(known.ptr(), key_.ptr()));
    if (!found.is_valid()) return nb::none();
    const Again& again = nb::cast<const Again&>(found);
    nb::object scaled = nb::borrow(x);
    if (before_.size() > 0) {
      if (!nb::cast<const Ends&>(again.ends).fits(x)) return nb::none();
      scaled = times(std::move(scaled), before_, false);
    }
    const Alone alone(lock.of(traced.of(plan)));
    nb::object result = again.call(plan, scaled, nb::none());
    return result.is_none() ? result : times(std::move(result), after_, true);
  }

 private:
  static nb::object times(nb::object x, const nb::tuple& factors, bool overwrite) {
    static const Name makes("mul"), writes("mul_");
    for (const nb::handle factor : factors) {
      x = (overwrite ? writes : makes).call(x, factor);
      overwrite = true;
    }
    return x;
  }

  nb::object at_hand_;
  nb::tuple key_, before_, after_;
};

/// Applies maps to tensors, on the way there and back.
class Gradients {
 public:
  /// `first` applies a map for the first time, and to any tensor; `functional` is for torch.func, whose transformations
  /// `active` tells of; `levels` has the module of forward-mode derivatives.
  Gradients(nb::object first, nb::object functional, nb::object active, nb::object levels)
      : first_(std::move(first)),
        functional_(std::move(functional)),
        active_(std::move(active)),
        levels_(std::move(levels)) {}
  nb::object mapped(nb::handle x, nb::handle linear, nb::handle keep) const {
    static const Name asks("requires_grad"), level("_current_level");
    if (active_().is(Py_True)) return functional_(x, linear, keep);
    if (asks.of(x).is(Py_True) || nb::cast<int>(level.of(levels_)) >= 0) return recorded(x, linear, keep);
    return applied(x, linear);
  }
  nb::object forward(nb::object context, nb::handle x, nb::handle linear, nb::handle keep) const {
    static const Name shape("shape");
    context.attr("told") = nb::make_tuple(shape.of(x), linear, keep);
    return applied(x, linear);
  }
  nb::tuple backward(nb::handle context, nb::handle gradient) const {
    static const Name kept("told"), adjoint("adjoint"), extents("shape"), reshape("reshape");
    const nb::tuple told = nb::cast<nb::tuple>(kept.of(context));
    nb::object back = mapped(gradient, adjoint.of(told[1]), told[2]);
    // A plan's array without elements has extents of its own.
    if (!extents.of(back).equal(told[0])) back = reshape.call(back, nb::object(told[0]));
    return nb::make_tuple(back, nb::none(), nb::none());
  }

  nb::object recorded = nb::none();  ///< applies a map to a tensor that requires gradients

 private:
  nb::object applied(nb::handle x, nb::handle linear) const {
    static const Name known("step");
    const nb::object step = known.of(linear);
    if (!step.is_none()) {
      nb::object result = nb::cast<const Step&>(step)(x);
      if (!result.is_none()) return result;
    }
    return first_(x, linear);
  }

  nb::object first_, functional_, active_, levels_;
};

}  // namespace

void shardfft::python::bind_gradients(nb::module_& module) {
  module.def(
      "as_method", [](nb::handle function) { return nb::steal(PyInstanceMethod_New(function.ptr())); }, "function"_a);
  nb::class_<Step>(module, "Step")
      .def(nb::init<nb::object, nb::tuple, nb::tuple, nb::tuple>(), "at_hand"_a, "key"_a, "before"_a, "after"_a)
      .def("__call__", &Step::operator(), "x"_a);
  nb::class_<Gradients>(module, "Gradients")
      .def(nb::init<nb::object, nb::object, nb::object, nb::object>(), "first"_a, "functional"_a, "active"_a,
           "levels"_a)
      .def("mapped", &Gradients::mapped, "x"_a, "linear"_a, "keep"_a = nb::none())
      .def("forward", &Gradients::forward, "ctx"_a, "x"_a, "linear"_a, "keep"_a.none())
      .def("backward", &Gradients::backward, "ctx"_a, "gradient"_a)
      .def_rw("recorded", &Gradients::recorded);
}
