#pragma once
// Objects of the library with collective constructors and destructors.
#include <nanobind/nanobind.h>

#include <memory>

#include "bind.hpp"

namespace shardfft::python {

using Address = std::uintptr_t;

inline MPI_Comm comm_at(Address address) { return *reinterpret_cast<const MPI_Comm*>(address); }

/// Made and destroyed without the interpreter's lock, because both are collective.
template <class Object>
class Held {
 public:
  template <class... Arguments>
  explicit Held(const Arguments&... arguments) : object_(make(arguments...)) {}
  ~Held() { close(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Object& get() const {
    if (!object_) throw Error(Status::invalid_argument, "this object was closed");
    return *object_;
  }
  template <class Work>
  auto run(const Work& work) const {
    Object& object = get();
    const nanobind::gil_scoped_release others_may_run;
    return work(object);
  }
  /// A call that works on `arrays`, as keeping() does.
  template <class Work>
  void keep(const nanobind::object& arrays, const Work& work) const {
    run([&](Object& object) { keeping(arrays, object, [&] { work(object); }); });
  }
  void close() {
    const nanobind::gil_scoped_release others_may_run;
    object_.reset();
  }

 private:
  template <class... Arguments>
  static std::unique_ptr<Object> make(const Arguments&... arguments) {
    const nanobind::gil_scoped_release others_may_run;
    return std::make_unique<Object>(arguments...);
  }

  std::unique_ptr<Object> object_;
};

}  // namespace shardfft::python
