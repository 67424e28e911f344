#include "case.hpp"

#include <cmath>
#include <set>
#include <utility>

namespace shardfft::bench {
namespace {

template <class Enum>
using Words = std::vector<std::pair<const char*, Enum>>;

const Words<Kind> kinds{{"c2c", Kind::c2c}, {"r2c", Kind::r2c}};
const Words<Precision> precisions{{"double", Precision::double_}, {"single", Precision::single_}};
const Words<Direction> directions{
    {"forward", Direction::forward}, {"backward", Direction::backward}, {"pair", Direction::pair}};
const Words<Placement> placements{{"out", Placement::out}, {"in", Placement::in}};
const Words<LayoutKind> layouts{
    {"slab", LayoutKind::slab}, {"pencil", LayoutKind::pencil}, {"brick", LayoutKind::brick}};
const Words<Output> outputs{{"any", Output::any}, {"natural", Output::natural}};
const Words<Effort> efforts{{"estimate", Effort::estimate}, {"measure", Effort::measure}, {"patient", Effort::patient}};

// Takes keys out of the object so that what is left over is unknown.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}

  template <class T>
  void read(const char* key, T& value) {
    seen_.insert(key);
    if (!object_.contains(key)) return;
    try {
      value = object_.at(key).get<T>();
    } catch (const Json::exception&) {
      throw CaseError(std::string("case: wrong type for '") + key + "'");
    }
  }

  template <class Enum>
  void read(const char* key, Enum& value, const Words<Enum>& words) {
    std::string word;
    read(key, word);
    if (word.empty()) return;
    std::string known;
    for (const auto& [name, meaning] : words) {
      if (word == name) {
        value = meaning;
        return;
      }
      known += std::string(known.empty() ? "" : ", ") + name;
    }
    throw CaseError(std::string("case: '") + key + "' is '" + word + "', not one of " + known);
  }

  void finish() const {
    for (const auto& item : object_.items())
      if (!seen_.count(item.key())) throw CaseError("case: unknown key '" + item.key() + "'");
  }

 private:
  const Json& object_;
  std::set<std::string> seen_;
};

template <class Enum>
const char* word_of(Enum value, const Words<Enum>& words) {
  for (const auto& [name, meaning] : words)
    if (meaning == value) return name;
  return "?";
}

void check(const Case& c) {
  for (const auto n : c.shape)
    if (n < 1) throw CaseError("case: every size in 'shape' must be at least 1");
  // Products of sizes must stay far from overflow; no machine holds more points than this.
  if (std::log2(double(c.shape[0])) + std::log2(double(c.shape[1])) + std::log2(double(c.shape[2])) > 50)
    throw CaseError("case: 'shape' has more than 2^50 points");
  if (c.threads < 1) throw CaseError("case: 'threads' must be at least 1");
  if (c.warmups < 0) throw CaseError("case: 'warmups' must not be negative");
  if (c.repeats < 1) throw CaseError("case: 'repeats' must be at least 1");
  if (!(c.seconds >= 0)) throw CaseError("case: 'seconds' must not be negative");
  if (!c.options.is_object()) throw CaseError("case: 'options' must be an object");
  for (const int extent : c.grid)
    if (extent < 1) throw CaseError("case: every extent in 'grid' must be at least 1");
}

}  // namespace

Triple Case::spectrum() const { return real() ? Triple{shape[0], shape[1], shape[2] / 2 + 1} : shape; }

double Case::flop() const {
  const double n = double(points());
  return (real() ? 2.5 : 5.0) * n * std::log2(n);
}

Case parse_case(const std::string& text) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) throw CaseError("case: not a JSON object: " + text);
  if (!object.contains("shape")) throw CaseError("case: 'shape' is missing");
  Case c;
  Reader reader(object);
  std::vector<std::int64_t> shape;
  reader.read("shape", shape);
  if (shape.size() != 3) throw CaseError("case: 'shape' must have three sizes");
  c.shape = {shape[0], shape[1], shape[2]};
  reader.read("kind", c.kind, kinds);
  reader.read("precision", c.precision, precisions);
  reader.read("direction", c.direction, directions);
  reader.read("placement", c.placement, placements);
  reader.read("layout", c.layout, layouts);
  reader.read("output", c.output, outputs);
  reader.read("effort", c.effort, efforts);
  reader.read("grid", c.grid);
  reader.read("threads", c.threads);
  reader.read("warmups", c.warmups);
  reader.read("repeats", c.repeats);
  reader.read("seconds", c.seconds);
  reader.read("seed", c.seed);
  reader.read("profile", c.profile);
  reader.read("energy", c.energy);
  reader.read("options", c.options);
  reader.finish();
  check(c);
  return c;
}

Json to_json(const Case& c) {
  return {{"shape", c.shape},
          {"kind", word_of(c.kind, kinds)},
          {"precision", word_of(c.precision, precisions)},
          {"direction", word_of(c.direction, directions)},
          {"placement", word_of(c.placement, placements)},
          {"layout", word_of(c.layout, layouts)},
          {"output", word_of(c.output, outputs)},
          {"effort", word_of(c.effort, efforts)},
          {"grid", c.grid},
          {"threads", c.threads},
          {"warmups", c.warmups},
          {"repeats", c.repeats},
          {"seconds", c.seconds},
          {"seed", c.seed},
          {"profile", c.profile},
          {"energy", c.energy},
          {"options", c.options}};
}

}  // namespace shardfft::bench
