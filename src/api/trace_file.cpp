#include "api/trace_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "api/problem.hpp"
#include "api/report.hpp"
#include "api/trace_mail.hpp"
#include "base/file_signal.hpp"

namespace shardfft {

namespace {

using Json = nlohmann::json;

constexpr int clock_tag = 7;

/// What rank 0 needs of a rank; travels as bytes.
struct RankTrace {
  std::string facts;  ///< JSON: host, dropped, names of the programs, steps of the report by number in the trace
  double epoch = 0;   ///< on rank 0's clock
  std::vector<Frame> frames;
  std::vector<Span> spans;
};

std::string processor_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

std::string facts_of(Runner& runner) {
  Json steps = Json::object();
  Json programs = Json::array();
  for (const NamedProgram& named : runner.programs()) {
    const int program = static_cast<int>(programs.size());
    programs.push_back(named.name);
    const Account account = runner.account(program);
    std::size_t next = 0;
    for (const PlanReport::Step& step : own_steps(runner, account))
      steps[std::to_string(account.steps[next++].trace_step)] = step_json(step);
  }
  const Json facts = {
      {"host", processor_name()}, {"dropped", runner.trace().dropped()}, {"programs", programs}, {"steps", steps}};
  return facts.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// How far this rank's clock is ahead of rank 0's: ranks of one host share a clock, hosts ask rank 0 for the time, and
/// the quickest of some answers counts. Collective.
double clock_lead(const Communicator& comm) {
  const Communicator host = comm.split_host();
  constexpr int questions = 8;
  double lead = 0;
  std::vector<int> leaders;
  const auto world_rank_of_leader = host.ranks_in(comm).front();
  for (const std::int64_t l : comm.all_gather(world_rank_of_leader)) leaders.push_back(static_cast<int>(l));
  std::sort(leaders.begin(), leaders.end());
  leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
  for (const int leader : leaders) {
    if (leader == leaders.front() || (comm.rank() != 0 && comm.rank() != leader)) continue;
    double quickest = std::numeric_limits<double>::infinity();
    for (int q = 0; q < questions; ++q) {
      double time = clock_seconds();
      if (comm.rank() == 0) {
        check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, leader, clock_tag, comm.get(), MPI_STATUS_IGNORE), "MPI_Recv");
        time = clock_seconds();
        check_mpi(MPI_Send(&time, 1, MPI_DOUBLE, leader, clock_tag, comm.get()), "MPI_Send");
        continue;
      }
      const double asked = time;
      check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, 0, clock_tag, comm.get()), "MPI_Send");
      check_mpi(MPI_Recv(&time, 1, MPI_DOUBLE, 0, clock_tag, comm.get(), MPI_STATUS_IGNORE), "MPI_Recv");
      const double answered = clock_seconds();
      if (answered - asked >= quickest) continue;
      quickest = answered - asked;
      lead = (asked + answered) / 2 - time;
    }
  }
  check_mpi(MPI_Bcast(&lead, 1, MPI_DOUBLE, 0, host.get()), "MPI_Bcast");
  return lead;
}

/// visit(array) for the arrays of a rank's trace.
template <class Trace, class Visit>
void for_arrays(Trace& trace, const Visit& visit) {
  visit(trace.facts);
  visit(trace.frames);
  visit(trace.spans);
}

/// A rank's trace as bytes: sizes and arrays in turn.
TraceMail::Bytes packed(const RankTrace& trace) {
  TraceMail::Bytes bytes;
  const auto add = [&bytes](const void* data, std::size_t size) {
    const auto* const from = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), from, from + size);
  };
  const auto add_array = [&add](const auto& array) {
    const std::size_t count = array.size();
    add(&count, sizeof count);
    add(array.data(), count * sizeof array[0]);
  };
  add(&trace.epoch, sizeof trace.epoch);
  for_arrays(trace, add_array);
  return bytes;
}

RankTrace unpacked(const TraceMail::Bytes& bytes) {
  RankTrace trace;
  std::size_t at = 0;
  const auto take = [&](void* data, std::size_t size) {
    if (size > 0) std::memcpy(data, bytes.data() + at, size);
    at += size;
  };
  const auto take_array = [&take](auto& array) {
    std::size_t count = 0;
    take(&count, sizeof count);
    array.resize(count);
    take(array.data(), count * sizeof array[0]);
  };
  take(&trace.epoch, sizeof trace.epoch);
  for_arrays(trace, take_array);
  return trace;
}

/// Writes events one by one: a long trace is never held as one JSON value.
class EventWriter {
 public:
  explicit EventWriter(const std::string& path) : file_(path, std::ios::trunc) {
    file_ << "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  }
  void add(int rank, const RankTrace& trace, double zero) {
    const Json facts = Json::parse(trace.facts);
    metadata(rank, "process_name",
             {{"name", "rank " + std::to_string(rank) + " on " + facts["host"].get<std::string>()}});
    metadata(rank, "process_sort_index", {{"sort_index", rank}});
    dropped_ += facts["dropped"].get<std::int64_t>();
    const Json& steps = facts["steps"];
    const double offset = trace.epoch - zero;
    for (const Frame& frame : trace.frames) {
      const auto program = facts["programs"][static_cast<std::size_t>(frame.program)].get<std::string>();
      if (frame.step < 0) {
        slice(rank, program, "run", offset + frame.begin, frame.end - frame.begin, Json::object());
        continue;
      }
      const Json& step = steps.at(std::to_string(frame.step));
      slice(rank, program + " " + step_name(step), "step", offset + frame.begin, frame.end - frame.begin,
            {{"bytes_sent", step["bytes_sent"]}});
    }
    for (const Span& span : trace.spans) {
      const Json& step = steps.at(std::to_string(span.step));
      const bool moves = step["times"][static_cast<std::size_t>(span.activity)]["communication"].get<bool>();
      slice(rank, "step " + std::to_string(step["number"].get<int>()) + " " + activity_name(span.activity),
            moves ? "communication" : "computation", offset + span.begin, span.end - span.begin, Json::object());
    }
  }
  /// Throws Error where the disk has not taken all of it.
  void finish() {
    file_ << "\n], \"otherData\": {\"writer\": \"shardfft\", \"dropped_spans\": " << dropped_ << "}}\n" << std::flush;
    if (!file_.good())
      fail(Status::internal,
           "it could not be written whole; is the disk full, or the size of files limited (ulimit -f)?");
  }

 private:
  static std::string step_name(const Json& step) {
    return std::to_string(step["number"].get<int>()) + ". " + step["text"].get<std::string>();
  }
  void slice(int rank, const std::string& name, const char* category, double begin, double length, const Json& args) {
    event({{"ph", "X"},
           {"pid", rank},
           {"tid", 0},
           {"name", name},
           {"cat", category},
           {"ts", begin * 1e6},
           {"dur", length * 1e6},
           {"args", args}});
  }
  void metadata(int rank, const char* name, const Json& args) {
    event({{"ph", "M"}, {"pid", rank}, {"tid", 0}, {"name", name}, {"args", args}});
  }
  void event(const Json& value) {
    file_ << (first_ ? "" : ",\n") << value.dump(-1, ' ', false, Json::error_handler_t::replace);
    first_ = false;
  }

  std::ofstream file_;
  bool first_ = true;
  std::int64_t dropped_ = 0;
};

}  // namespace

TraceFile::TraceFile(const Communicator& comm, const std::string& path) : comm_(comm), path_(path) {
  if (path.empty()) return;
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    require(path_.find('\0') == std::string::npos, "the name of the trace file has a character 0");
    const std::ofstream file(path_, std::ios::app);
    require(file.good(), "the trace file '", path_, "' cannot be written");
  });
  lead_ = clock_lead(comm);
  zero_ = -comm.max(-(clock_seconds() - lead_));
  TraceMail::of_process().begin();
  wanted_ = true;
}

TraceFile::~TraceFile() {
  if (!wanted_) return;
  static_cast<void>(failure_of([this] { TraceMail::of_process().end(written_ && !mpi_finalized()); }));
}

void TraceFile::write(Runner& runner) noexcept {
  if (!wanted_ || mpi_finalized()) return;
  written_ = true;
  // failure_of() catches what this throws.
  // cppcheck-suppress throwInNoexceptFunction
  const Failure failure = failure_of([&] { write_all(runner); });
  // A destructor cannot throw, and a file that is cut short looks like one that is not.
  if (failure.failed() && comm_.rank() == 0)
    std::cerr << "shardfft: the trace file '" << path_ << "' is not complete: " << failure.text << std::endl;
}

void TraceFile::write_all(Runner& runner) const {
  RankTrace mine;
  mine.facts = facts_of(runner);
  mine.epoch = runner.trace().epoch() - lead_;
  mine.frames = runner.trace().frames();
  mine.spans = runner.trace().spans();
  if (comm_.rank() != 0) {
    TraceMail::of_process().send(comm_, packed(mine));
    return;
  }
  const NoFileSignal no_signal;
  EventWriter writer(path_);
  writer.add(0, mine, zero_);
  for (int rank = 1; rank < comm_.size(); ++rank) writer.add(rank, unpacked(TraceMail::receive(comm_, rank)), zero_);
  writer.finish();
}

}  // namespace shardfft
