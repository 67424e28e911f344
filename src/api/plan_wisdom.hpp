#pragma once
// The memory that plans share: the file, the keys, and the way by which ranks learn rank 0's knowledge.
#include <optional>
#include <string>

#include "api/members.hpp"
#include "api/problem.hpp"
#include "choose/wisdom.hpp"

namespace shardfft {

/// The key of a way in wisdom: the problem and the options that matter for its speed, as one line of text. The machine
/// is not part of it.
std::string problem_key(const ProblemSpec& spec);

class PlanWisdom {
 public:
  /// Uses the file of rank 0's option `wisdom`. Throws Error(invalid_argument), on that rank, for a file that is named
  /// there and cannot be used, before anything is measured.
  explicit PlanWisdom(const Options& options, bool is_first);

  /// Whether this process knows any way at all.
  bool knows() const;
  /// The way for a problem, of one measured with this effort at least, and a sentence about it; nothing if there is
  /// none. Standard error names entries that are not used, and why. All ranks learn rank 0's answer. Collective.
  struct Known {
    std::string way, sentence;
  };
  std::optional<Known> recall(const Members& who, const ProblemSpec& spec, Effort least) const;
  /// Remembers a way that was measured. Rank 0 keeps it, and writes it if the option asks for that. Collective.
  void remember(const Members& who, const ProblemSpec& spec, Effort effort, const Way& way, double seconds) const;

 private:
  WisdomFile file_;
  bool reads_ = false, writes_ = false;
};

}  // namespace shardfft
