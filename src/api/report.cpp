#include "api/report.hpp"

#include <algorithm>
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

/// The most of any process; without a communicator there is but this one.
template <class Number>
Number most(const Communicator& comm, Number mine) {
  return comm.valid() ? comm.max(mine) : mine;
}

double mean(const Communicator& comm, double mine) {
  if (!comm.valid()) return mine;
  double all = 0;
  check_mpi(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm.get()), "MPI_Allreduce");
  return all / comm.size();
}

/// Time of the activities of a step in ms a run, the maximum over ranks of each.
std::string times_text(const ReportInput& in, const StepReport& step, std::int64_t runs) {
  if (runs == 0) return {};
  std::ostringstream text;
  for (int a = 0; a < activity_count; ++a) {
    const auto activity = static_cast<Activity>(a);
    const double mine = in.runner.trace().total(step.trace_step, activity);
    const double seconds = most(in.comm, mine) / static_cast<double>(runs);
    if (seconds > 0) text << "  " << activity_name(activity) << " " << std::setprecision(4) << seconds * 1e3 << " ms";
  }
  return text.str();
}

/// Seconds of communication on this rank in all runs of a direction.
double communication_seconds(const Runner& runner, Direction direction) {
  double seconds = 0;
  for (const StepReport& step : runner.steps(direction))
    for (int a = 0; a < activity_count; ++a)
      if (is_communication(step.role, static_cast<Activity>(a)))
        seconds += runner.trace().total(step.trace_step, static_cast<Activity>(a));
  return seconds;
}

bool overlaps(const Runner& runner, Direction direction) {
  const std::vector<StepReport> steps = runner.steps(direction);
  return std::any_of(steps.begin(), steps.end(), [](const StepReport& step) { return step.overlaps; });
}

void ratio_text(std::ostream& text, const ReportInput& in, Direction direction, std::int64_t runs) {
  const auto ms = [runs](double seconds) { return seconds * 1e3 / static_cast<double>(runs); };
  const double mine = in.runner.seconds(direction);
  const double slowest = most(in.comm, mine);
  if (overlaps(in.runner, direction)) {
    text
        << "  " << std::setprecision(4) << ms(slowest)
        << " ms a run on the slowest rank; r = T_comm / T_total cannot be told: transforms run while messages travel\n";
    return;
  }
  const double total = mean(in.comm, mine);
  const double communication = mean(in.comm, communication_seconds(in.runner, direction));
  if (total <= 0) return;
  text << "  " << std::setprecision(4) << ms(slowest)
       << " ms a run on the slowest rank; mean of the ranks: communication " << ms(communication) << " ms, computation "
       << ms(total - communication) << " ms, r = T_comm / T_total = " << std::setprecision(3) << communication / total
       << "\n";
}

void input_text(std::ostream& text, const ReportInput& in, Direction direction) {
  const InputReads& reads = in.runner.input_reads(direction);
  const std::int64_t in_window = most(in.comm, reads.in_window);
  const std::int64_t across = most(in.comm, reads.across);
  const std::int64_t staged = most(in.comm, reads.staged);
  if (in_window + across + staged == 0) return;
  text << "  the input, as others of the host read it: in the plan's shared memory " << in_window
       << " runs, in the user's array through the kernel " << across << ", copied into shared memory first " << staged
       << "\n";
}

void direction_text(std::ostream& text, const ReportInput& in, Direction direction) {
  const std::int64_t runs = most(in.comm, in.runner.runs(direction));
  const std::int64_t timed = most(in.comm, in.runner.timed_runs(direction));
  text << (direction == Direction::forward ? "forward" : "backward") << " program (" << runs << " runs)\n";
  int number = 0;
  for (const StepReport& step : in.runner.steps(direction)) {
    text << "  " << ++number << ". " << step.text;
    const std::int64_t sent = most(in.comm, step.bytes_sent);
    if (sent > 0) text << ", sends " << bytes_text(static_cast<double>(sent)) << " a rank";
    text << times_text(in, step, timed) << "\n";
  }
  if (timed > 0) ratio_text(text, in, direction, timed);
  input_text(text, in, direction);
}

}  // namespace

bool is_communication(Role role, Activity activity) {
  switch (activity) {
    case Activity::pack:
    case Activity::unpack:
    case Activity::wait:
    case Activity::stage:
      return true;
    case Activity::exchange:
      return role != Role::computes;
    case Activity::copy:
      return role == Role::moves;
    case Activity::fft:
    case Activity::other:
      break;
  }
  return false;
}

std::string make_report(const ReportInput& in) {
  static const char* const kinds[] = {"c2c", "r2c", "c2r"};
  std::ostringstream text;
  in.runner.harvest();
  const Program& program = in.runner.program();
  text << "shardfft plan: " << kinds[static_cast<int>(in.transform.kind)]
       << (in.transform.precision == Precision::f64 ? " double" : " single") << ", " << in.ranks << " ranks, "
       << in.options.threads << " threads a rank, " << in.options.batch << " field(s)\n";
  text << "input   " << in.input.layout.describe() << "\n";
  text << "output  " << in.output.layout.describe() << "\n";
  text << "algorithm " << program.algorithm << ", workspace "
       << bytes_text(static_cast<double>(most(in.comm, static_cast<std::int64_t>(in.runner.workspace_bytes()))))
       << " a rank (largest)";
  const auto window = static_cast<double>(most(in.comm, static_cast<std::int64_t>(in.runner.window_bytes())));
  if (window > 0) text << ", shared memory " << bytes_text(window) << " a rank";
  text << "\n";
  text << in.runner.machine() << "\n";
  direction_text(text, in, Direction::forward);
  direction_text(text, in, Direction::backward);
  return text.str();
}

}  // namespace shardfft
