#include "pack/modes.hpp"

#include <array>
#include <complex>

#include "base/compute.hpp"
#include "pack/for_each_element.hpp"
#include "pack/pack.hpp"

namespace shardfft {
namespace {

/// The indices [first, first + count) along an axis of a piece.
Box part_of(const Piece& piece, int axis, std::int64_t first, std::int64_t count) {
  Box box;
  box.axes = piece.set.axes;
  box.offset = piece.offset + first * piece.stride[static_cast<std::size_t>(axis)];
  for (std::size_t a = 0; a < static_cast<std::size_t>(piece.set.axes); ++a) {
    box.count[a] = piece.set.axis[a].count;
    box.stride[a] = piece.stride[a];
  }
  box.count[static_cast<std::size_t>(axis)] = count;
  return box;
}

/// Writes zeroes: copies one element again and again, by strides of 0.
void put_zeroes(std::byte* array, const Box& box, ElementType element, int threads) {
  static constexpr std::array<std::byte, 16> zero{};
  Box one = box;
  one.offset = 0;
  one.stride.fill(0);
  copy_box(zero.data(), one, array, box, element.bytes(), threads);
}

/// The elements with one index along an axis, as a piece.
Piece plane_of(const Piece& piece, int axis, std::int64_t index) {
  const auto a = static_cast<std::size_t>(axis);
  Piece plane = piece;
  plane.offset += index * piece.stride[a];
  plane.set.axis[a].count = 1;
  return plane;
}

/// Calls visit(number of `in`, number of `out`) for two planes that have the same other indices.
template <class T, class Visit>
void for_planes(const std::byte* in, const Piece& from, std::byte* out, const Piece& to, int axis, Visit visit) {
  const auto* const source = reinterpret_cast<const T*>(in);
  auto* const target = reinterpret_cast<T*>(out);
  for_each_element(from, [&](std::int64_t offset, const auto& index) {
    std::int64_t place = to.offset;
    for (std::size_t a = 0; a < static_cast<std::size_t>(from.set.axes); ++a)
      if (static_cast<int>(a) != axis) place += from.set.axis[a].position(index[a]) * to.stride[a];
    visit(source[offset], target[place]);
  });
}

template <class T>
void keep_lone(const std::byte* in, const Piece& all, std::byte* out, const Piece& kept, const KeptModes& modes) {
  using Number = std::complex<T>;
  const Piece result = plane_of(kept, modes.axis, modes.lone_kept());
  const Piece partner = plane_of(all, modes.axis, modes.partner_all());
  for_planes<Number>(in, partner, out, result, modes.axis, [&modes](const Number& from, Number& to) {
    if (modes.rule == LoneMode::zero)
      to = 0;
    else
      to = modes.halved ? Number(2 * from.real()) : to + from;
  });
}

template <class T>
void pad_lone(const std::byte* in, const Piece& kept, std::byte* out, const Piece& all, const KeptModes& modes) {
  using Number = std::complex<T>;
  const Piece source = plane_of(kept, modes.axis, modes.lone_kept());
  const auto put = [&](std::int64_t index) {
    for_planes<Number>(in, source, out, plane_of(all, modes.axis, index), modes.axis,
                       [&modes](const Number& from, Number& to) {
                         const Number half = modes.halved ? Number(from.real() / 2) : from / T(2);
                         to = modes.rule == LoneMode::zero ? Number(0) : half;
                       });
  };
  put(modes.lone_all());
  if (modes.two_sided) put(modes.partner_all());
}

/// Only complex spectra have lone modes.
template <class Double, class Single>
void treat_lone(const KeptModes& modes, const Piece& kept, ElementType element, Double in_double, Single in_single) {
  if (!modes.lone || modes.rule == LoneMode::keep) return;
  const double plane = static_cast<double>(kept.set.count()) / static_cast<double>(modes.kept);
  compute({3 * plane * static_cast<double>(element.bytes()), 2 * plane}, [&] {
    if (element.precision == Precision::f64)
      in_double();
    else
      in_single();
  });
}

}  // namespace

void keep_modes(const std::byte* in, const Piece& all, std::byte* out, const Piece& kept, const KeptModes& modes,
                ElementType element, int threads) {
  if (kept.set.empty()) return;
  for (const KeptModes::Run& run : modes.runs())
    copy_box(in, part_of(all, modes.axis, run.all_first, run.count), out,
             part_of(kept, modes.axis, run.kept_first, run.count), element.bytes(), threads);
  treat_lone(
      modes, kept, element, [&] { keep_lone<double>(in, all, out, kept, modes); },
      [&] { keep_lone<float>(in, all, out, kept, modes); });
}

void pad_modes(const std::byte* in, const Piece& kept, std::byte* out, const Piece& all, const KeptModes& modes,
               ElementType element, int threads) {
  if (kept.set.empty()) return;
  std::int64_t next = 0;
  for (const KeptModes::Run& run : modes.runs()) {
    put_zeroes(out, part_of(all, modes.axis, next, run.all_first - next), element, threads);
    copy_box(in, part_of(kept, modes.axis, run.kept_first, run.count), out,
             part_of(all, modes.axis, run.all_first, run.count), element.bytes(), threads);
    next = run.all_first + run.count;
  }
  put_zeroes(out, part_of(all, modes.axis, next, modes.all - next), element, threads);
  treat_lone(
      modes, kept, element, [&] { pad_lone<double>(in, kept, out, all, modes); },
      [&] { pad_lone<float>(in, kept, out, all, modes); });
}

}  // namespace shardfft
