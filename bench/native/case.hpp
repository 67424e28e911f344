// What one driver process is asked to do: the case, read from a JSON object on the command line.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace shardfft::bench {

using Json = nlohmann::json;
using Triple = std::array<std::int64_t, 3>;

// A case that cannot be run by anybody: the caller's mistake, not a library's limit.
class CaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Kind { c2c, r2c, r2r };
enum class Precision { single_, double_ };
enum class Direction { forward, backward, pair };
enum class Placement { out, in };
// cyclic: every ranks-th plane of axis 0; boxes: those that the case lists.
enum class LayoutKind { slab, pencil, brick, cyclic, boxes };
// What is done along an axis: nothing, or a transform by the definitions of FFTW and SciPy.
enum class AxisKind { none, fft, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4 };
// `any`: the distribution the last stage of the library leaves; `natural`: the distribution of the input.
enum class Output { any, natural };
enum class Effort { estimate, measure, patient };

struct Case {
  Triple shape{};  // axis 2 varies fastest; a real transform halves axis 2
  Kind kind = Kind::c2c;
  Precision precision = Precision::double_;
  Direction direction = Direction::pair;
  Placement placement = Placement::out;
  LayoutKind layout = LayoutKind::slab;
  Output output = Output::any;
  Effort effort = Effort::measure;
  std::vector<int> axes;                // that are transformed; empty: all
  std::vector<std::string> transforms;  // a word for each axis of the array; empty: fft, or dct2 where the kind is r2r
  std::vector<std::int64_t> modes;      // kept along each axis of the array, 0 for all; empty: all. A mode without a
                                        // partner (-m/2 of an even number m) is zero
  std::string apply;       // gaussian: forward, times exp(-sigma^2 k^2 / 2), backward; empty: plain transforms
  std::int64_t batch = 1;  // fields one behind the other in memory
  std::vector<std::array<std::int64_t, 6>> boxes;  // of each rank: lower corner and count
  std::vector<int> grid;                           // ranks along the split axes; empty: the driver's default grid
  int threads = 1;
  int warmups = 2;
  int repeats = 10;
  double seconds = 0;  // stop repeating after this much timed work; 0: no limit
  std::uint64_t seed = 1;
  bool profile = false;           // count MPI time and bytes in additional, untimed repeats
  bool energy = true;             // count energy in repeats of its own, for a second at least
  Json options = Json::object();  // for the adapter

  bool real() const { return kind != Kind::c2c; }    // the field
  bool halves() const { return kind == Kind::r2c; }  // axis 2
  bool real_spectrum() const { return kind == Kind::r2r; }
  AxisKind axis_kind(int axis) const;
  // What a case asks for beyond its kind: axes, transforms (cosines beside Fourier transforms), modes, batch, apply.
  std::vector<std::string> features() const;
  // By what backward(forward(x)) without norms must be divided to get x.
  double scale() const;
  bool in_place() const { return placement == Placement::in; }
  bool single() const { return precision == Precision::single_; }
  bool natural() const { return output == Output::natural; }
  // Shape of the spectrum.
  Triple spectrum() const;
  // Points of the field.
  std::int64_t points() const { return shape[0] * shape[1] * shape[2]; }
  // Operations of one transform by the convention 5 N log2 N, half of it for real data.
  double flop() const;
  std::size_t real_bytes() const { return single() ? sizeof(float) : sizeof(double); }
};

// Throws CaseError naming the key on unknown keys, wrong types and impossible values.
Case parse_case(const std::string& text);
Json to_json(const Case& wanted);

}  // namespace shardfft::bench
