#include "api/report.hpp"

#include <algorithm>
#include <cmath>

#include "api/problem.hpp"

namespace shardfft {

namespace {

using Program = PlanReport::Program;

std::vector<Program*> programs_of(PlanReport& report) {
  std::vector<Program*> programs{&report.forward, &report.backward};
  if (report.apply) programs.push_back(&*report.apply);
  return programs;
}

/// Calls visit(number) for all numbers whose largest over the ranks is in the report.
template <class Visit>
void for_largest(PlanReport& report, const Visit& visit) {
  visit(report.workspace_bytes);
  visit(report.window_bytes);
  visit(report.table_bytes);
  visit(report.library_bytes);
  visit(report.pinned_bytes);
  visit(report.planning_bytes);
  for (Program* program : programs_of(report)) {
    visit(program->runs);
    visit(program->timed_runs);
    visit(program->graph_runs);
    visit(program->seconds);
    visit(program->input_reads.in_window);
    visit(program->input_reads.across);
    visit(program->input_reads.staged);
    visit(program->checks);
    visit(program->largest_residual);
    for (PlanReport::Step& step : program->steps) {
      visit(step.bytes_sent);
      visit(step.messages_sent);
      for (PlanReport::Time& time : step.times) visit(time.seconds);
    }
  }
}

/// Visits the numbers of a report that are means over the ranks.
template <class Visit>
void for_means(PlanReport& report, const Visit& visit) {
  for (Program* program : programs_of(report)) {
    visit(program->mean_seconds);
    visit(program->mean_communication_seconds);
    for (PlanReport::Step& step : program->steps)
      for (PlanReport::Time& time : step.times) visit(time.mean_seconds);
  }
}

/// Replaces the numbers of this rank by those of all ranks. Collective.
void compare(const Communicator& comm, PlanReport& report) {
  std::vector<double> largest;
  std::vector<double> means;
  for_largest(report, [&](const auto& number) { largest.push_back(static_cast<double>(number)); });
  for_means(report, [&](double number) { means.push_back(number); });
  comm.fold(largest, Communicator::Fold::max);
  comm.fold(means, Communicator::Fold::sum);
  auto next = largest.begin();
  for_largest(report, [&](auto& number) { number = static_cast<std::remove_reference_t<decltype(number)>>(*next++); });
  next = means.begin();
  for_means(report, [&](double& number) { number = *next++ / comm.size(); });
}

/// Errors of steps are those of all ranks' messages together. Collective.
void tell_errors(const ReportInput& in, PlanReport& report) {
  if (in.options.tolerance == 0) return;
  std::vector<double> sums;
  const std::vector<Program*> programs = programs_of(report);
  const auto add_up = [&] {
    for (std::size_t p = 0; p < programs.size(); ++p)
      for (const StepReport& step : in.runner.account(static_cast<int>(p), Runner::Runs::all).steps)
        sums.insert(sums.end(), {step.loss.error, step.loss.sent});
  };
  in.comm.valid() ? agree(in.comm, add_up) : add_up();
  in.comm.fold(sums, Communicator::Fold::sum);
  auto next = sums.begin();
  for (Program* program : programs)
    for (PlanReport::Step& step : program->steps) {
      const double error = *next++, sent = *next++;
      step.error = error > 0 ? std::sqrt(error / sent) : 0;
      program->error += step.error;
    }
}

Program own_program(Runner& runner, int number) {
  Program program;
  const Account account = runner.account(number);
  program.runs = account.runs;
  program.timed_runs = account.timed_runs;
  program.steps = own_steps(runner, account);
  program.graph_runs = account.graph_runs;
  program.input_reads = account.input_reads;
  program.checks = account.verified.checks;
  program.largest_residual = account.verified.largest_residual;
  if (program.timed_runs == 0) return program;
  program.seconds = program.mean_seconds = account.seconds / static_cast<double>(program.timed_runs);
  for (const PlanReport::Step& step : program.steps)
    for (const PlanReport::Time& time : step.times)
      if (time.communication) program.mean_communication_seconds += time.seconds;
  return program;
}

/// Numbers that need the sums over all ranks.
void conclude(Program& program) {
  for (PlanReport::Step& step : program.steps)
    std::erase_if(step.times, [](const PlanReport::Time& time) { return time.seconds <= 0; });
  const bool overlaps = std::any_of(program.steps.begin(), program.steps.end(),
                                    [](const PlanReport::Step& step) { return step.overlaps; });
  if (program.mean_seconds > 0 && !overlaps) program.ratio = program.mean_communication_seconds / program.mean_seconds;
}

}  // namespace

Way way_of_all(const Communicator& comm, const Options& options, const Runner& runner) {
  Way way = runner.facts().way;
  if (!comm.valid() || options.processor != Processor::gpu) return way;
  const std::string mine = way.text();
  std::vector<int> lengths, begins{0};
  for (const std::int64_t n : comm.all_gather(static_cast<std::int64_t>(mine.size()))) {
    lengths.push_back(narrow(n, "the length of a way"));
    begins.push_back(begins.back() + lengths.back());
  }
  std::string all(static_cast<std::size_t>(begins.back()), ' ');
  check_mpi(MPI_Allgatherv(mine.data(), lengths[static_cast<std::size_t>(comm.rank())], MPI_CHAR, all.data(),
                           lengths.data(), begins.data(), MPI_CHAR, comm.get()),
            "MPI_Allgatherv");
  way.passes.clear();
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    const Way its =
        Way::parse(all.substr(static_cast<std::size_t>(begins[rank]), static_cast<std::size_t>(lengths[rank])));
    for (const auto& [transform, plans] : its.passes) way.add_passes(transform, plans);
  }
  return way;
}

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

std::vector<PlanReport::Step> own_steps(const Runner& runner, const Account& account) {
  std::vector<PlanReport::Step> steps;
  int number = 0;
  for (const StepReport& known : account.steps) {
    PlanReport::Step step{
        ++number, known.text, role_name(known.role), known.bytes_sent, known.messages_sent, known.overlaps, {}, 0};
    for (int a = 0; a < activity_count; ++a) {
      const auto activity = static_cast<Activity>(a);
      const double all = account.timed_runs == 0 ? 0 : runner.trace().total(known.trace_step, activity);
      const double seconds = all / static_cast<double>(std::max<std::int64_t>(1, account.timed_runs));
      step.times.push_back({activity_name(activity), is_communication(known.role, activity), seconds, seconds});
    }
    steps.push_back(step);
  }
  return steps;
}

PlanReport make_report(const ReportInput& in) {
  PlanReport report;
  report.transform = in.transform;
  report.ranks = in.ranks;
  report.threads = in.options.threads;
  report.batch = in.options.batch;
  report.input = in.input.layout.describe();
  report.output = in.output.layout.describe();
  report.algorithm = in.runner.programs().front().program.algorithm;
  const RunnerFacts facts = in.runner.facts();
  report.exchange = facts.way.exchange;
  report.way = way_of_all(in.comm, in.options, in.runner).text();
  for (const auto& [way, seconds] : facts.tried) report.tried.push_back({way.text(), seconds});
  report.local_fft = facts.local_fft;
  report.machine = facts.machine;
  report.choices = facts.choices;
  const RunnerMemory memory = in.runner.memory();
  report.workspace_bytes = memory.workspace;
  report.window_bytes = memory.window;
  report.table_bytes = memory.table;
  report.library_bytes = memory.library;
  report.pinned_bytes = memory.pinned;
  report.planning_bytes = in.planning_bytes;
  report.forward = own_program(in.runner, forward_program);
  report.backward = own_program(in.runner, backward_program);
  const auto& programs = in.runner.programs();
  const auto apply = std::ranges::find(programs, "apply", &NamedProgram::name);
  if (apply != programs.end()) report.apply = own_program(in.runner, static_cast<int>(apply - programs.begin()));
  if (in.comm.valid()) compare(in.comm, report);
  tell_errors(in, report);
  for (PlanReport::Program* program : programs_of(report)) conclude(*program);
  return report;
}

}  // namespace shardfft
