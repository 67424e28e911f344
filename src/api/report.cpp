#include "api/report.hpp"

#include <iomanip>
#include <sstream>

namespace shardfft {

namespace {

std::string bytes_text(double bytes) {
  static const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    ++unit;
  }
  std::ostringstream text;
  text << std::setprecision(4) << bytes << " " << units[unit];
  return text.str();
}

/// Time of the activities of a step in ms a run, the maximum over ranks of each.
std::string times_text(const ReportInput& in, const StepReport& step, std::int64_t runs, double& communication,
                       double& total) {
  std::ostringstream text;
  for (int a = 0; a < activity_count; ++a) {
    const auto activity = static_cast<Activity>(a);
    const double mine = in.executor.trace().total(step.trace_step, activity);
    const double seconds = in.comm.max(mine) / static_cast<double>(runs);
    total += seconds;
    if (activity != Activity::fft && activity != Activity::other) communication += seconds;
    if (seconds > 0) text << "  " << activity_name(activity) << " " << std::setprecision(4) << seconds * 1e3 << " ms";
  }
  return text.str();
}

void direction_text(std::ostream& text, const ReportInput& in, Direction direction) {
  const std::int64_t runs = in.comm.max(in.executor.runs(direction));
  text << (direction == Direction::forward ? "forward" : "backward") << " program (" << runs << " runs)\n";
  double communication = 0;
  double total = 0;
  int number = 0;
  for (const StepReport& step : in.executor.steps(direction)) {
    text << "  " << ++number << ". " << step.text;
    const std::int64_t sent = in.comm.max(step.bytes_sent);
    if (sent > 0) text << ", sends " << bytes_text(static_cast<double>(sent)) << " a rank";
    if (runs > 0) text << times_text(in, step, runs, communication, total);
    text << "\n";
  }
  if (runs > 0 && total > 0)
    text << "  communication (pack, exchange, unpack, wait, copy) " << std::setprecision(4) << communication * 1e3
         << " ms of " << total * 1e3 << " ms: r = " << std::setprecision(3) << communication / total << "\n";
}

}  // namespace

std::string make_report(const ReportInput& in) {
  static const char* const kinds[] = {"c2c", "r2c", "c2r"};
  std::ostringstream text;
  const Program& program = in.executor.program();
  text << "shardfft plan: " << kinds[static_cast<int>(in.transform.kind)]
       << (in.transform.precision == Precision::f64 ? " double" : " single") << ", " << in.comm.size() << " ranks, "
       << in.options.threads << " threads a rank, " << in.options.batch << " field(s)\n";
  text << "input   " << in.input.layout.describe() << "\n";
  text << "output  " << in.output.layout.describe() << "\n";
  text << "algorithm " << program.algorithm << ", workspace "
       << bytes_text(static_cast<double>(in.comm.max(static_cast<std::int64_t>(in.executor.workspace_bytes()))))
       << " a rank (largest)\n";
  direction_text(text, in, Direction::forward);
  direction_text(text, in, Direction::backward);
  return text.str();
}

}  // namespace shardfft
