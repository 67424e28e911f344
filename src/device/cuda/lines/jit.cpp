// Programs for the compiler, their keys in the cache, and compilations in progress.
#include "device/cuda/lines/jit.hpp"

#include <sched.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <thread>

#include "base/own_folder.hpp"
#include "base/succeeds.hpp"
#include "base/text.hpp"
#include "device/cuda/lines/compile_apart.hpp"
#include "device/cuda/lines/kernel_sources.hpp"
#include "device/cuda/lines/nvrtc.hpp"
#include "device/kernel_cache.hpp"

namespace shardfft::device::lines {
namespace {

/// The part of a key that all kernels share: the compiler and the kernels' headers. Another version of the library then
/// does not take the kernels of this one.
const std::string& compiler_key() {
  static const std::string key = [] {
    std::string all;
    for (const std::string& option : compiler_options()) all += option + '\n';
    for (const KernelSource& file : kernel_sources()) all += std::string(file.name) + '\n' + file.text;
    return " nvrtc " + nvrtc_version() + " source " + hash_of(all);
  }();
  return key;
}

std::string key_of(const std::string& source, int architecture) {
  return "program " + hash_of(source) + " sm_" + std::to_string(architecture) + compiler_key();
}

const char* number_of(Precision precision) { return precision == Precision::f64 ? "double" : "Twin"; }

const char* word_of(bool yes) { return yes ? "true" : "false"; }

const char* checks_of(bool checks, bool holds_weights) {
  return !checks ? "Checks::none" : holds_weights ? "Checks::weights_held" : "Checks::some";
}

const char* way_of(bool backward) { return backward ? "backward" : "forward"; }

/// A line as a type.
std::string type_of(const LineCut& line) {
  Text text;
  text << "CutOf<" << line.n << ", " << line.team;
  for (int s = 0; s < line.stages; ++s) text << ", " << line.radix[s];
  text << '>';
  return text.str();
}

/// While it lives, this thread may run on every core that the system allows the process. Launchers often bind a rank to
/// one core (mpirun does for one rank and for two), and its compilers would wait for each other there.
class AnyCore {
 public:
  AnyCore() : knows_(sched_getaffinity(0, sizeof before_, &before_) == 0) {
    cpu_set_t all;
    std::memset(&all, 0xff, sizeof all);
    if (knows_) sched_setaffinity(0, sizeof all, &all);
  }
  ~AnyCore() {
    if (knows_) sched_setaffinity(0, sizeof before_, &before_);
  }
  AnyCore(const AnyCore&) = delete;
  AnyCore& operator=(const AnyCore&) = delete;

 private:
  cpu_set_t before_{};
  bool knows_;
};

/// One of the cores that compile. More compilers than cores would be no faster, and each takes 100 MB.
class Core {
 public:
  Core() { all().acquire(); }
  ~Core() { all().release(); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

 private:
  static std::counting_semaphore<>& all() {
    static auto& cores = *new std::counting_semaphore<>(std::max(1U, std::thread::hardware_concurrency()));
    return cores;
  }
};

/// Compiles the first program in this process. The compiler's objects that this makes are destroyed at exit.
void make_first_program(int architecture) { static const MachineCode first = compile("", architecture); }

/// Compiles in this process. Threads must not use the compiler's objects while these are destroyed: `wait`, which is
/// registered after they were made, runs before that.
MachineCode compile_here(const std::string& source, int architecture, void (*wait)()) {
  make_first_program(architecture);
  static const int waits = std::atexit(wait);
  static_cast<void>(waits);
  return compile(source, architecture);
}

/// Compilations of this process, finished and in progress, each on a thread of its own: they run at the same time, and
/// all devices share the code. If no thread can be started, the first one that needs the code compiles it.
class Compilations {
 public:
  using Code = std::shared_future<MachineCode>;

  /// At exit its threads end before the objects that they use, which were made before the wait was registered. It is
  /// never destroyed: a thread whose separate compiler ends without an answer registers another wait.
  static Compilations& instance() {
    compiler_key();
    // Otherwise a thread without a separate compiler makes the program, and a process that ends just then is not safe.
    static const bool made = has_compiler_program() || succeeds([] { make_first_program(90); });
    static_cast<void>(made);
    static Compilations& all = *new Compilations;
    static const int waits = std::atexit(wait_for_all);
    static_cast<void>(waits);
    return all;
  }
  Code begin(const std::string& source, int architecture) {
    const std::string key = key_of(source, architecture);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = codes_.find(key);
    if (found != codes_.end()) return found->second;
    return codes_.emplace(key, std::async(any_way, cached_code, key, source, architecture).share()).first->second;
  }
  /// Runs work that begins compilations. An error is dropped: it comes again when the code is needed.
  void begin(std::function<void()> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    choices_.remove_if([](const auto& choice) { return has_state(choice, std::future_status::ready); });
    choices_.push_back(std::async(any_way, std::move(work)));
  }

 private:
  static constexpr std::launch any_way = std::launch::async | std::launch::deferred;

  template <class Future>
  static bool has_state(const Future& future, std::future_status state) {
    return future.wait_for(std::chrono::seconds(0)) == state;
  }
  /// A program that has failed to answer once is not asked again.
  std::optional<MachineCode> made_apart(const std::string& source, int architecture) {
    const std::string program = compiler_program();
    {
      const std::lock_guard<std::mutex> lock(silent_mutex_);
      if (silent_.count(program) != 0) return std::nullopt;
    }
    auto code = compile_apart(source, architecture);
    if (!code) {
      const std::lock_guard<std::mutex> lock(silent_mutex_);
      silent_.insert(program);
    }
    return code;
  }
  /// In the cache, the bytes of stack come first, in a line of their own.
  static MachineCode cached_code(const std::string& key, const std::string& source, int architecture) {
    const std::string kept = cached(cache_directory(), key, [&] {
      const AnyCore anywhere;
      const Core core;
      const auto apart = instance().made_apart(source, architecture);
      const MachineCode made = apart ? *apart : compile_here(source, architecture, wait_for_all);
      return std::to_string(made.stack_bytes) + '\n' + made.cubin;
    });
    const std::size_t line = kept.find('\n');
    return {kept.substr(line + 1), std::stoi(kept.substr(0, line))};
  }
  /// Choices come first, because they begin compilations and other choices.
  static void wait_for_all() {
    Compilations& all = instance();
    for (bool waits = true; waits;) {
      std::list<std::future<void>> choices;
      {
        const std::lock_guard<std::mutex> lock(all.mutex_);
        choices.swap(all.choices_);
      }
      waits = !choices.empty();  // they end with the list
    }
    const std::lock_guard<std::mutex> lock(all.mutex_);
    for (const auto& [key, code] : all.codes_)
      if (!has_state(code, std::future_status::deferred)) code.wait();
  }

  std::mutex mutex_;
  std::map<std::string, Code> codes_;
  std::list<std::future<void>> choices_;
  std::mutex silent_mutex_;  // a second one, because a thread that waits for all codes holds the first one
  std::set<std::string> silent_;
};

template <class Cut, class Skills>
Compilations::Code begin_way(const Cut& cut, Precision precision, Skills skills, bool backward, int architecture) {
  return Compilations::instance().begin(kernel_source(cut, precision, skills, backward), architecture);
}

template <class Cut, class Skills>
KernelCode code_of(const Cut& cut, Precision precision, Skills skills, int architecture) {
  const Compilations::Code forward = begin_way(cut, precision, skills, false, architecture);
  const Compilations::Code backward = begin_way(cut, precision, skills, true, architecture);
  return {{forward.get(), backward.get()}};
}

template <class Cut, class Skills>
void begin_code(const Cut& cut, Precision precision, Skills skills, int architecture) {
  for (const bool backward : {false, true}) begin_way(cut, precision, skills, backward, architecture);
}

/// Compiles recipes that choose_cut() may look at after the first one. In double precision, and with real rows, the
/// first one sometimes has some stack; to compile the next ones only then would take as long again. With enough cores
/// they are compiled at the same time.
void begin_guesses(const std::vector<PlaneCut>& cuts, Precision precision, PlaneSkills skills, int architecture) {
  if (precision != Precision::f64 && !skills.real) return;
  constexpr int some_stack = 48;
  const PlaneCut& first = cuts.front();
  for (const PlaneCut* cut : worth_compiling(cuts))
    if (cut != &first && expected_time_of(*cut) < time_of(first, some_stack))
      begin_code(*cut, precision, chosen_by(skills), architecture);
}

}  // namespace

bool has_spare_cores(int processes) {
  constexpr int enough = 16;
  const AnyCore anywhere;  // counts all cores
  return static_cast<int>(std::thread::hardware_concurrency()) / std::max(processes, 1) >= enough;
}

void begin_machine_code(std::function<void()> work) { Compilations::instance().begin(std::move(work)); }

MachineCode machine_code(const std::string& source, int architecture) {
  return Compilations::instance().begin(source, architecture).get();
}

std::string kernel_source(const Recipe& recipe, Precision precision, KernelSkills skills, bool backward) {
  Text text;
  text << "#include \"device/cuda/lines/" << (recipe.bulk ? "pass" : "plain") << "_kernel.cuh\"\n"
       << "using namespace shardfft::device::lines;\n"
       << "using Lines = " << type_of(recipe.line) << ";\n"
       << "extern \"C\" __global__ void __launch_bounds__(" << recipe.tile().threads() << ", " << recipe.resident
       << ")\n    " << way_of(backward) << "(const __grid_constant__ " << (recipe.bulk ? "Kernel" : "Plain")
       << "Pass pass) {\n"
       << "  run_" << (recipe.bulk ? "" : "plain_") << "pass<Lines, " << number_of(precision) << ", " << recipe.width
       << ", " << word_of(backward) << ", " << word_of(skills.odd) << ", "
       << checks_of(skills.checks, recipe.holds_weights) << ", " << word_of(skills.multiplies && !backward)
       << ">(pass);\n}\n";
  return text.str();
}

KernelCode machine_code(const Recipe& recipe, Precision precision, KernelSkills skills, int architecture) {
  return code_of(recipe, precision, skills, architecture);
}

void begin_machine_code(const Recipe& recipe, Precision precision, KernelSkills skills, int architecture) {
  begin_code(recipe, precision, skills, architecture);
}

std::string kernel_source(const PlaneCut& cut, Precision precision, PlaneSkills skills, bool backward) {
  Text text;
  text << "#include \"device/cuda/lines/plane_kernel.cuh\"\n"
       << "using namespace shardfft::device::lines;\n"
       << "using Planes = PlaneOf<" << type_of(cut.rows) << ", " << type_of(cut.columns) << ", " << cut.lines << ", "
       << cut.width << ", " << cut.groups << ">;\n"
       << "extern \"C\" __global__ void __launch_bounds__(" << cut.threads() << ", 1)\n    " << way_of(backward)
       << "(const __grid_constant__ KernelPlanes pass) {\n"
       << "  run_planes<Planes, " << number_of(precision) << ", " << word_of(backward) << ", " << word_of(skills.real)
       << ", " << checks_of(skills.checks, cut.holds_weights) << ">(pass);\n}\n";
  return text.str();
}

KernelCode machine_code(const PlaneCut& cut, Precision precision, PlaneSkills skills, int architecture) {
  return code_of(cut, precision, skills, architecture);
}

const PlaneCut& choose_cut(const std::vector<PlaneCut>& cuts, Precision precision, PlaneSkills skills,
                           int architecture) {
  if (cuts.size() == 1) return cuts.front();
  const PlaneSkills chosen = chosen_by(skills);
  return fastest(
      cuts, [&](const PlaneCut& cut) { return machine_code(cut, precision, chosen, architecture).stack_bytes(); },
      [&](const PlaneCut& cut) { begin_code(cut, precision, chosen, architecture); });
}

void begin_machine_code(const std::vector<PlaneCut>& cuts, Precision precision, PlaneSkills skills, int architecture) {
  // Code that is surely needed comes first: cores may be few, and a process that compiles by itself has only one front
  // end of NVRTC.
  const bool chooses = cuts.size() > 1, spare = chooses && has_spare_cores();
  if (chooses) begin_code(cuts.front(), precision, chosen_by(skills), architecture);
  Compilations::instance().begin([=] {
    if (spare) {
      begin_code(cuts.front(), precision, skills, architecture);
      begin_guesses(cuts, precision, skills, architecture);
    }
    begin_code(choose_cut(cuts, precision, skills, architecture), precision, skills, architecture);
  });
}

}  // namespace shardfft::device::lines
