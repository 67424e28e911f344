#include "api/option_checks.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "api/option_field.hpp"
#include "base/check.hpp"
#include "gpu/run/make.hpp"
#include "local/backend.hpp"

namespace shardfft {

namespace {

using detail::joined, detail::Names;

bool among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_effect(const OptionRow& row, Place place) {
  return std::find(row.effect.begin(), row.effect.end(), place) != row.effect.end();
}

/// If a name belongs to the other processor, the error says so.
void check_name(const OptionRow& row, const std::string& name, Place place) {
  if (name == "auto") return;
  const Names here = row.known(place);
  if (among(here, name)) return;
  const Place other = place == Place::cpu ? Place::gpu : Place::cpu;
  if (among(row.known(other), name))
    fail(Status::invalid_argument, row.name, " '", name, "' is for processor ", other == Place::cpu ? "cpu" : "gpu",
         "; processor ", other == Place::cpu ? "gpu" : "cpu", " has: ", joined(here));
  fail(Status::invalid_argument, "unknown ", row.name, " '", name, "'; known: ", joined(here));
}

void check_range(const OptionRow& row, const Options& options) {
  const OptionValue value = row.get(options);
  if (row.type == OptionType::integer) {
    const std::int64_t number = std::get<std::int64_t>(value);
    require(number >= row.least, "option ", row.name, " is ", number, "; at least ", row.least, " is needed");
    require(static_cast<double>(number) < row.below, "option ", row.name, " is ", number, "; less than ", row.below,
            " is needed");
  }
  if (row.type == OptionType::number) {
    const double number = std::get<double>(value);
    require(std::isfinite(number) && number >= static_cast<double>(row.least), "option ", row.name, " is ", number,
            "; a finite number of at least ", row.least, " is needed");
    require(number < row.below, "option ", row.name, " is ", number, "; less than ", row.below, " is needed");
  }
  if (row.type != OptionType::integers) return;
  for (const std::int64_t number : std::get<std::vector<std::int64_t>>(value))
    require(number >= row.least, "option ", row.name, " has an entry of ", number, "; at least ", row.least,
            " is needed");
}

void check_effect(const OptionRow& row, const Options& options, Place place) {
  static const Options defaults;
  if (has_effect(row, place) || row.get(options) == row.get(defaults)) return;
  const bool shown = row.type != OptionType::address;
  fail(Status::invalid_argument, "option ", row.name, " is ", shown ? option_text(row, options) : "given",
       ", but has no effect with ", place_text(place), ". ", row.sentence);
}

/// Arrays are changed in place, in rounds of messages. Arrays outside a GPU's memory would need another one there.
void check_least_workspace(const Options& options, Place place) {
  if (options.workspace != Workspace::least) return;
  require(place != Place::cpu || among({"auto", "p2p", "pairwise_xor"}, options.exchange),
          "option workspace = least needs exchange auto, p2p or pairwise_xor, not ", options.exchange);
  require(place == Place::cpu || options.memory == MemoryModel::automatic || options.memory == MemoryModel::device,
          "option workspace = least needs arrays of GPUs in device memory, but option memory is ",
          to_text(options.memory));
  require(options.chunks <= 1, "option workspace = least cuts nothing in chunks, but option chunks is ",
          options.chunks);
  require(!options.algorithm.starts_with("cannon"), "option workspace = least does not work with algorithm ",
          options.algorithm, ": its rounds need several blocks beside the array");
}

}  // namespace

std::string place_text(Place place) {
  switch (place) {
    case Place::cpu:
      return "processor = cpu";
    case Place::gpu:
      return "processor = gpu";
    case Place::devices:
      break;
  }
  return "devices of one process as ranks";
}

void validate_options(const Options& options, Place place) {
  // Builds without GPUs have no names for GPUs: the error of the missing GPUs comes first.
  if (place == Place::gpu) gpu::check_device(options.device);
  for (const OptionRow& row : option_table()) {
    row.get(options);  // throws for enums out of range
    check_effect(row, options, place);
    check_range(row, options);
    if (row.type == OptionType::name) check_name(row, std::get<std::string>(row.get(options)), place);
  }
  if (!options.way.empty()) Way::parse(options.way);
  check_least_workspace(options, place);
  require(!options.verify || options.tolerance == 0, "option tolerance is ", options.tolerance,
          ", but the option verify compares messages bit by bit and needs 0");
}

void require_only(const Options& options, Place place, const std::vector<std::string>& heeded) {
  validate_options(options, place);
  for (const OptionRow& row : option_table())
    require(std::find(heeded.begin(), heeded.end(), row.name) != heeded.end() || row.get(options) == row.get(Options()),
            "option ", row.name, " has no effect when nothing is transformed");
}

Way take_way(Options& options) {
  static const Options defaults;
  const Way way = Way::parse(options.way);
  Options told = options;
  told.algorithm = way.algorithm;
  told.exchange = way.exchange;
  told.chunks = way.chunks;
  told.grid = way.grid;
  std::set<std::string> libraries;
  for (const auto& [step, library] : way.libraries) libraries.insert(library);
  if (!libraries.empty()) told.local_fft = libraries.size() == 1 ? *libraries.begin() : defaults.local_fft;
  for (const OptionRow& row : option_table())
    require(row.get(options) == row.get(told) || row.get(options) == row.get(defaults), "option ", row.name, " is ",
            option_text(row, options), ", but the option way says ", option_text(row, told));
  const std::vector<Backend> by_default = candidates(defaults.local_fft);
  const bool is_default = std::any_of(by_default.begin(), by_default.end(),
                                      [&](const Backend& backend) { return backend.name == told.local_fft; });
  // The way names a library for each step, and a name given beside it is of all steps.
  if (options.local_fft == defaults.local_fft && is_default) told.local_fft = defaults.local_fft;
  options = told;
  return way;
}

std::vector<Agreed> agreed_options(const Options& options) {
  static const Options defaults;
  std::vector<Agreed> all;
  for (const OptionRow& row : option_table()) {
    if (row.agreement == Agreement::none) continue;
    const bool given = row.get(options) != row.get(defaults);
    const std::string text = row.agreement == Agreement::same ? option_text(row, options) : given ? "given" : "";
    all.push_back({"values of option " + row.name, std::hash<std::string>()(text), text});
  }
  return all;
}

std::string options_key(const Options& options) {
  std::string key;
  for (const OptionRow& row : option_table())
    if (row.in_key) key += (key.empty() ? "" : " ") + row.name + "=" + option_text(row, options);
  return key;
}

}  // namespace shardfft
