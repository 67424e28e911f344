#include "exec/local_ffts.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <tuple>

#include "base/clock.hpp"
#include "base/heap.hpp"
#include "choose/trial.hpp"
#include "exec/fft_samples.hpp"
#include "local/backend.hpp"
#include "local/work_memory.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

bool makes_exactly(const Backend& backend, const FftStep& step) {
  return std::all_of(step.ffts.begin(), step.ffts.end(),
                     [&](const auto& fft) { return is_exact(backend, fft->spec()); });
}

/// A library, with its transforms of a step.
struct Entrant {
  std::size_t step = 0;
  const Backend* backend = nullptr;
  MadeFfts made{};
};

/// Tries candidates for every step and keeps their times.
class Choosing {
 public:
  Choosing(const FftMakers& makers, const std::vector<FftStep>& steps, const Communicator& comm,
           std::optional<double> deadline)
      : makers_(makers), steps_(steps), comm_(comm), samples_(steps), deadline_(deadline) {}

  /// Makes all transforms by the first choice, before ranks agree on it. False if this rank cannot.
  bool make_expected() {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      entrants_.push_back({s, expected(s).front()});
      if (!make(entrants_.back(), deadline_)) return false;
    }
    return true;
  }

  /// Each step is made by the first library that can make all of its transforms.
  LocalFftChoice by_rule(const std::string& note) {
    enter_expected();
    return take(note);
  }

  LocalFftChoice by_trial() {
    if (!samples_.prepare(comm_)) return by_rule("by the processor's maker; there is no memory to measure with");
    tries_ = true;
    enter_expected();
    // The trial's time begins after the expected libraries have planned.
    trial_.emplace(comm_, [this](std::size_t entrant) { return seconds_of(entrants_[entrant]); });
    enter_others(time_expected());
    trial_->run_rounds();
    const bool tried = entrants_.size() > steps_.size();
    return take(tried ? "measured:" : "by the processor's maker; to measure others would take longer than 10 runs");
  }

  /// The best entrant of each step.
  LocalFftChoice take(const std::string& note) {
    LocalFftChoice choice;
    choice.note = note;
    std::vector<const Backend*> used;
    const auto adopt = [&] {
      for (std::size_t s = 0; s < steps_.size(); ++s) {
        Entrant& best = entrants_[tries_ ? trial_->winner(s) : s];
        if (std::find(used.begin(), used.end(), best.backend) == used.end()) used.push_back(best.backend);
        auto& step = choice.steps.emplace_back(LocalFftChoice::Step{steps_[s].name, best.backend->name});
        for (std::size_t e = 0; tries_ && e < entrants_.size(); ++e)
          if (entrants_[e].step == s) step.times.push_back({entrants_[e].backend->name, trial_->seconds(e)});
        for (std::size_t i = 0; i < steps_[s].ffts.size(); ++i) {
          PlannedFft& fft = *steps_[s].ffts[i];
          const bool part = tries_ && !samples_.is_whole(s, i);
          fft.adopt(part ? make_local_fft(*best.backend, fft.spec()) : std::move(best.made[i]));
        }
      }
    };
    tries_ ? agree(comm_, adopt) : adopt();  // plans anew if only a sample was tried
    if (used.empty()) used.push_back(&makers_.candidates.front());
    for (const Backend* backend : used) {
      choice.names.push_back(backend->name);
      choice.version += (choice.version.empty() ? "" : " and ") + backend->version();
    }
    return choice;
  }

 private:
  /// The libraries of a step, the one first that is taken if nothing is tried: the one that was chosen for the step
  /// before, else for a real step the one that is expected to be the fastest there, else the first candidate.
  std::vector<const Backend*> expected(std::size_t step) const {
    std::vector<const Backend*> order;
    for (const Backend& backend : makers_.candidates) order.push_back(&backend);
    const auto chosen = makers_.chosen.find(steps_[step].name);
    const auto rank = [&](const Backend* b) {
      return chosen != makers_.chosen.end() && b->name == chosen->second ? 0
             : b->real_first && steps_[step].real                        ? 1
                                                                         : 2;
    };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rank(a) < rank(b); });
    return order;
  }

  /// False if this rank cannot make the transforms, or their samples, exactly. Each transform that is measured while it
  /// is planned has an equal share of the time until the deadline.
  bool make(Entrant& entrant, std::optional<double> deadline) {
    const auto& ffts = steps_[entrant.step].ffts;
    if (!makes_exactly(*entrant.backend, steps_[entrant.step])) return false;
    try {
      for (std::size_t i = 0; i < ffts.size(); ++i) {
        FftSpec spec = tries_ ? samples_.sample(entrant.step, i) : ffts[i]->spec();
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

  /// Plans the expected libraries as if there were no trial, one entrant a step.
  void enter_expected() {
    std::vector<Entrant> first(steps_.size());
    for (std::size_t place = 0; place < makers_.candidates.size(); ++place) {
      std::vector<double> refused(steps_.size(), 0);
      for (std::size_t s = 0; s < steps_.size(); ++s) {
        if (first[s].backend != nullptr) continue;
        first[s] = {s, expected(s)[place]};
        refused[s] = make(first[s], deadline_) ? 0 : 1;
      }
      refused = comm_.max(refused);
      for (std::size_t s = 0; s < steps_.size(); ++s)
        if (refused[s] > 0) first[s].backend = nullptr;
      const bool all = std::none_of(refused.begin(), refused.end(), [](double any) { return any > 0; });
      if (all) return static_cast<void>(entrants_ = std::move(first));
    }
    throw_refusal();
  }

  [[noreturn]] void throw_refusal() {
    agree(comm_, [this] {
      if (refusal_) std::rethrow_exception(refusal_);
    });
    fail(Status::internal, "no local FFT was tried");
  }

  /// Infinite if the entrant cannot run.
  double seconds_of(const Entrant& entrant) {
    double seconds = Trial::unlimited;
    failure_of([&] { seconds = samples_.seconds(entrant.step, entrant.made); });
    return seconds;
  }

  /// The steps by the time of the expected libraries, the slowest first.
  std::vector<std::size_t> time_expected() {
    std::vector<std::size_t> steps;
    for (std::size_t s = 0; s < steps_.size(); ++s) steps.push_back(trial_->enter(s));
    trial_->run(steps);
    double seconds = 0;
    for (const std::size_t s : steps) seconds += trial_->seconds(s);
    std::stable_sort(steps.begin(), steps.end(),
                     [&](std::size_t a, std::size_t b) { return trial_->seconds(a) > trial_->seconds(b); });
    // A run is one of the two directions of a round.
    trial_->allow(10 * seconds / 2, makers_.most_seconds);
    return steps;
  }

  /// Enters the other candidates, which are planned within the time of the trial. Libraries that measure while they
  /// plan begin with the slowest steps, which have most to gain.
  void enter_others(const std::vector<std::size_t>& heaviest_first) {
    for (const Backend& backend : makers_.candidates)
      for (auto s = heaviest_first.begin(); s != heaviest_first.end(); ++s) {
        const bool settled = makers_.chosen.count(steps_[*s].name) > 0;
        const std::vector<const Backend*> all = expected(*s);  // those before the entered one are refused
        if (!settled &&
            std::find(std::find(all.begin(), all.end(), entrants_[*s].backend) + 1, all.end(), &backend) != all.end())
          enter(backend, *s, static_cast<double>(heaviest_first.end() - s));
      }
  }

  /// Limits the time of planning, so that the `steps` remaining steps can plan too and some rounds can run.
  void enter(const Backend& backend, std::size_t step, double steps) {
    const double round = trial_->cost(step);
    const double left = trial_->left();
    if (left < round) return;
    const double rounds = std::max(round, std::min(left / 2, host_defaults().trial_rounds * trial_->cycle()));
    Entrant entrant{step, &backend};
    const bool mine = make(entrant, trial_->deadline(left - (left - rounds) / steps));
    if (!trial_->meet(mine) || !trial_->room()) return;  // planned in a hurry
    entrants_.push_back(std::move(entrant));
    const std::size_t number = trial_->enter(step);
    trial_->run({number});
    if (trial_->seconds(number) < Trial::unlimited) return;
    trial_->withdraw();
    entrants_.pop_back();
  }

  const FftMakers& makers_;
  const std::vector<FftStep>& steps_;
  const Communicator& comm_;
  FftSamples samples_;
  std::optional<double> deadline_;
  std::vector<Entrant> entrants_;  ///< the expected ones first, by step; numbered as in the trial
  bool tries_ = false;             ///< makes samples of the transforms
  std::exception_ptr refusal_;
  std::optional<Trial> trial_;
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

StepFfts LocalFfts::step(const std::string& name, bool real) {
  for (std::size_t s = 0; s < steps_.size(); ++s)
    if (steps_[s].name == name) return {this, s};
  steps_.push_back({name, real});
  return {this, steps_.size() - 1};
}

LocalFftChoice LocalFfts::make(const Communicator& comm, std::optional<double> deadline, const Failure& mine) {
  const std::size_t before = heap_bytes();
  LocalFftChoice choice = choose(comm, deadline, mine);
  const std::size_t after = heap_bytes();
  choice.library_bytes = after > before ? after - before : 0;
  double running = 0;
  for (const FftStep& step : steps_)
    for (const auto& fft : step.ffts)
      running = std::max(running, work_bytes(fft->spec()) * std::max(fft->spec().threads, fft->at_once()));
  choice.library_bytes += static_cast<std::size_t>(running);
  return choice;
}

/// The reason to try nothing; empty if several libraries are tried.
std::string LocalFfts::rule(bool may_try) const {
  if (makers_.candidates.size() < 2) return "there is nothing else to choose from";
  if (std::all_of(steps_.begin(), steps_.end(), [this](const FftStep& s) { return makers_.chosen.contains(s.name); }))
    return "as chosen before";
  if (!makers_.tries) return "by the option way";
  return may_try ? "" : "by the processor's maker";
}

LocalFftChoice LocalFfts::choose(const Communicator& comm, std::optional<double> deadline, const Failure& mine) {
  auto& all = makers_.candidates;
  const std::vector<Backend> given = all;
  // Hosts may have processors of different makers. The expected library comes first, then those that plan at once, to
  // have time for them.
  const auto key = [](const Backend& backend) { return std::tie(backend.measures, backend.name); };
  const auto expect = [&](std::size_t place) {
    std::sort(all.begin(), all.end(), [&](const Backend& a, const Backend& b) { return key(a) < key(b); });
    const auto expected = all.begin() + static_cast<std::ptrdiff_t>(place);
    std::rotate(all.begin(), expected, expected + 1);
  };
  const auto place = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Backend& b) { return key(b) < key(given.front()); }));
  expect(place);
  std::optional<Choosing> choosing(std::in_place, makers_, steps_, comm, deadline);
  const bool tries = effort_ != Effort::estimate;
  const bool is_made = !mine.failed() && !rule(tries).empty() && choosing->make_expected();
  const auto failed = static_cast<std::uint64_t>(mine.failed() ? comm.rank() : comm.size());
  const auto real = static_cast<std::uint64_t>(
      std::count_if(all.begin(), all.end(), [](const Backend& backend) { return backend.real_first; }));
  const auto [least, most] = comm.extremes({failed, all.size(), place, tries ? 1U : 0U, is_made ? 1U : 0U, real});
  if (comm.valid() && static_cast<int>(least[0]) < comm.size())
    throw_failure_of(comm, static_cast<int>(least[0]), mine);
  const bool alike = least[1] == most[1] && least[2] == most[2] && least[5] == most[5];
  if (alike && least[4] == 1) return choosing->take(rule(least[3] == 1));
  if (least[1] == most[1]) {
    expect(least[2]);
    for (Backend& backend : all) backend.real_first &= least[5] > 0;
  } else {
    // Some ranks got a name. The others use the first library that makes all their steps exactly.
    const auto exact = std::find_if(given.begin(), given.end(), [this](const Backend& backend) {
      return std::all_of(steps_.begin(), steps_.end(), [&](const FftStep& s) { return makes_exactly(backend, s); });
    });
    all = {exact != given.end() ? *exact : given.front()};
  }
  choosing.emplace(makers_, steps_, comm, deadline);
  const std::string note = rule(least[3] == 1);
  return note.empty() ? choosing->by_trial() : choosing->by_rule(note);
}

}  // namespace shardfft
