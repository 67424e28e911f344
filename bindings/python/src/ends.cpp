#include "ends.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <span>
#include <utility>

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::python::Address;
using shardfft::python::Ends;
using shardfft::python::Look;
using shardfft::python::Path;
using shardfft::python::Shown;

namespace {

/// The number by which CUDA knows its default stream.
constexpr Address legacy = 1;

// NumPy's own ways to an address make an object of ctypes or a dictionary, which takes as long as a small transform.
Address buffer_address(nb::handle array) {
  Py_buffer seen;
  if (PyObject_GetBuffer(array.ptr(), &seen, PyBUF_STRIDED_RO) != 0) nb::raise_python_error();
  const Address where = shardfft::python::address(seen.buf);
  PyBuffer_Release(&seen);
  return where;
}

bool equal(nb::handle one, nb::handle other) {
  const int answer = PyObject_RichCompareBool(one.ptr(), other.ptr(), Py_EQ);
  if (answer < 0) nb::raise_python_error();
  return answer == 1;
}

}  // namespace

Path::Path(const nb::tuple& names, bool called) : called_(called) {
  for (const nb::handle name : names) {
    PyObject* interned = nb::borrow(name).release().ptr();
    PyUnicode_InternInPlace(&interned);
    names_.push_back(nb::steal(interned));
  }
}

nb::object Path::of(nb::handle array) const {
  nb::object seen = nb::borrow(array);
  for (std::size_t place = 0; place < names_.size(); ++place) {
    const bool calls = called_ && place + 1 == names_.size();
    seen = nb::steal(calls ? PyObject_CallMethodNoArgs(seen.ptr(), names_[place].ptr())
                           : PyObject_GetAttr(seen.ptr(), names_[place].ptr()));
    if (!seen.is_valid()) nb::raise_python_error();
  }
  return seen;
}

bool Look::Fact::holds(nb::handle array) const {
  return equal(path.of(array), value) || (!excuse.is_none() && equal(excuse(), nb::bool_(false)));
}

std::optional<Shown> Shown::of(nb::handle told) {
  if (told.is_none()) return std::nullopt;
  struct Table {
    std::uint32_t major, minor;
    void *previous, *others[3];
    See see;
  };
  const auto* const table = static_cast<const Table*>(PyCapsule_GetPointer(told[0].ptr(), "dlpack_exchange_api"));
  if (table == nullptr) nb::raise_python_error();
  if (table->major != 1 || table->see == nullptr) return std::nullopt;
  Shown shown;
  shown.see_ = table->see;
  shown.device_ = nb::cast<int>(told[1]);
  shown.type_ = {nb::cast<std::uint8_t>(told[2]), nb::cast<std::uint8_t>(told[3]), 1};
  shown.shape_ = nb::cast<std::vector<std::int64_t>>(told[4]);
  shown.strides_ = nb::cast<std::vector<std::int64_t>>(told[5]);
  return shown;
}

std::optional<Address> Shown::address(nb::handle array) const {
  nb::dlpack::dltensor seen;
  if (see_(array.ptr(), &seen) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const int kind = seen.device.device_type;
  const bool here = device_ < 0 ? kind == nb::device::cpu::value || kind == nb::device::cuda_host::value
                                : (kind == nb::device::cuda::value || kind == nb::device::rocm::value) &&
                                      seen.device.device_id == device_;
  const std::span shape(seen.shape, static_cast<std::size_t>(seen.ndim));
  if (!here || !(seen.dtype == type_) || !std::ranges::equal(shape, shape_) || seen.strides == nullptr)
    return std::nullopt;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis)
    if (shape_[axis] != 1 && seen.strides[axis] != strides_[axis]) return std::nullopt;
  return shardfft::python::address(seen.data) + seen.byte_offset;
}

Look::Look(const nb::tuple& kinds, const nb::list& form, nb::handle shown, const nb::list& facts,
           const nb::tuple& address, std::size_t alignment, std::size_t bytes)
    : shown_(Shown::of(shown)),
      address_(nb::cast<nb::tuple>(address[0]), nb::cast<bool>(address[1])),
      alignment_(alignment),
      bytes_(bytes) {
  for (const nb::handle kind : kinds) kinds_.push_back(nb::borrow(kind));
  for (const nb::list& list : {shown_ ? nb::list() : form, facts})
    for (const nb::handle fact : list)
      facts_.push_back(
          {Path(nb::cast<nb::tuple>(fact[0]), nb::cast<bool>(fact[1])), nb::borrow(fact[2]), nb::borrow(fact[3])});
}

std::optional<Address> Look::address(nb::handle array) const {
  bool known = false;
  for (const nb::object& kind : kinds_) known = known || array.type().is(kind);
  if (!known) return std::nullopt;
  for (const Fact& fact : facts_)
    if (!fact.holds(array)) return std::nullopt;
  const std::optional<Address> found = shown_ ? shown_->address(array) : address_of(array);
  return found && *found % alignment_ == 0 ? found : std::nullopt;
}

Address Look::address_of(nb::handle array) const {
  if (shown_)
    if (const std::optional<Address> found = shown_->address(array)) return *found;
  return address_.empty() ? buffer_address(array) : nb::cast<Address>(address_.of(array));
}

Ends::Ends(nb::object source, nb::object destination, nb::object make, bool like, int device, Address stream,
           bool joins, nb::object current)
    : kept_{std::move(source), std::move(destination)},
      source_(nb::cast<const Look&>(kept_[0])),
      destination_(nb::cast<const Look&>(kept_[1])),
      make_(std::move(make)),
      current_(std::move(current)),
      like_(like),
      joins_(joins),
      device_(device),
      stream_(stream) {}

std::optional<Ends::Taken> Ends::take(nb::handle x, nb::handle out) const {
  const std::optional<Address> begin = source_.address(x);
  if (!begin || (out.is_none() && make_.is_none())) return std::nullopt;
  Taken taken{*begin, 0, stream_, nb::borrow(out)};
  if (out.is_none()) {
    taken.result = like_ ? make_(x) : make_();
    taken.destination = destination_.address_of(taken.result);
  } else {
    const std::optional<Address> end = destination_.address(out);
    // Arrays that share a part of their memory are told of where all others are seen.
    if (!end || (*begin != *end && *begin < *end + destination_.bytes() && *end < *begin + source_.bytes()))
      return std::nullopt;
    taken.destination = *end;
  }
  if (!current_.is_none()) {
    const Address said = nb::cast<Address>(current_());
    taken.theirs = said == 0 ? legacy : said;
    if (taken.theirs != stream_) order_streams(device_, pointer(taken.theirs), pointer(stream_));
  }
  return taken;
}

void Ends::lead(Address theirs) const {
  if (joins_ && theirs != stream_) order_streams(device_, pointer(stream_), pointer(theirs));
}

void shardfft::python::bind_ends(nb::module_& module) {
  module.def("address_of", buffer_address, "array"_a);
  nb::class_<Look>(module, "Look")
      .def(nb::init<const nb::tuple&, const nb::list&, nb::handle, const nb::list&, const nb::tuple&, std::size_t,
                    std::size_t>(),
           "kinds"_a, "form"_a, "shown"_a.none(), "facts"_a, "address"_a, "alignment"_a, "bytes"_a)
      .def(
          "fits", [](const Look& self, nb::handle array) { return self.address(array).has_value(); }, "array"_a);
  nb::class_<Ends>(module, "Ends")
      .def(nb::init<nb::object, nb::object, nb::object, bool, int, Address, bool, nb::object>(), "source"_a,
           "destination"_a, "make"_a.none(), "like"_a, "device"_a, "stream"_a, "joins"_a, "current"_a.none())
      .def(
          "take",
          [](const Ends& self, nb::handle x, nb::handle out) {
            std::optional<Ends::Taken> taken = self.take(x, out);
            using Told = std::tuple<Address, Address, Address, nb::object>;
            if (!taken) return std::optional<Told>();
            return std::optional<Told>({taken->source, taken->destination, taken->theirs, std::move(taken->result)});
          },
          "x"_a, "out"_a.none())
      .def("lead", &Ends::lead, "theirs"_a);
}
