// Reports, whose JSON Python turns into dictionaries; and wisdom.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "shardfft/predict.hpp"
#include "shardfft/wisdom.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::Layout;
using shardfft::Options;

namespace {

using Figures = std::map<std::string, double>;

/// Two JSON objects: the report, and the facts that a plan does not have.
std::pair<std::string, std::string> foretold(shardfft::Transform transform, const Layout& input,
                                             const std::optional<Layout>& output, bool natural, const Options& options,
                                             int ranks_per_host, bool gpus, const Figures& figures) {
  const nb::gil_scoped_release others_may_run;
  shardfft::MachineFigures machine = gpus ? shardfft::MachineFigures::of_gpus() : shardfft::MachineFigures();
  for (const auto& [name, value] : figures) machine.set(name, value);
  const shardfft::Placement placement{ranks_per_host, gpus};
  const shardfft::Prediction told =
      output ? shardfft::predict(transform, input, *output, options, placement, machine)
             : shardfft::predict(transform, input, natural ? shardfft::natural_output : shardfft::default_output,
                                 options, placement, machine);
  return {told.report.to_json(), told.to_json()};
}

/// Seconds of steps. Each step has the numbers of Prediction::Step that follow its seconds, in their order.
double seconds_of(const std::vector<std::vector<double>>& steps, const Figures& figures, int ranks) {
  shardfft::MachineFigures machine;
  for (const auto& [name, value] : figures) machine.set(name, value);
  shardfft::Prediction told;
  for (const std::vector<double>& s : steps)
    told.forward.push_back({0, s.at(0), s.at(1), s.at(2), s.at(3), s.at(4), s.at(5), s.at(6), s.at(7), s.at(8),
                            static_cast<int>(s.at(9))});
  return told.seconds_on(machine, ranks);
}

}  // namespace

void shardfft::python::bind_report(nanobind::module_& module) {
  nanobind::class_<PlanReport>(module, "PlanReport")
      .def("to_text", &PlanReport::to_text)
      .def("to_json", &PlanReport::to_json);
  module.def("predict", foretold, "transform"_a, "input"_a, "output"_a.none(), "natural"_a, "options"_a,
             "ranks_per_host"_a, "gpus"_a, "figures"_a);
  module.def("seconds_of_steps", seconds_of, "steps"_a, "figures"_a, "ranks"_a);
  module.def(
      "machine_figures",
      [](bool gpus) { return (gpus ? shardfft::MachineFigures::of_gpus() : shardfft::MachineFigures()).all(); },
      "gpus"_a);
  module.def("export_wisdom", export_wisdom);
  module.def("import_wisdom", import_wisdom, "text"_a);
  module.def("forget_wisdom", forget_wisdom);
  module.def("wisdom_path", wisdom_path);
  module.def("keep_wisdom", keep_wisdom, "text"_a, "path"_a);
}
