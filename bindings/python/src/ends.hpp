#pragma once
// The arrays of a call in few steps, for calls that were made before: without a frame of Python's interpreter.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <vector>

#include "held.hpp"

namespace shardfft::python {

/// An attribute of an attribute, and so on, or a method of it without arguments.
class Path {
 public:
  Path(const nanobind::tuple& names, bool called);
  nanobind::object of(nanobind::handle array) const;
  bool empty() const { return names_.empty(); }

 private:
  std::vector<nanobind::object> names_;
  bool called_;
};

/// The form of an array, for libraries that show arrays by DLPack's table of C functions (from its version 1.3 on): one
/// call in place of an attribute each.
class Shown {
 public:
  /// `told`: (the table's capsule, the GPU or -1, DLPack's code and bits of a number, shape, strides in numbers).
  static std::optional<Shown> of(nanobind::handle told);
  /// Nothing for arrays of another form, or that the library does not show.
  std::optional<Address> address(nanobind::handle array) const;

 private:
  using See = int (*)(void* array, nanobind::dlpack::dltensor* seen);
  See see_ = nullptr;
  int device_ = -1;
  nanobind::dlpack::dtype type_;
  std::vector<std::int64_t> shape_, strides_;
};

/// Sees arrays of one library that have the form of a part and lie on its device, so that they can be used as they are.
class Look {
 public:
  /// A fact is (names, called, value, excuse): an array without this value is another one, unless the excuse returns
  /// False. `form` is not asked of libraries that show arrays (`shown`). `address`: (names, called); without names by
  /// the buffer protocol.
  Look(const nanobind::tuple& kinds, const nanobind::list& form, nanobind::handle shown, const nanobind::list& facts,
       const nanobind::tuple& address, std::size_t alignment, std::size_t bytes);
  /// Nothing for other arrays.
  std::optional<Address> address(nanobind::handle array) const;
  /// Of an array that fits.
  Address address_of(nanobind::handle array) const;
  std::size_t bytes() const { return bytes_; }

 private:
  struct Fact {
    Path path;
    nanobind::object value, excuse;
    bool holds(nanobind::handle array) const;
  };
  std::vector<nanobind::object> kinds_;
  std::vector<Fact> facts_;
  std::optional<Shown> shown_;
  Path address_;
  std::size_t alignment_, bytes_;
};

/// Both ends of a call on arrays of one library.
class Ends {
 public:
  /// `make`: gives a new result, for the input if `like`; None if results lie in memory of the plan. `current`: gives
  /// the stream in whose order the library works; None if calls wait for none. `joins`: later work of it waits.
  Ends(nanobind::object source, nanobind::object destination, nanobind::object make, bool like, int device,
       Address stream, bool joins, nanobind::object current);
  struct Taken {
    Address source, destination, theirs;
    nanobind::object result;
  };
  /// Takes arrays that fit; the call begins after the present work of their library. Nothing for other arrays.
  std::optional<Taken> take(nanobind::handle x, nanobind::handle out) const;
  /// Later work of the library begins after the call.
  void lead(Address theirs) const;
  bool fits(nanobind::handle x) const { return source_.address(x).has_value(); }

 private:
  nanobind::object kept_[2];
  const Look &source_, &destination_;
  nanobind::object make_, current_;
  bool like_, joins_;
  int device_;
  Address stream_;
};

/// A transform of a plan: one direction, or its adjoint.
struct Way {
  Direction of;
  bool adjoint;
};

/// A call of a plan that was made before.
struct Again {
  nanobind::object core;
  Way way;
  nanobind::object ends;
  /// None for arrays that cannot be used as they are: nothing was run then. `plan` tells the other ranks of an error.
  nanobind::object call(nanobind::handle plan, nanobind::handle x, nanobind::handle out) const;
};

}  // namespace shardfft::python
