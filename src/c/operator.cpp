// Operators and sides of the C interface.
#include "shardfft/c/operator.h"

#include "c/wall.hpp"
#include "shardfft/c/side.h"

using namespace shardfft;
using namespace shardfft::c;

namespace {

template <class Make>
shardfft_status made_of(shardfft_operator* made, const Make& make) {
  return guarded([&] { give(made, make()); });
}

/// The `user` of a caller's function; the last copy releases it.
std::shared_ptr<void> kept(void* user, shardfft_release release) {
  return {user, [release](void* last) {
            if (release != nullptr) release(last);
          }};
}

/// An operator of a caller's function of numbers of an axis each.
template <class Number, class Factor>
auto caller_of(Factor factor, const std::shared_ptr<void>& user) {
  require(factor != nullptr, "'factor' is a null pointer; a function is expected");
  return [factor, user](std::span<const Number> mode) {
    double value[2] = {0, 0};
    factor(user.get(), static_cast<int>(mode.size()), mode.data(), value);
    return std::complex<double>(value[0], value[1]);
  };
}

/// The side has a handle as long as the caller's function runs.
Operator::OnSpectrum spectrum_caller(shardfft_on_spectrum change, const std::shared_ptr<void>& user) {
  require(change != nullptr, "'change' is a null pointer; a function is expected");
  return [change, user](const SpectrumPart& part) {
    shardfft_side side = nullptr;
    give(&side, part.side);
    const int status = change(user.get(), side, part.data, part.device, part.stream);
    end(&side);
    if (status != 0) fail(Status::backend_failure, "the operator's function returned ", status);
  };
}

template <class T, class Ask>
shardfft_status listed(shardfft_side side, int* count, T* result, const Ask& ask) {
  return guarded([&] { give_list(count, result, ask(*get(side))); });
}

/// A side's values at indices of an axis.
template <class Ask>
shardfft_status at_indices(shardfft_side side, std::int64_t count, const std::int64_t* index, double* values,
                           const char* name, const Ask& ask) {
  return guarded([&] {
    const auto all = ask(*get(side));
    const auto to = given(values, count, name);
    const auto from = given(index, count, "index");
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = all[from[i]];
  });
}
template <AxisValues (Side::*Of)(int, double) const>
shardfft_status values_of(shardfft_side side, int axis, double unit, std::int64_t count, const std::int64_t* index,
                          double* values) {
  return at_indices(side, count, index, values, "values", [&](const Side& s) { return (s.*Of)(axis, unit); });
}

}  // namespace

shardfft_status shardfft_operator_array(shardfft_precision precision, int is_complex, const void* factors,
                                        int64_t count, shardfft_operator* made) {
  return made_of(made, [&] {
    given(static_cast<const char*>(factors), count, "factors");
    return Operator::array(element_of(precision, is_complex), factors, count);
  });
}
shardfft_status shardfft_operator_arrays(shardfft_precision precision, int is_complex, int count,
                                         const void* const* factors, const int64_t* counts, shardfft_operator* made) {
  return made_of(made, [&] {
    const auto each = given(factors, count, "factors");
    const auto lengths = given(counts, count, "counts");
    std::vector<Operator::Part> parts;
    for (std::size_t i = 0; i < each.size(); ++i) parts.push_back({each[i], lengths[i]});
    return Operator::array(element_of(precision, is_complex), parts);
  });
}
shardfft_status shardfft_operator_of_indices(shardfft_factor_of_indices factor, void* user, shardfft_release release,
                                             shardfft_operator* made) {
  return made_of(made, [&] { return Operator::of_indices(caller_of<std::int64_t>(factor, kept(user, release))); });
}
shardfft_status shardfft_operator_of_wavenumbers(shardfft_factor_of_wavenumbers factor, void* user,
                                                 shardfft_release release, int axes, const double* lengths,
                                                 shardfft_operator* made) {
  return made_of(made, [&] {
    const auto function = caller_of<double>(factor, kept(user, release));
    return Operator::of_wavenumbers(function, lengths_of(axes, lengths));
  });
}
shardfft_status shardfft_operator_calling(shardfft_on_spectrum change, void* user, shardfft_release release,
                                          shardfft_operator* made) {
  return made_of(made, [&] { return Operator::calling(spectrum_caller(change, kept(user, release))); });
}
shardfft_status shardfft_operator_cuda(const char* text, int axes, const double* lengths, shardfft_operator* made) {
  return made_of(made, [&] { return Operator::cuda(given_text(text, "text"), lengths_of(axes, lengths)); });
}
shardfft_status shardfft_operator_constant(double real, double imaginary, shardfft_operator* made) {
  return made_of(made, [&] { return Operator::constant({real, imaginary}); });
}
shardfft_status shardfft_operator_derivative(int axis, int order, int axes, const double* lengths,
                                             shardfft_operator* made) {
  return made_of(made, [&] { return Operator::derivative(axis, order, lengths_of(axes, lengths)); });
}
shardfft_status shardfft_operator_laplacian(int axes, const double* lengths, shardfft_operator* made) {
  return made_of(made, [&] { return Operator::laplacian(lengths_of(axes, lengths)); });
}
shardfft_status shardfft_operator_inverse_laplacian(int axes, const double* lengths, shardfft_operator* made) {
  return made_of(made, [&] { return Operator::inverse_laplacian(lengths_of(axes, lengths)); });
}
shardfft_status shardfft_operator_gaussian(double sigma, int axes, const double* lengths, shardfft_operator* made) {
  return made_of(made, [&] { return Operator::gaussian(sigma, lengths_of(axes, lengths)); });
}
shardfft_status shardfft_operator_multiply(shardfft_operator a, shardfft_operator b, shardfft_operator* product) {
  return made_of(product, [&] { return *get(a) * *get(b); });
}
shardfft_status shardfft_operator_add(shardfft_operator a, shardfft_operator b, shardfft_operator* sum) {
  return made_of(sum, [&] { return *get(a) + *get(b); });
}
shardfft_status shardfft_operator_subtract(shardfft_operator a, shardfft_operator b, shardfft_operator* difference) {
  return made_of(difference, [&] { return *get(a) - *get(b); });
}
shardfft_status shardfft_operator_divide(shardfft_operator a, shardfft_operator b, shardfft_operator* quotient) {
  return made_of(quotient, [&] { return *get(a) / *get(b); });
}
shardfft_status shardfft_operator_free(shardfft_operator* made) { return end(made); }

shardfft_status shardfft_side_layout(shardfft_side side, shardfft_layout* layout) {
  return guarded([&] { give(layout, get(side)->layout); });
}
shardfft_status shardfft_side_element(shardfft_side side, shardfft_precision* precision, int* is_complex) {
  return guarded([&] {
    const ElementType element = get(side)->element;
    place(precision, "precision") = static_cast<shardfft_precision>(element.precision);
    place(is_complex, "is_complex") = element.is_complex ? 1 : 0;
  });
}
shardfft_status shardfft_side_fields(shardfft_side side, int64_t* fields) {
  return asked(side, fields, "fields", [](const Side& s) { return s.fields; });
}
shardfft_status shardfft_side_rank(shardfft_side side, int* rank) {
  return asked(side, rank, "rank", [](const Side& s) { return s.rank; });
}
shardfft_status shardfft_side_axes(shardfft_side side, int* count, int* axes) {
  return listed(side, count, axes, [](const Side& s) { return s.axes; });
}
shardfft_status shardfft_side_transforms(shardfft_side side, int* count, shardfft_axis_transform* transforms) {
  return listed(side, count, transforms, [](const Side& s) { return s.transforms; });
}
shardfft_status shardfft_side_points(shardfft_side side, int* count, int64_t* points) {
  return listed(side, count, points, [](const Side& s) { return s.points; });
}
shardfft_status shardfft_side_real_extent(shardfft_side side, int64_t* extent) {
  return asked(side, extent, "extent", [](const Side& s) { return s.real_extent; });
}
shardfft_status shardfft_side_halved_axis(shardfft_side side, int* axis) {
  return asked(side, axis, "axis", [](const Side& s) { return s.halved_axis(); });
}
shardfft_status shardfft_side_transform_of(shardfft_side side, int axis, shardfft_axis_transform* transform) {
  return asked(side, transform, "transform", [&](const Side& s) { return s.transform_of(axis); });
}
shardfft_status shardfft_side_count(shardfft_side side, int64_t* count) {
  return asked(side, count, "count", [](const Side& s) { return s.count(); });
}
shardfft_status shardfft_side_bytes(shardfft_side side, size_t* bytes) {
  return asked(side, bytes, "bytes", [](const Side& s) { return s.bytes(); });
}
shardfft_status shardfft_side_frequencies(shardfft_side side, int axis, double spacing, int64_t count,
                                          const int64_t* index, double* values) {
  return values_of<&Side::frequencies>(side, axis, spacing, count, index, values);
}
shardfft_status shardfft_side_wavenumbers(shardfft_side side, int axis, double length, int64_t count,
                                          const int64_t* index, double* values) {
  return values_of<&Side::wavenumbers>(side, axis, length, count, index, values);
}
shardfft_status shardfft_side_coordinates(shardfft_side side, int axis, double spacing, int64_t count,
                                          const int64_t* index, double* values) {
  return values_of<&Side::coordinates>(side, axis, spacing, count, index, values);
}
shardfft_status shardfft_side_slopes(shardfft_side side, int axis, double length, int64_t count, const int64_t* index,
                                     double* values) {
  return values_of<&Side::slopes>(side, axis, length, count, index, values);
}
shardfft_status shardfft_side_positions(shardfft_side side, int axis, double length, int64_t count,
                                        const int64_t* index, double* values) {
  return values_of<&Side::positions>(side, axis, length, count, index, values);
}
shardfft_status shardfft_side_weights(shardfft_side side, int axis, int64_t count, const int64_t* index,
                                      double* weights) {
  return at_indices(side, count, index, weights, "weights", [&](const Side& s) { return s.weights(axis); });
}
shardfft_status shardfft_side_free(shardfft_side* side) { return end(side); }
