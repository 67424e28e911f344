#pragma once
// The wall around every function of the C interface: no exception leaves it, and no null pointer is written through.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "c/handles.hpp"
#include "geometry/shape.hpp"

namespace shardfft::c {

/// Keeps the exception that is being handled for shardfft_last_error(); inside a handler.
shardfft_status keep_failure() noexcept;

template <class Work>
shardfft_status guarded(const Work& work) noexcept {
  try {
    work();
    return SHARDFFT_OK;
  } catch (...) {
    return keep_failure();
  }
}

/// Runs `work` on every rank; an exception on one is thrown on all. With MPI_COMM_NULL, which what is made then takes
/// or refuses, on this rank alone. Collective.
void agreed(MPI_Comm comm, const std::function<void()>& work);

/// The place of a result. Throws if the caller gave none.
template <class T>
T& place(T* result, const char* name) {
  require(result != nullptr, "'", name, "' is a null pointer; the address of a variable for the result is expected");
  return *result;
}

/// A new handle for `object` in `*result`.
template <class Handle>
void give(Handle* result, typename Held<Handle>::Type object) {
  Handle& handle = place(result, Held<Handle>::name);
  handle = Registry<Handle>::one().add(std::make_shared<typename Held<Handle>::Type>(std::move(object)));
}
void give_text(char** result, const std::string& text);
/// Separated by commas, or by `separator`.
void give_names(char** result, const std::vector<std::string>& names, char separator = ',');

/// Ends a handle; null is allowed, as a handle and as its address.
template <class Handle>
shardfft_status end(Handle* handle) noexcept {
  return guarded([&] {
    if (handle == nullptr || *handle == nullptr) return;
    const auto ended = Registry<Handle>::one().take(*handle);
    *handle = nullptr;
  });
}

/// `*result` = `ask` of the handle's object.
template <class Handle, class T, class Ask>
shardfft_status asked(Handle handle, T* result, const char* name, const Ask& ask) {
  return guarded([&] { place(result, name) = static_cast<T>(ask(*get(handle))); });
}

/// `count` elements that the caller gave.
template <class T>
std::span<T> given(T* elements, std::int64_t count, const char* name) {
  require(count >= 0, "the number of elements of '", name, "' is ", count, "; it must not be negative");
  require(elements != nullptr || count == 0, "'", name, "' is a null pointer; ", count, " elements are expected");
  return {elements, static_cast<std::size_t>(count)};
}
/// As `given`, an element for each axis.
template <class T>
std::span<T> given_axes(T* elements, std::int64_t axes, const char* name) {
  require(axes <= max_axes, "'", name, "' is of ", axes, " axes; an array has at most ", max_axes);
  return given(elements, axes, name);
}
inline const char* given_text(const char* text, const char* name) {
  require(text != nullptr, "'", name, "' is a null pointer; a text is expected");
  return text;
}
/// The arrays of all members. Wrong ones become an empty list, which plans refuse on every rank.
template <class T>
std::span<T> arrays(T* each, int count) {
  return each == nullptr || count < 0 ? std::span<T>() : std::span<T>(each, static_cast<std::size_t>(count));
}

template <class T, class List>
void copy_to(T* result, const List& list) {
  for (const auto& entry : list) *result++ = static_cast<T>(entry);
}
/// The number of entries, and the entries if the caller wants them.
template <class T, class List>
void give_list(int* count, T* result, const List& list) {
  place(count, "count") = narrow(static_cast<std::int64_t>(list.size()), "the number of entries");
  if (result != nullptr) copy_to(result, list);
}

/// Writes as many numbers as there is room for.
void give_numbers(const std::vector<double>& all, std::int64_t room, double* numbers);

/// Null stands for the defaults.
inline Options options_of(shardfft_options options) { return options == nullptr ? Options() : *get(options); }
std::vector<int> devices_of(int count, const int* devices);
/// Null stands for none.
std::vector<double> lengths_of(int axes, const double* lengths);
ElementType element_of(shardfft_precision precision, int is_complex);

inline shardfft_progression c_progression(const Progression& p) { return {p.first, p.count, p.stride}; }
/// An index alone has no stride, which programs in C leave 0.
inline Progression progression(const shardfft_progression& p) {
  const Progression made{p.first, p.count, p.count <= 1 ? 1 : p.stride};
  check_stride(made);
  return made;
}
IndexSet index_set(std::span<const shardfft_progression> axes);

}  // namespace shardfft::c
