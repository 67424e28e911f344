#include "exec/local_ffts.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <tuple>

#include "base/clock.hpp"
#include "base/heap.hpp"
#include "exec/local_fft_trial.hpp"
#include "local/backend.hpp"
#include "local/work_memory.hpp"
#include "run/trial_budget.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

bool on_all(const Communicator& comm, bool mine) { return comm.min(std::int64_t{mine ? 1 : 0}) == 1; }

/// A library whose transforms of a step are made, and the least time of its rounds.
struct Entrant {
  const Backend* backend = nullptr;
  MadeFfts made{};
  double seconds = std::numeric_limits<double>::infinity();
  double round = 0;  ///< seconds that its last round took
};

/// Tries candidates for every step and keeps what each came to.
class Choosing {
 public:
  Choosing(const FftMakers& makers, const std::vector<FftStep>& steps, const Communicator& comm,
           std::optional<double> deadline)
      : makers_(makers), steps_(steps), comm_(comm), trial_(steps), deadline_(deadline), entrants_(steps.size()) {}

  /// The first that can make all of a step makes it.
  LocalFftChoice by_rule(const std::string& note) {
    enter_expected();
    return take(note);
  }

  LocalFftChoice by_trial() {
    if (!trial_.prepare(comm_)) return by_rule("by the processor's maker; there is no memory to measure with");
    samples_ = true;
    enter_expected();
    budget_.emplace(comm_);
    std::vector<std::size_t> heaviest_first = time_expected();
    enter_others(heaviest_first);
    run_rounds();
    const bool tried = std::any_of(entrants_.begin(), entrants_.end(), [](const auto& e) { return e.size() > 1; });
    return take(tried ? "measured:" : "by the processor's maker; to measure others would take longer than 10 runs");
  }

 private:
  /// Who makes a step where nothing is tried, the first choice first: the one that was chosen for it before.
  const Backend& expected(std::size_t step, std::size_t place) const {
    const auto& all = makers_.candidates;
    const auto chosen = makers_.chosen.find(steps_[step].name);
    if (chosen == makers_.chosen.end()) return all[place];
    const auto first = std::find_if(all.begin(), all.end(), [&](const Backend& b) { return b.name == chosen->second; });
    if (first == all.end()) return all[place];
    const auto at = static_cast<std::size_t>(first - all.begin());
    return place == 0 ? *first : all[place <= at ? place - 1 : place];
  }

  /// False where this rank cannot make the transforms, or their samples. Each that measures has an equal share of the
  /// time until the deadline.
  bool make(std::size_t step, Entrant& entrant, std::optional<double> deadline) {
    const auto& ffts = steps_[step].ffts;
    try {
      for (std::size_t i = 0; i < ffts.size(); ++i) {
        FftSpec spec = samples_ ? trial_.sample(step, i) : ffts[i]->spec();
        const double now = clock_seconds();
        if (deadline) spec.deadline = now + (*deadline - now) / static_cast<double>(ffts.size() - i);
        entrant.made.push_back(make_local_fft(*entrant.backend, spec));
      }
    } catch (...) {
      if (!refusal_) refusal_ = std::current_exception();
      return false;
    }
    return true;
  }

  /// What is expected to win is planned as if there were no trial.
  void enter_expected() {
    const auto missing = [](const auto& entrants) { return entrants.empty(); };
    for (std::size_t place = 0; place < makers_.candidates.size(); ++place) {
      std::vector<Entrant> made(steps_.size());
      std::vector<double> refused(steps_.size(), 0);
      for (std::size_t s = 0; s < steps_.size(); ++s) {
        if (!entrants_[s].empty()) continue;
        made[s].backend = &expected(s, place);
        refused[s] = make(s, made[s], deadline_) ? 0 : 1;
      }
      refused = comm_.max(refused);
      for (std::size_t s = 0; s < steps_.size(); ++s)
        if (entrants_[s].empty() && refused[s] == 0) entrants_[s].push_back(std::move(made[s]));
      if (std::none_of(entrants_.begin(), entrants_.end(), missing)) return;
    }
    throw_refusal();
  }

  [[noreturn]] void throw_refusal() {
    agree(comm_, [this] {
      if (refusal_) std::rethrow_exception(refusal_);
    });
    fail(Status::internal, "no local FFT was tried");
  }

  struct Run {
    std::size_t step;
    Entrant* entrant;
  };

  /// Lets all ranks run the same transforms at once. Who cannot run them takes for ever.
  void time(const std::vector<Run>& runs) {
    std::vector<double> times;
    for (const Run& run : runs) {
      comm_.barrier();
      const double begin = clock_seconds();
      double seconds = std::numeric_limits<double>::infinity();
      const Failure failure = failure_of([&] { seconds = trial_.seconds(run.step, run.entrant->made); });
      times.insert(times.end(), {seconds, clock_seconds() - begin});
    }
    times = comm_.max(times);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      runs[i].entrant->seconds = std::min(runs[i].entrant->seconds, times[2 * i]);
      runs[i].entrant->round = times[2 * i + 1];
    }
  }

  /// The steps by what they take.
  std::vector<std::size_t> time_expected() {
    std::vector<Run> runs;
    for (std::size_t s = 0; s < steps_.size(); ++s) runs.push_back({s, &entrants_[s].front()});
    time(runs);
    double seconds = 0;
    std::vector<std::size_t> heaviest_first;
    for (const Run& run : runs) {
      seconds += run.entrant->seconds;
      heaviest_first.push_back(run.step);
    }
    std::stable_sort(heaviest_first.begin(), heaviest_first.end(), [&](std::size_t a, std::size_t b) {
      return entrants_[a].front().seconds > entrants_[b].front().seconds;
    });
    // A run is one of the two directions that a round stands for.
    budget_->allow(10 * seconds / 2, host_defaults().trial_seconds);
    return heaviest_first;
  }

  /// Enters the other candidates, which are planned within the time of the trial. Libraries that measure while they
  /// plan begin with the heaviest steps, where most is to be gained.
  void enter_others(const std::vector<std::size_t>& heaviest_first) {
    for (const Backend& backend : makers_.candidates)
      for (auto s = heaviest_first.begin(); s != heaviest_first.end(); ++s) {
        const bool settled = makers_.chosen.count(steps_[*s].name) > 0;
        if (!settled && &backend > entrants_[*s].front().backend)
          enter(backend, *s, static_cast<double>(heaviest_first.end() - s));
      }
  }

  /// Planning for this step and what is left of `steps` leaves time for some rounds.
  void enter(const Backend& backend, std::size_t step, double steps) {
    const double round = entrants_[step].front().round;
    if (!budget_->room(round)) return;
    const double left = budget_->left();
    const double rounds = std::max(round, std::min(left / 2, host_defaults().trial_rounds * cycle()));
    Entrant entrant{&backend};
    const bool mine = make(step, entrant, budget_->deadline(left - (left - rounds) / steps));
    if (!on_all(comm_, mine) || !budget_->room()) return;  // or planned in a hurry
    time({{step, &entrant}});
    if (entrant.seconds < std::numeric_limits<double>::infinity()) entrants_[step].push_back(std::move(entrant));
  }

  /// Seconds of a round of all that are tried.
  double cycle() const {
    double seconds = 0;
    for (const auto& entrants : entrants_)
      for (const Entrant& e : entrants) seconds += e.round;
    return seconds;
  }

  void run_rounds() {
    std::vector<Run> runs;
    for (std::size_t s = 0; s < steps_.size(); ++s)
      for (Entrant& e : entrants_[s])
        if (entrants_[s].size() > 1) runs.push_back({s, &e});
    for (int round = 1; !runs.empty() && round < host_defaults().trial_rounds && budget_->room(cycle()); ++round)
      time(runs);
  }

  LocalFftChoice take(const std::string& note) {
    LocalFftChoice choice;
    choice.note = note;
    std::vector<const Backend*> used;
    agree(comm_, [&] {
      for (std::size_t s = 0; s < steps_.size(); ++s) {
        Entrant& best = clearly_fastest(entrants_[s]);
        if (std::find(used.begin(), used.end(), best.backend) == used.end()) used.push_back(best.backend);
        auto& step = choice.steps.emplace_back(LocalFftChoice::Step{steps_[s].name, best.backend->name});
        if (samples_)
          for (const Entrant& e : entrants_[s]) step.times.push_back({e.backend->name, e.seconds});
        for (std::size_t i = 0; i < steps_[s].ffts.size(); ++i) {
          PlannedFft& fft = *steps_[s].ffts[i];
          const bool part = samples_ && !trial_.is_whole(s, i);
          fft.adopt(part ? make_local_fft(*best.backend, fft.spec()) : std::move(best.made[i]));
        }
      }
    });
    if (used.empty()) used.push_back(&makers_.candidates.front());
    for (const Backend* backend : used) {
      choice.names.push_back(backend->name);
      choice.version += (choice.version.empty() ? "" : " and ") + version_of(*backend);
    }
    return choice;
  }

  /// The version of this library, and of another one that makes what this one cannot.
  std::string version_of(const Backend& backend) const {
    const auto is_cosine = [](const auto& fft) { return fft->spec().kind == Kind::r2r; };
    const bool any = std::any_of(steps_.begin(), steps_.end(), [&](const FftStep& step) {
      return std::any_of(step.ffts.begin(), step.ffts.end(), is_cosine);
    });
    return backend.version +
           (any && !backend.cosines ? "; cosine and sine transforms by " + fallback_backend().version : "");
  }

  const FftMakers& makers_;
  const std::vector<FftStep>& steps_;
  const Communicator& comm_;
  LocalFftTrial trial_;
  std::optional<double> deadline_;
  std::vector<std::vector<Entrant>> entrants_;  ///< by step, the expected one first
  bool samples_ = false;                        ///< samples of the transforms are made
  std::exception_ptr refusal_;
  std::optional<TrialBudget> budget_;  ///< begins when the expected libraries have planned
};

}  // namespace

std::shared_ptr<PlannedFft> StepFfts::add(const FftSpec& spec, int at_once) const {
  auto& ffts = ffts_->steps_[step_].ffts;
  for (const auto& fft : ffts)
    if (fft->spec() == spec && fft->at_once() == at_once) return fft;
  return ffts.emplace_back(std::make_shared<PlannedFft>(spec, at_once));
}

bool StepFfts::turn_lines() const {
  const FftMakers& makers = ffts_->makers_;
  const auto chosen = makers.chosen.find(ffts_->steps_[step_].name);
  return std::all_of(makers.candidates.begin(), makers.candidates.end(), [&](const Backend& backend) {
    return backend.turns || (chosen != makers.chosen.end() && chosen->second != backend.name);
  });
}

StepFfts LocalFfts::step(const std::string& name) {
  for (std::size_t s = 0; s < steps_.size(); ++s)
    if (steps_[s].name == name) return {this, s};
  steps_.push_back({name});
  return {this, steps_.size() - 1};
}

bool LocalFfts::order_alike(const Communicator& comm) {
  auto& candidates = makers_.candidates;
  const auto count = static_cast<std::int64_t>(candidates.size());
  if (comm.min(count) != comm.max(count)) {
    candidates.resize(1);  // some ranks were told a name
    return false;
  }
  if (count == 1) return false;
  // Hosts may have processors of different makers. Behind the expected one come first those that are planned at once,
  // so that there is time for them.
  const std::string first = candidates.front().name;
  const auto key = [](const Backend& backend) { return std::tie(backend.measures, backend.name); };
  std::sort(candidates.begin(), candidates.end(), [&](const Backend& a, const Backend& b) { return key(a) < key(b); });
  const auto own =
      std::find_if(candidates.begin(), candidates.end(), [&](const Backend& b) { return b.name == first; });
  const auto expected = candidates.begin() + comm.min(own - candidates.begin());
  std::rotate(candidates.begin(), expected, expected + 1);
  return true;
}

LocalFftChoice LocalFfts::make(const Communicator& comm, std::optional<double> deadline) {
  const std::size_t before = heap_bytes();
  LocalFftChoice choice = choose(comm, deadline);
  const std::size_t after = heap_bytes();
  choice.library_bytes = after > before ? after - before : 0;
  double running = 0;
  for (const FftStep& step : steps_)
    for (const auto& fft : step.ffts)
      running = std::max(running, work_bytes(fft->spec()) * std::max(fft->spec().threads, fft->at_once()));
  choice.library_bytes += static_cast<std::size_t>(running);
  return choice;
}

LocalFftChoice LocalFfts::choose(const Communicator& comm, std::optional<double> deadline) {
  const bool choice = order_alike(comm);
  Choosing choosing(makers_, steps_, comm, deadline);
  if (!choice) return choosing.by_rule("");
  const bool settled = std::all_of(steps_.begin(), steps_.end(),
                                   [this](const FftStep& step) { return makers_.chosen.count(step.name) > 0; });
  if (settled) return choosing.by_rule("as chosen before");
  if (!on_all(comm, effort_ != Effort::estimate)) return choosing.by_rule("by the processor's maker");
  return choosing.by_trial();
}

}  // namespace shardfft
