// Memory of plans, as NumPy arrays or as DLPack capsules.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bind.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::python::address;
using shardfft::python::Memory;

namespace {

/// A flat array of bytes that keeps the memory alive, as do its views.
nb::ndarray<nb::numpy> numpy(nb::handle self) {
  const Memory& memory = nb::cast<const Memory&>(self);
  return {memory.buffer.data(), {memory.buffer.bytes()}, self, {1}, nb::dtype<std::uint8_t>()};
}

/// `kind`: DLPack's number. Managed memory counts as a GPU's, because not all libraries know DLPack's kind for it.
nb::ndarray<> dlpack(nb::handle self, int kind, int bytes, const std::vector<std::size_t>& shape,
                     const std::vector<std::int64_t>& strides) {
  const Memory& memory = nb::cast<const Memory&>(self);
  nb::dlpack::dtype type{};
  type.code = static_cast<std::uint8_t>(kind);
  type.bits = static_cast<std::uint8_t>(8 * bytes);
  type.lanes = 1;
  return {memory.buffer.data(),    shape.size(),       shape.data(), self, strides.data(), type,
          nb::device::cuda::value, memory.place.device};
}

}  // namespace

Memory shardfft::python::make_memory(Buffer buffer, int device) {
  if (device < 0 || buffer.data() == nullptr) return {std::move(buffer), {"pageable", device}};
  MemoryPlace place = memory_place(buffer.data());
  place.device = device;
  return {std::move(buffer), place};
}

void shardfft::python::bind_memory(nb::module_& module) {
  nb::class_<Memory>(module, "Memory")
      .def_prop_ro("address", [](const Memory& memory) { return address(memory.buffer.data()); })
      .def_prop_ro("kind", [](const Memory& memory) { return memory.place.kind; })
      .def_prop_ro("device", [](const Memory& memory) { return memory.place.device; })
      .def("numpy", [](nb::handle_t<Memory> self) { return numpy(self); })
      .def(
          "dlpack",
          [](nb::handle_t<Memory> self, int kind, int bytes, const std::vector<std::size_t>& shape,
             const std::vector<std::int64_t>& strides) { return dlpack(self, kind, bytes, shape, strides); },
          "kind"_a, "bytes"_a, "shape"_a, "strides"_a);
}
