#include "run/tolerance.hpp"

#include <algorithm>
#include <sstream>

namespace shardfft {

Tolerated tolerated(const Options& options, Precision precision, const Program& program, const std::string& why_exact) {
  if (options.tolerance == 0) return {};
  const auto exact = [](const std::string& why) { return Tolerated{{}, Choice{"tolerance", "exact messages", why}}; };
  if (!why_exact.empty()) return exact(why_exact);
  if (options.workspace == Workspace::least) return exact("workspace = least moves what the array holds");
  const auto reshapes =
      static_cast<int>(std::count_if(program.steps.begin(), program.steps.end(),
                                     [](const Step& step) { return std::holds_alternative<ReshapeStep>(step); }));
  if (reshapes == 0) return exact("no step is a change of layout");
  const ShortNumbers numbers = choose_short_numbers(precision, options.tolerance, reshapes);
  std::ostringstream why;
  why.precision(3);
  why << reshapes << (reshapes == 1 ? " change" : " changes") << " of layout, each with a relative error of at most ";
  if (!numbers.active()) {
    why << options.tolerance / reshapes << ", leave too little of a number to save";
    return exact(why.str());
  }
  why << numbers.most_error();
  return {numbers, Choice{"tolerance", "messages of " + std::to_string(numbers.bytes) + " bytes a number", why.str()}};
}

}  // namespace shardfft
