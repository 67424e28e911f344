#include "exec/local_ffts.hpp"

#include <algorithm>
#include <exception>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>
#include <tuple>

#include "base/heap.hpp"
#include "exec/local_fft_trial.hpp"
#include "exec/trial_budget.hpp"
#include "local/work_memory.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

bool on_all(const Communicator& comm, bool mine) { return comm.min(std::int64_t{mine ? 1 : 0}) == 1; }

/// A candidate whose transforms are made, and the least time of its rounds.
struct Entrant {
  const Backend* backend = nullptr;
  MadeFfts made;
  double seconds = std::numeric_limits<double>::infinity();
  double round = 0;  ///< seconds that its last round took
};

/// Tries candidates and keeps what each came to.
class Choosing {
 public:
  Choosing(const std::vector<Backend>& candidates, const std::vector<std::shared_ptr<PlannedFft>>& ffts,
           const Communicator& comm, std::optional<double> deadline)
      : candidates_(candidates), ffts_(ffts), comm_(comm), trial_(comm, ffts), deadline_(deadline) {}

  /// The first that can make all transforms.
  LocalFftChoice by_rule(const std::string& note) {
    for (const Backend& backend : candidates_) {
      Entrant entrant;
      entrant.backend = &backend;
      if (make(entrant, false)) return take(entrant, false, note);
    }
    throw_refusal();
  }

  LocalFftChoice by_trial() {
    if (!trial_.prepare()) return by_rule("by the processor's maker; there is no memory to measure with");
    enter_all();
    if (entrants_.empty()) throw_refusal();
    if (entrants_.size() == 1)
      return take(entrants_[0], true, "by the processor's maker; to measure others would take longer than 10 runs");
    run_rounds();
    LocalFftChoice choice = take(clearly_fastest(entrants_), true, "measured:");
    for (const Entrant& e : entrants_) choice.times.push_back({e.backend->name, e.seconds});
    return choice;
  }

 private:
  /// False on all ranks where one cannot make the transforms, or their samples.
  bool make(Entrant& entrant, bool samples) {
    try {
      for (std::size_t i = 0; i < ffts_.size(); ++i) {
        FftSpec spec = samples ? trial_.sample(i) : ffts_[i]->spec();
        spec.deadline = deadline_;
        entrant.made.push_back(make_local_fft(*entrant.backend, spec));
      }
    } catch (...) {
      if (!refusal_) refusal_ = std::current_exception();
      entrant.made.clear();
    }
    return on_all(comm_, entrant.made.size() == ffts_.size());
  }

  [[noreturn]] void throw_refusal() {
    agree(comm_, [this] {
      if (refusal_) std::rethrow_exception(refusal_);
    });
    fail(Status::internal, "no local FFT was tried");
  }

  void time(Entrant& entrant) {
    const double begin = budget_->elapsed();
    entrant.seconds = std::min(entrant.seconds, trial_.round(entrant.made));
    entrant.round = budget_->elapsed() - begin;
  }

  /// The expected library is planned as if there were no trial; the others in what the trial may take.
  void enter_all() {
    for (const Backend& backend : candidates_) {
      Entrant entrant;
      entrant.backend = &backend;
      if (entrants_.empty()) {
        if (!make(entrant, true)) continue;
        budget_.emplace(comm_);
        time(entrant);
        // A run is one of the two directions that a round stands for.
        budget_->allow(10 * entrant.seconds / 2, host_defaults().trial_seconds);
      } else {
        const double round = entrants_[0].round;
        if (!budget_->room(round)) return;
        deadline_ = budget_->deadline(round);
        if (!make(entrant, true)) continue;
        if (!budget_->room()) return;  // planned in a hurry
        time(entrant);
      }
      entrants_.push_back(std::move(entrant));
    }
  }

  void run_rounds() {
    double cycle = 0;
    for (const Entrant& e : entrants_) cycle += e.round;
    for (int round = 1; round < host_defaults().trial_rounds && budget_->room(cycle); ++round)
      for (Entrant& e : entrants_) time(e);
  }

  LocalFftChoice take(Entrant& entrant, bool samples, const std::string& note) {
    agree(comm_, [&] {
      for (std::size_t i = 0; i < ffts_.size(); ++i) {
        const bool part = samples && !trial_.is_whole(i);
        ffts_[i]->adopt(part ? make_local_fft(*entrant.backend, ffts_[i]->spec()) : std::move(entrant.made[i]));
      }
    });
    return {entrant.backend->name, entrant.backend->version + others_text(*entrant.backend), note, {}};
  }

  /// What another library makes.
  std::string others_text(const Backend& backend) const {
    const bool any = std::any_of(ffts_.begin(), ffts_.end(), [](const auto& f) { return f->spec().kind == Kind::r2r; });
    return any && !backend.cosines ? "; cosine and sine transforms by " + local_fft_version("fftw") : "";
  }

  const std::vector<Backend>& candidates_;
  const std::vector<std::shared_ptr<PlannedFft>>& ffts_;
  const Communicator& comm_;
  LocalFftTrial trial_;
  std::vector<Entrant> entrants_;
  std::exception_ptr refusal_;
  std::optional<double> deadline_;
  std::optional<TrialBudget> budget_;  ///< begins when the expected library has planned
};

}  // namespace

std::string LocalFftChoice::why() const {
  std::ostringstream text;
  text << (note.empty() ? "there is nothing else to choose from" : note) << std::setprecision(3);
  for (const Time& time : times)
    text << (&time == times.data() ? " " : ", ") << time.name << " " << time.seconds * 1e3 << " ms";
  return text.str();
}

std::shared_ptr<PlannedFft> LocalFfts::add(const FftSpec& spec, int at_once) {
  for (const auto& fft : ffts_)
    if (fft->spec() == spec && fft->at_once() == at_once) return fft;
  return ffts_.emplace_back(std::make_shared<PlannedFft>(spec, at_once));
}

bool LocalFfts::turn_lines() const {
  return std::all_of(candidates_.begin(), candidates_.end(), [](const Backend& b) { return b.turns; });
}

bool LocalFfts::order_alike(const Communicator& comm) {
  const auto count = static_cast<std::int64_t>(candidates_.size());
  if (comm.min(count) != comm.max(count)) {
    candidates_.resize(1);  // some ranks were told a name
    return false;
  }
  if (count == 1) return false;
  // Hosts may have processors of different makers. Behind the expected one come first those that are planned at once,
  // so that there is time for them.
  const std::string first = candidates_.front().name;
  const auto key = [](const Backend& backend) { return std::tie(backend.measures, backend.name); };
  std::sort(candidates_.begin(), candidates_.end(),
            [&](const Backend& a, const Backend& b) { return key(a) < key(b); });
  const auto own =
      std::find_if(candidates_.begin(), candidates_.end(), [&](const Backend& b) { return b.name == first; });
  const auto expected = candidates_.begin() + comm.min(own - candidates_.begin());
  std::rotate(candidates_.begin(), expected, expected + 1);
  return true;
}

LocalFftChoice LocalFfts::make(const Communicator& comm, std::optional<double> deadline) {
  const std::size_t before = heap_bytes();
  LocalFftChoice choice = choose(comm, deadline);
  const std::size_t after = heap_bytes();
  choice.library_bytes = after > before ? after - before : 0;
  double running = 0;
  for (const auto& fft : ffts_)
    running = std::max(running, work_bytes(fft->spec()) * std::max(fft->spec().threads, fft->at_once()));
  choice.library_bytes += static_cast<std::size_t>(running);
  return choice;
}

LocalFftChoice LocalFfts::choose(const Communicator& comm, std::optional<double> deadline) {
  const bool choice = order_alike(comm);
  Choosing choosing(candidates_, ffts_, comm, deadline);
  if (!choice) return choosing.by_rule("");
  if (!on_all(comm, effort_ != Effort::estimate)) return choosing.by_rule("by the processor's maker");
  return choosing.by_trial();
}

}  // namespace shardfft
