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

enum class Kind { c2c, r2c };
enum class Precision { single_, double_ };
enum class Direction { forward, backward, pair };
enum class Placement { out, in };
enum class LayoutKind { slab, pencil, brick };
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
  std::vector<int> grid;  // ranks along the split axes; empty: the driver's default grid
  int threads = 1;
  int warmups = 2;
  int repeats = 10;
  double seconds = 0;  // stop repeating after this much timed work; 0: no limit
  std::uint64_t seed = 1;
  bool profile = false;           // count MPI time and bytes in additional, untimed repeats
  bool energy = true;             // count energy in repeats of its own, for a second at least
  Json options = Json::object();  // for the adapter

  bool real() const { return kind == Kind::r2c; }
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
