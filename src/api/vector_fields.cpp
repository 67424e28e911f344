// Gradient, divergence, curl and projection of the spectra of vector fields.
#include <array>
#include <cmath>
#include <complex>

#include "api/call_array.hpp"
#include "api/operator_rep.hpp"
#include "base/check.hpp"
#include "shardfft/for_each.hpp"
#include "shardfft/gpu.hpp"
#include "shardfft/spectra.hpp"

namespace shardfft {

namespace {

using Slopes = std::array<double, max_user_axes>;

/// Slopes of each index of each axis.
std::array<std::vector<double>, max_user_axes> slope_tables(const Side& side, const std::vector<double>& lengths) {
  std::array<std::vector<double>, max_user_axes> tables;
  for (std::size_t a = 0; a < tables.size(); ++a) {
    tables[a] = {0};
    if (a >= side.layout.shape().size()) continue;
    const auto axis = static_cast<int>(a);
    const AxisValues slopes = side.slopes(axis, length_of(side, lengths, axis));
    tables[a].resize(static_cast<std::size_t>(side.layout.shape()[a]));
    for (std::size_t i = 0; i < tables[a].size(); ++i) tables[a][i] = slopes[static_cast<std::int64_t>(i)];
  }
  return tables;
}

struct Arrays {
  const void* from;
  void* to;
  std::int64_t vectors;
  bool last_axis_first;
};

/// Where both begin at one address, each mode is read before a result takes its place, unless the results of one vector
/// reach into the next one.
void check_overlap(const Side& side, const Arrays& arrays, std::int64_t in, std::int64_t out) {
  if (arrays.from == arrays.to && (in >= out || arrays.vectors <= 1)) return;
  const std::size_t one = side.element.bytes() * static_cast<std::size_t>(side.layout.count(side.rank));
  const auto bytes = [&](std::int64_t fields) { return one * static_cast<std::size_t>(arrays.vectors * fields); };
  require(are_apart(arrays.from, bytes(in), arrays.to, bytes(out)), "the input (", bytes(in),
          " bytes) and the result (", bytes(out),
          " bytes) overlap, and numbers would be written over before they are read; they must lie apart",
          in >= out ? ", or begin at the same address" : "");
}

/// Calls work(slopes, modes, results) for each mode of each vector, of `in` fields that become `out` fields.
template <class Work>
void for_vectors(const Side& side, const std::vector<double>& lengths, const Arrays& arrays, std::int64_t in,
                 std::int64_t out, const Work& work) {
  require(side.element.is_complex, "derivatives of fields need complex spectra");
  require(arrays.vectors >= 0, "the number of vectors is ", arrays.vectors, "; it is not negative");
  const std::int64_t count = side.layout.count(side.rank);
  require((arrays.from != nullptr && arrays.to != nullptr) || count == 0, "a spectrum is a null pointer");
  if (memory_place(arrays.from).kind == "device" || memory_place(arrays.to).kind == "device")
    fail(Status::unsupported, "derivatives of vector fields need spectra in host memory, not on a GPU");
  check_overlap(side, arrays, in, out);
  const auto tables = slope_tables(side, lengths);
  const auto axes = static_cast<std::size_t>(side.layout.axes());
  Side one = side;
  one.fields = 1;
  const auto all = [&](auto* none) {
    using Mode = std::remove_pointer_t<decltype(none)>;
    for (std::int64_t v = 0; v < arrays.vectors; ++v) {
      const auto* const from = static_cast<const Mode*>(arrays.from) + v * in * count;
      auto* const to = static_cast<Mode*>(arrays.to) + v * out * count;
      for_each(one, from, [&](const Index& i, const Mode& first) {
        const std::int64_t place = &first - from;
        Slopes slopes{};
        std::array<std::complex<double>, max_user_axes> modes{}, results{};
        for (std::size_t a = 0; a < axes; ++a)
          slopes[arrays.last_axis_first ? axes - 1 - a : a] = tables[a][static_cast<std::size_t>(i[a])];
        for (std::int64_t c = 0; c < in; ++c)
          modes[static_cast<std::size_t>(c)] = std::complex<double>(from[c * count + place]);
        work(slopes, modes, results);
        for (std::int64_t c = 0; c < out; ++c) to[c * count + place] = Mode(results[static_cast<std::size_t>(c)]);
      });
    }
  };
  if (side.element.precision == Precision::f64)
    all(static_cast<std::complex<double>*>(nullptr));
  else
    all(static_cast<std::complex<float>*>(nullptr));
}

std::complex<double> turned(double slope, std::complex<double> mode) {
  return {-slope * mode.imag(), slope * mode.real()};
}

}  // namespace

void gradient(const Side& side, const void* scalar, void* vector, const std::vector<double>& lengths,
              std::int64_t vectors, bool last_axis_first) {
  for_vectors(side, lengths, {scalar, vector, vectors, last_axis_first}, 1, side.layout.axes(),
              [](const Slopes& k, const auto& modes, auto& results) {
                for (std::size_t a = 0; a < k.size(); ++a) results[a] = turned(k[a], modes[0]);
              });
}

void divergence(const Side& side, const void* vector, void* scalar, const std::vector<double>& lengths,
                std::int64_t vectors, bool last_axis_first) {
  for_vectors(side, lengths, {vector, scalar, vectors, last_axis_first}, side.layout.axes(), 1,
              [](const Slopes& k, const auto& modes, auto& results) {
                for (std::size_t a = 0; a < k.size(); ++a) results[0] += turned(k[a], modes[a]);
              });
}

void curl(const Side& side, const void* vector, void* result, const std::vector<double>& lengths, std::int64_t vectors,
          bool last_axis_first) {
  require(side.layout.axes() == 3, "fields over ", side.layout.axes(), " axes have no curl: 3 are expected");
  for_vectors(side, lengths, {vector, result, vectors, last_axis_first}, 3, 3,
              [](const Slopes& k, const auto& modes, auto& results) {
                for (std::size_t a = 0; a < 3; ++a) {
                  const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
                  results[a] = turned(k[b], modes[c]) - turned(k[c], modes[b]);
                }
              });
}

void project(const Side& side, const void* vector, void* result, const std::vector<double>& lengths,
             std::int64_t vectors, bool last_axis_first) {
  const std::int64_t axes = side.layout.axes();
  for_vectors(side, lengths, {vector, result, vectors, last_axis_first}, axes, axes,
              [](const Slopes& k, const auto& modes, auto& results) {
                double square = 0;
                std::complex<double> along = 0;
                for (std::size_t a = 0; a < k.size(); ++a) {
                  square += k[a] * k[a];
                  along += k[a] * modes[a];
                }
                if (square > 0) along /= square;
                for (std::size_t a = 0; a < k.size(); ++a) results[a] = modes[a] - k[a] * along;
              });
}

}  // namespace shardfft
