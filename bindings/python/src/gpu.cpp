// The GPU runtime, and the description of another library's DLPack capsule.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "shardfft/kernels.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

/// (address, shape, strides in elements, dtype (code, bits, lanes), device (type, number)). Consumes the capsule.
nb::tuple inspect(const nb::ndarray<nb::ro>& array) {
  nb::list shape, strides;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    shape.append(array.shape(axis));
    strides.append(array.stride(axis));
  }
  const nb::dlpack::dtype type = array.dtype();
  return nb::make_tuple(shardfft::python::address(array.data()), nb::tuple(shape), nb::tuple(strides),
                        nb::make_tuple(type.code, type.bits, type.lanes),
                        nb::make_tuple(array.device_type(), array.device_id()));
}

}  // namespace

void shardfft::python::bind_gpu(nb::module_& module) {
  module.def("gpu_support", gpu_support);
  module.def("gpu_names", gpu_names);
  module.def("device_exchange_names", device_exchange_names);
  module.def("set_current_gpu", set_current_gpu, "device"_a);
  module.def(
      "order_streams",
      [](int device, std::uintptr_t earlier, std::uintptr_t stream) {
        order_streams(device, pointer(earlier), pointer(stream));
      },
      "device"_a, "earlier"_a, "stream"_a);
  module.def(
      "stream_is_idle", [](int device, std::uintptr_t stream) { return stream_is_idle(device, pointer(stream)); },
      "device"_a, "stream"_a);
  module.def(
      "synchronize_stream",
      [](int device, std::uintptr_t stream) {
        const nb::gil_scoped_release others_may_run;
        synchronize_stream(device, pointer(stream));
      },
      "device"_a, "stream"_a);
  module.def(
      "memory_place",
      [](std::uintptr_t where) {
        const MemoryPlace place = memory_place(pointer(where));
        return std::pair(place.kind, place.device);
      },
      "address"_a);
  module.def("inspect", inspect, "capsule"_a);
  module.def(
      "compile_kernels",
      [](const std::vector<std::int64_t>& extents, bool real, Precision precision, int architecture, bool verify) {
        const nb::gil_scoped_release others_may_run;
        return compile_kernels({extents, real, precision, architecture, verify});
      },
      "extents"_a, "real"_a, "precision"_a, "architecture"_a, "verify"_a);
  module.def("why_nothing_is_kept", why_nothing_is_kept);
}
