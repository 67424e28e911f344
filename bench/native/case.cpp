#include "case.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace shardfft::bench {
namespace {

template <class Enum>
using Words = std::vector<std::pair<const char*, Enum>>;

const Words<Kind> kinds{{"c2c", Kind::c2c}, {"r2c", Kind::r2c}, {"r2r", Kind::r2r}};
const Words<Precision> precisions{{"double", Precision::double_}, {"single", Precision::single_}};
const Words<Direction> directions{
    {"forward", Direction::forward}, {"backward", Direction::backward}, {"pair", Direction::pair}};
const Words<Placement> placements{{"out", Placement::out}, {"in", Placement::in}};
const Words<LayoutKind> layouts{{"slab", LayoutKind::slab},
                                {"pencil", LayoutKind::pencil},
                                {"brick", LayoutKind::brick},
                                {"cyclic", LayoutKind::cyclic},
                                {"boxes", LayoutKind::boxes}};
const Words<AxisKind> axis_kinds{{"fft", AxisKind::fft},   {"dct1", AxisKind::dct1}, {"dct2", AxisKind::dct2},
                                 {"dct3", AxisKind::dct3}, {"dct4", AxisKind::dct4}, {"dst1", AxisKind::dst1},
                                 {"dst2", AxisKind::dst2}, {"dst3", AxisKind::dst3}, {"dst4", AxisKind::dst4}};
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

AxisKind axis_kind_of(const std::string& word) {
  for (const auto& [name, meaning] : axis_kinds)
    if (word == name) return meaning;
  throw CaseError("case: 'transforms' has '" + word + "', which is neither fft nor dct1 to dct4 nor dst1 to dst4");
}

// What goes beyond a plain transform of one field.
void check_features(const Case& c) {
  for (std::size_t i = 0; i < c.axes.size(); ++i)
    if (c.axes[i] < 0 || c.axes[i] > 2 || (i > 0 && c.axes[i] <= c.axes[i - 1]))
      throw CaseError("case: 'axes' must be increasing numbers of 0 to 2");
  if (!c.transforms.empty() && c.transforms.size() != 3) throw CaseError("case: 'transforms' must have three words");
  for (int axis = 0; axis < 3; ++axis) {
    const AxisKind kind = c.axis_kind(axis);
    if (c.real_spectrum() && kind == AxisKind::fft) throw CaseError("case: the kind r2r has no axis with fft");
    if (axis == 2 && c.halves() && kind != AxisKind::fft)
      throw CaseError("case: the kind r2c halves axis 2, which must be transformed by fft");
  }
  if (!c.modes.empty() && c.modes.size() != 3) throw CaseError("case: 'modes' must have three numbers");
  for (std::size_t axis = 0; axis < c.modes.size(); ++axis)
    if (c.modes[axis] < 0 || c.modes[axis] > c.shape[axis] ||
        (c.modes[axis] > 0 && c.axis_kind(int(axis)) == AxisKind::none))
      throw CaseError("case: 'modes' must be at most the sizes, and 0 along axes that are not transformed");
  if (!c.apply.empty() && (c.apply != "gaussian" || c.direction != Direction::pair))
    throw CaseError("case: 'apply' is gaussian or nothing, with the direction pair");
  if (c.batch < 1) throw CaseError("case: 'batch' must be at least 1");
  if (c.boxes.empty() == (c.layout == LayoutKind::boxes))
    throw CaseError("case: the layout boxes and the list 'boxes' go together");
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
  check_features(c);
}

}  // namespace

Triple Case::spectrum() const {
  Triple extents = shape;
  for (std::size_t axis = 0; axis < modes.size(); ++axis)
    if (modes[axis] > 0) extents[axis] = modes[axis];
  if (halves()) extents[2] = extents[2] / 2 + 1;
  return extents;
}

AxisKind Case::axis_kind(int axis) const {
  if (!axes.empty() && std::find(axes.begin(), axes.end(), axis) == axes.end()) return AxisKind::none;
  if (transforms.empty()) return real_spectrum() ? AxisKind::dct2 : AxisKind::fft;
  return axis_kind_of(transforms[std::size_t(axis)]);
}

std::vector<std::string> Case::features() const {
  std::vector<std::string> found;
  if (!axes.empty() && axes.size() < 3) found.push_back("axes");
  for (int axis = 0; axis < 3; ++axis)
    if (!real_spectrum() && axis_kind(axis) > AxisKind::fft && (found.empty() || found.back() != "transforms"))
      found.push_back("transforms");
  Case whole;
  whole.shape = shape;
  whole.kind = kind;
  if (spectrum() != whole.spectrum()) found.push_back("modes");
  if (batch > 1) found.push_back("batch");
  if (!apply.empty()) found.push_back("apply");
  return found;
}

double Case::scale() const {
  double scale = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const AxisKind kind = axis_kind(axis);
    const double n = double(shape[std::size_t(axis)]);
    if (kind == AxisKind::fft) scale *= n;
    if (kind > AxisKind::fft) scale *= 2 * (kind == AxisKind::dct1 ? n - 1 : kind == AxisKind::dst1 ? n + 1 : n);
  }
  return scale;
}

double Case::flop() const {
  double lines = 1;
  for (int axis = 0; axis < 3; ++axis)
    if (axis_kind(axis) != AxisKind::none) lines *= double(shape[std::size_t(axis)]);
  return (real() ? 2.5 : 5.0) * double(points()) * double(batch) * std::log2(lines);
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
  reader.read("axes", c.axes);
  reader.read("transforms", c.transforms);
  reader.read("modes", c.modes);
  reader.read("apply", c.apply);
  reader.read("batch", c.batch);
  reader.read("boxes", c.boxes);
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
  Json said = {{"shape", c.shape},
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
  // What most cases do not have is left out of their records.
  if (!c.axes.empty()) said["axes"] = c.axes;
  if (!c.transforms.empty()) said["transforms"] = c.transforms;
  if (!c.modes.empty()) said["modes"] = c.modes;
  if (!c.apply.empty()) said["apply"] = c.apply;
  if (c.batch > 1) said["batch"] = c.batch;
  if (!c.boxes.empty()) said["boxes"] = c.boxes;
  return said;
}

}  // namespace shardfft::bench
