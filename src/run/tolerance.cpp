#include "run/tolerance.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace shardfft {

void heed_tolerance(ExecutorSetup& setup, const Program& program, const std::string& why_exact) {
  const double tolerance = setup.options.tolerance;
  setup.numbers = {};
  if (tolerance == 0) return;
  const auto exact = [&](const std::string& why) { setup.tell({"tolerance", "exact messages", why}); };
  if (!why_exact.empty()) return exact(why_exact);
  if (setup.options.workspace == Workspace::least) return exact("workspace = least moves the array's own numbers");
  const auto reshapes =
      static_cast<int>(std::count_if(program.steps.begin(), program.steps.end(),
                                     [](const Step& step) { return std::holds_alternative<ReshapeStep>(step); }));
  if (reshapes == 0) return exact("no step changes the layout");
  const ShortNumbers numbers = choose_short_numbers(setup.precision, tolerance, reshapes);
  Text why;
  why.precision(3);
  why << reshapes << (reshapes == 1 ? " change" : " changes") << " of layout, each with a relative error of at most ";
  if (!numbers.active()) {
    why << tolerance / reshapes << ", need all bytes of each number";
    return exact(why.str());
  }
  why << numbers.most_error();
  setup.numbers = numbers;
  setup.tell({"tolerance", "messages of " + std::to_string(numbers.bytes) + " bytes a number", why.str()});
}

}  // namespace shardfft
