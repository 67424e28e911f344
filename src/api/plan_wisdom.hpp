#pragma once
// What plans remember of each other: which file they read, under which key, and how ranks learn what rank 0 knows.
#include <optional>
#include <string>

#include "api/members.hpp"
#include "api/problem.hpp"
#include "choose/wisdom.hpp"

namespace shardfft {

/// The problem and the options that matter for its speed, as one line of text, under which wisdom keeps its way. The
/// machine is not part of it.
std::string problem_key(const ProblemSpec& spec);

class PlanWisdom {
 public:
  /// As rank 0's option `wisdom` says. Throws Error(invalid_argument), on that rank, for a file that is named there and
  /// cannot be used, before anything is measured.
  explicit PlanWisdom(const Options& options, bool is_first);

  /// Whether this process knows any way at all.
  bool knows() const;
  /// The way for a problem, of one measured with this effort at least, and a sentence about it; nothing if there is
  /// none. Standard error says what is not used and why. All ranks learn what rank 0 knows. Collective.
  struct Known {
    std::string way, sentence;
  };
  std::optional<Known> recall(const Members& who, const ProblemSpec& spec, Effort least) const;
  /// Of a way that was measured. Rank 0 keeps it, and writes it where that was asked for. Collective.
  void remember(const Members& who, const ProblemSpec& spec, Effort effort, const Way& way, double seconds) const;

 private:
  WisdomFile file_;
  bool reads_ = false, writes_ = false;
};

}  // namespace shardfft
