#include "api/plan_wisdom.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/environment.hpp"
#include "base/own_folder.hpp"
#include "base/say_once.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "geometry/shape.hpp"
#include "local/processor_rule.hpp"
#include "shardfft/gpu.hpp"
#include "shardfft/version.h"
#include "shardfft/wisdom.hpp"

namespace shardfft {

namespace {

namespace fs = std::filesystem;

/// The ways that this process was told, those that its plans measured, and those that files must keep: a process that
/// writes a file again writes all of them.
struct Loaded {
  std::mutex mutex;
  Wisdom told, measured;
  std::map<std::string, Wisdom> kept;
};
Loaded& loaded() {
  static Loaded all;
  return all;
}

std::string links() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& one : fs::directory_iterator("/sys/class/infiniband", error))
    names.push_back(one.path().filename().string());
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : "+") + name;
  return all.empty() ? "no fabric" : all;
}

/// Machines with the same text are of one class.
const std::string& machine() {
  static const std::string text = [] {
    const std::string name = processor_fact("model name"), part = processor_fact("CPU part");
    return std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " x " + (name.empty() ? "processor " + part : name) + ", " +
           links();
  }();
  return text;
}

/// The machine with its GPUs, for plans on them. Names of GPUs have their driver behind a comma.
std::string machine_for(Place place) {
  if (place == Place::cpu) return machine();
  static const std::vector<std::string> names = gpu_names();
  if (names.empty()) return machine();
  return machine() + ", " + std::to_string(names.size()) + " x " + names.front().substr(0, names.front().find(", "));
}

std::string versions_for(const Communicator& comm, Place place) {
  std::string text = std::string("shardfft ") + SHARDFFT_VERSION;
  if (comm.valid()) {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> mpi{};
    int length = 0;
    MPI_Get_library_version(mpi.data(), &length);
    const std::string words(mpi.data());
    text += "; " + words.substr(0, words.find_first_of(",\n"));
  }
  if (place == Place::cpu) return text;
  static const std::vector<std::string> names = gpu_names();
  return text + "; " + gpu_support() + (names.empty() ? "" : "; " + names.front());
}

/// The key of a problem on these ranks: the GPUs of one process, or runs of ranks on one host, by its first rank.
/// Collective.
std::string placed_key(const Members& who, const ProblemSpec& spec) {
  Text text;
  text << problem_key(spec) << (who.comm.valid() ? " hosts=" : " devices=");
  for (const int device : who.devices) text << device << ",";
  if (!who.comm.valid()) return text.str();
  const std::vector<int> hosts = who.comm.hosts(spec.options.fake_ranks_per_host);
  for (auto at = hosts.begin(); at != hosts.end();) {
    const auto end = std::find_if(at, hosts.end(), [&](int host) { return host != *at; });
    text << (at == hosts.begin() ? "" : ",") << *at << "*" << end - at;
    at = end;
  }
  return text.str();
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// The text of rank 0. Collective.
std::string of_first(const Communicator& comm, std::string text) {
  if (!comm.valid()) return text;
  const std::int64_t size = comm.max(comm.rank() == 0 ? static_cast<std::int64_t>(text.size()) : 0);
  text.resize(static_cast<std::size_t>(size));
  comm.broadcast(text.data(), text.size(), 0);
  return text;
}

std::string milliseconds(double seconds) {
  Text text;
  if (seconds > 0) text << ", " << std::setprecision(3) << seconds * 1e3 << " ms";
  return text.str();
}

}  // namespace

std::string wisdom_path() {
  if (const auto said = environment("SHARDFFT_WISDOM")) return *said;
  const std::string folder = cache_directory();
  if (folder.empty()) return {};
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a: the same in all processes
  for (const char c : machine()) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  Text name;
  name << folder << "/wisdom-" << std::hex << std::setw(16) << std::setfill('0') << hash << ".json";
  return name.str();
}

namespace {

WisdomFile default_file() { return {wisdom_path(), environment("SHARDFFT_WISDOM").has_value()}; }

}  // namespace

PlanWisdom::PlanWisdom(const Options& options, bool is_first) {
  if (!is_first || options.wisdom == "none") return;
  const bool is_default = options.wisdom.empty() || options.wisdom == "keep";
  file_ = is_default ? default_file() : WisdomFile{options.wisdom, true};
  reads_ = true;
  writes_ = !options.wisdom.empty();
  if (!writes_) return;
  file_.require_writable();
  file_.read();
}

bool PlanWisdom::knows() const {
  std::error_code ignored;
  const std::lock_guard lock(loaded().mutex);
  return loaded().told.size() > 0 || (reads_ && !file_.path.empty() && fs::exists(file_.path, ignored));
}

std::optional<PlanWisdom::Known> PlanWisdom::recall(const Members& who, const ProblemSpec& spec, Effort least) const {
  const Communicator& comm = who.comm;
  const std::string problem = placed_key(who, spec);
  Known known;
  const auto look = [&](const Wisdom& wisdom, const std::string& where) {
    const std::string machine = machine_for(spec.place), versions = versions_for(comm, spec.place);
    if (wisdom.damaged() > 0)
      say_once(std::to_string(wisdom.damaged()) + " damaged entries of " + where + " are not used");
    if (wisdom.size() > 0 && !wisdom.has_machine(machine))
      say_once("no entry of " + where + " is of a machine like this one, " + machine);
    const Remembered* const entry = wisdom.find(machine, problem);
    if (entry == nullptr || entry->effort < least) return;
    if (entry->versions != versions)
      return say_once("the way that " + where + " has for " + plan_name(spec) + " is of " + entry->versions +
                      ", not of " + versions + ": it is not used");
    known = {entry->way, "by " + where + ", measured " + entry->date + milliseconds(entry->seconds)};
  };
  if (comm.rank() == 0) {
    const Failure failure = failure_of([&] {
      const std::lock_guard lock(loaded().mutex);
      look(loaded().told, "imported wisdom");
      const std::optional<Wisdom> read = known.way.empty() && reads_ ? file_.read() : std::nullopt;
      if (read) look(*read, file_.path);
    });
    if (failure.failed()) say_once(failure.text);
  }
  known.way = of_first(comm, known.way);
  if (known.way.empty()) return std::nullopt;
  known.sentence = of_first(comm, known.sentence);
  return known;
}

void PlanWisdom::remember(const Members& who, const ProblemSpec& spec, Effort effort, const Way& way,
                          double seconds) const {
  const Communicator& comm = who.comm;
  const std::string problem = placed_key(who, spec);
  if (comm.rank() > 0) return;
  const Failure failure = failure_of([&] {
    const std::lock_guard lock(loaded().mutex);
    const Remembered entry{
        machine_for(spec.place), problem, versions_for(comm, spec.place), way.text(), effort, seconds, now()};
    loaded().measured.add(entry);
    if (!writes_) return;
    Wisdom& kept = loaded().kept[file_.path];
    kept.add(entry);
    file_.add(kept);
  });
  if (failure.failed()) say_once(failure.text);
}

std::string export_wisdom() {
  const std::lock_guard lock(loaded().mutex);
  Wisdom all = loaded().told;
  all.add(loaded().measured);
  return all.text();
}

int import_wisdom(const std::string& text) {
  const Wisdom told = Wisdom::parse(text);
  const std::lock_guard lock(loaded().mutex);
  return loaded().told.add(told);
}

void forget_wisdom() {
  const std::lock_guard lock(loaded().mutex);
  loaded().told = loaded().measured = {};
  loaded().kept.clear();
}

void keep_wisdom(const std::string& text, const std::string& path) {
  (path.empty() ? default_file() : WisdomFile{path, true}).add(Wisdom::parse(text));
}

std::string problem_key(const ProblemSpec& spec) {
  Text key;
  const auto layout = [&key](const char* name, const Layout& l) {
    key << " " << name << "=" << std::hex << l.fingerprint() << std::dec;
  };
  key << to_text(spec.transform.kind) << " " << to_text(spec.transform.precision) << " "
      << shape_text(spec.input.shape()) << " ranks=" << spec.ranks;
  layout("input", spec.input);
  if (spec.output)
    layout("output", *spec.output);
  else
    key << " output=" << (spec.output_kind == OutputLayout::natural ? "natural" : "default");
  if (spec.with_gaps) layout("gaps", *spec.with_gaps);
  key << " " << options_key(spec.options);
  return key.str();
}

}  // namespace shardfft
