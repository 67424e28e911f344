// The text of a report.

#include "api/option_field.hpp"
#include "api/report.hpp"
#include "base/text.hpp"
#include "base/words.hpp"

namespace shardfft {

namespace {

using Program = PlanReport::Program;

std::string bytes_text(double bytes) {
  static const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    ++unit;
  }
  Text text;
  text << std::setprecision(4) << bytes << " " << units[unit];
  return text.str();
}

std::string ms_text(double seconds) {
  Text text;
  text << std::setprecision(4) << seconds * 1e3 << " ms";
  return text.str();
}

/// "1 run", "2 runs".
std::string counted(std::int64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

void put_ratio(std::ostream& text, const Program& program) {
  if (program.timed_runs == 0 || program.mean_seconds <= 0) return;
  text << "  " << ms_text(program.seconds) << " a run on the slowest rank; ";
  if (!program.ratio) {
    text << "r = T_comm / T_total is unknown: transforms run while messages travel\n";
    return;
  }
  const double computation = program.mean_seconds - program.mean_communication_seconds;
  text << "mean of the ranks: communication " << ms_text(program.mean_communication_seconds) << ", computation "
       << ms_text(computation) << ", r = T_comm / T_total = " << std::setprecision(3) << *program.ratio << "\n";
}

void put_input_reads(std::ostream& text, const PlanReport::InputReads& reads) {
  if (reads.in_window + reads.across + reads.staged == 0) return;
  text << "  other ranks of the host read the input: in the plan's shared memory " << counted(reads.in_window, "run")
       << ", in the user's array through the kernel " << reads.across << ", copied into shared memory first "
       << reads.staged << "\n";
}

void put_program(std::ostream& text, const char* direction, const Program& program) {
  text << direction << " (" << counted(program.runs, "run");
  if (program.graph_runs > 0) text << ", " << program.graph_runs << " as a graph";
  text << ")\n";
  for (const PlanReport::Step& step : program.steps) {
    text << "  " << step.number << ". " << step.text;
    if (step.bytes_sent > 0) text << ", sends " << bytes_text(static_cast<double>(step.bytes_sent)) << " a rank";
    for (const PlanReport::Time& time : step.times) text << "  " << time.activity << " " << ms_text(time.seconds);
    text << "\n";
  }
  put_ratio(text, program);
  put_input_reads(text, program.input_reads);
  if (program.error > 0)
    text << "  messages with short numbers: a relative error of " << std::setprecision(3) << program.error
         << ", the sum over the steps\n";
  if (program.checks > 0)
    text << "  verified: " << program.checks << " sums on the rank that has most, the largest difference "
         << std::setprecision(3) << program.largest_residual << " of the rounding bound\n";
}

}  // namespace

std::string PlanReport::to_text() const {
  Text text;
  text << "shardfft plan: " << shardfft::to_text(transform.kind) << " " << shardfft::to_text(transform.precision)
       << ", " << counted(ranks, "rank") << ", " << counted(threads, "thread") << " a rank, " << counted(batch, "field")
       << "\n";
  text << "input   " << input << "\n";
  text << "output  " << output << "\n";
  text << "algorithm " << algorithm << ", exchange " << exchange << ", local FFT " << local_fft << "\n";
  if (!machine.empty()) text << machine << "\n";
  for (const Choice& choice : choices)
    text << "chose " << choice.what << " " << choice.chosen << ": " << choice.why << "\n";
  text << "way " << way << "\n";
  text << "memory of the rank that needs most: workspace " << bytes_text(static_cast<double>(workspace_bytes));
  if (window_bytes > 0) text << ", shared " << bytes_text(static_cast<double>(window_bytes));
  text << ", tables " << bytes_text(static_cast<double>(table_bytes)) << ", FFT library about "
       << bytes_text(static_cast<double>(library_bytes));
  if (pinned_bytes > 0) text << ", pinned on the host " << bytes_text(static_cast<double>(pinned_bytes));
  const std::size_t all = workspace_bytes + window_bytes + table_bytes + library_bytes + pinned_bytes;
  text << "; in all about " << bytes_text(static_cast<double>(all)) << " while it runs, and "
       << bytes_text(static_cast<double>(planning_bytes)) << (machine.empty() ? "" : " of the host's")
       << " while it was made, beside the arrays of calls\n";
  put_program(text, "forward", forward);
  put_program(text, "backward", backward);
  if (apply) put_program(text, "apply", *apply);
  return text.str();
}

std::ostream& operator<<(std::ostream& out, const PlanReport& report) { return out << report.to_text(); }

std::string to_text(Norm norm) { return detail::Field<Norm>::word(norm, "norm"); }
std::string to_text(Effort effort) { return detail::Field<Effort>::word(effort, "effort"); }
std::string to_text(Processor processor) { return detail::Field<Processor>::word(processor, "processor"); }
std::string to_text(MemoryModel memory) { return detail::Field<MemoryModel>::word(memory, "memory"); }

}  // namespace shardfft
