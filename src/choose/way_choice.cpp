#include "choose/way_choice.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "choose/measured.hpp"
#include "choose/trial.hpp"

namespace shardfft {

namespace {

/// The times of ways with the chosen algorithm and exchange.
template <class Name>
std::string with_its_exchange(const WayChoice& choice, const Name& name_of) {
  Measured measured;
  for (const auto& [way, seconds] : choice.times)
    if (way.algorithm_name() == choice.way.algorithm_name() && way.exchange == choice.way.exchange)
      measured.add(name_of(way), seconds);
  return measured.text();
}

}  // namespace

std::string chunks_text(int chunks) { return chunks == 0 ? "by size" : std::to_string(chunks); }

std::string WayChoice::why_algorithm() const {
  Measured measured;
  for (const Time& time : times) measured.add(time.way.algorithm_name(), time.seconds);
  return measured.text();
}

std::string WayChoice::why_exchange() const {
  Measured measured;
  for (const auto& [w, seconds] : times)
    if (w.algorithm_name() == way.algorithm_name())
      measured.add(w.chunks <= 1 ? w.exchange : w.exchange + " in " + std::to_string(w.chunks) + " chunks", seconds);
  return measured.text();
}

std::string stores_text(const Way& way) {
  Text text;
  text << "past the cache from " << std::setprecision(3) << static_cast<double>(way.past_cache) / (1 << 20) << " MiB";
  return text.str();
}

std::string WayChoice::why_stores() const { return with_its_exchange(*this, stores_text); }

std::string WayChoice::why_chunks() const {
  return with_its_exchange(*this, [](const Way& w) { return chunks_text(w.chunks); });
}

WayChoice choose_way(const WayTrial& setup) {
  std::vector<Way> tried;
  Trial trial(
      setup.comm, [&](std::size_t way) { return setup.run(tried[way]); }, host_defaults().trial_hopeless);
  const auto enter = [&](const Way& way) {
    tried.push_back(way);
    trial.run({trial.enter()});
  };
  // The expected way runs twice: its first run touches memory and connects ranks. It shows how long a trial may be.
  enter(setup.ways.front());
  const double runs = setup.patient ? Trial::unlimited : host_defaults().run_trial_runs;
  trial.allow(runs * trial.longest() / 2, setup.most_seconds);
  const bool again = trial.room(trial.longest());
  if (again) trial.run({0});
  // Working ranks that also do the work of resting ones may take longer by this factor.
  const auto longest = [&](const Way& way) {
    return trial.longest() * (way.active > 0 ? setup.ranks / way.active : 1);
  };
  // After planning another way, there must be time for its run, and for a round of all if there are several already.
  const auto wanted = [&](const Way& way) {
    return tried.size() == 1 ? longest(way) : 2 * longest(way) + trial.cycle();
  };
  // The fastest way so far is known twice: links may be slower than the model knows, or the whole machine be faster.
  const auto hopeless = [&](const Way& way) {
    if (!setup.expects) return false;
    const double seconds = setup.expects(way), wrong = 1 + setup.error;
    return seconds > wrong * trial.seconds(trial.fastest()) &&
           seconds > wrong * wrong * setup.expects(tried[trial.fastest()]);
  };
  const auto try_one = [&](const Way& way) {
    if (hopeless(way)) return;
    if (!trial.room(wanted(way)) || !trial.meet(setup.make(way, trial.deadline(wanted(way))))) return;
    if (trial.room(longest(way))) enter(way);  // else planned in a hurry
  };
  std::vector<Way> late;
  for (std::size_t i = 1; again && i < setup.ways.size(); ++i) {
    const Way& way = setup.ways[i];
    const bool is_new = std::none_of(tried.begin(), tried.end(),
                                     [&](const Way& one) { return one.algorithm_name() == way.algorithm_name(); });
    // Other ways of an algorithm are worth their time if it is the fastest so far.
    if (is_new || tried[trial.fastest()].algorithm_name() == way.algorithm_name())
      try_one(way);
    else if (setup.patient)
      late.push_back(way);
  }
  for (const Way& way : late) try_one(way);
  trial.run_rounds();
  WayChoice choice{tried[trial.winner()], {}};
  for (std::size_t way = 0; way < tried.size(); ++way) choice.times.push_back({tried[way], trial.seconds(way)});
  return choice;
}

}  // namespace shardfft
