#include "api/trace_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>

#include "api/problem.hpp"
#include "api/report.hpp"
#include "api/trace_mail.hpp"
#include "base/file_signal.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace shardfft {

namespace {

constexpr int clock_tag = 7;

/// The facts that name the events of a step.
struct StepFacts {
  int trace_step;
  int number;  ///< in the report of its program, from 1
  Role role;
  std::int64_t bytes_sent;
};

/// The trace of a rank for rank 0; travels as bytes.
struct RankTrace {
  double epoch = 0;  ///< on rank 0's clock
  std::int64_t dropped = 0;
  std::string host;
  std::string programs;  ///< their names, each ended by a 0
  std::string texts;     ///< of `steps`, each ended by a 0
  std::vector<StepFacts> steps;
  std::vector<Frame> frames;
  std::vector<Span> spans;
};

std::string processor_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

RankTrace trace_of(Runner& runner) {
  const Trace& trace = runner.trace();
  RankTrace own{trace.epoch(), trace.dropped(), processor_name(), {}, {}, {}, trace.frames(), trace.spans()};
  int program = 0;
  for (const NamedProgram& named : runner.programs()) {
    (own.programs += named.name) += '\0';
    int number = 0;
    for (const StepReport& step : runner.account(program++).steps) {
      own.steps.push_back({step.trace_step, ++number, step.role, step.bytes_sent});
      (own.texts += step.text) += '\0';
    }
  }
  return own;
}

std::vector<std::string> split(const std::string& words) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < words.size(); begin += all.back().size() + 1) all.push_back(&words[begin]);
  return all;
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
  host.broadcast(&lead, sizeof lead, 0);
  return lead;
}

/// visit(array) for the arrays of a rank's trace.
template <class Trace, class Visit>
void for_arrays(Trace& trace, const Visit& visit) {
  visit(trace.host);
  visit(trace.programs);
  visit(trace.texts);
  visit(trace.steps);
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
  add(&trace.dropped, sizeof trace.dropped);
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
  take(&trace.dropped, sizeof trace.dropped);
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
    metadata(rank, "process_name", {"name", "rank " + std::to_string(rank) + " on " + trace.host});
    metadata(rank, "process_sort_index", {"sort_index", rank});
    dropped_ += trace.dropped;
    const std::vector<std::string> programs = split(trace.programs);
    const std::vector<std::string> texts = split(trace.texts);
    std::map<int, std::size_t> steps;
    for (std::size_t i = 0; i < trace.steps.size(); ++i) steps[trace.steps[i].trace_step] = i;
    const double offset = trace.epoch - zero;
    for (const Frame& frame : trace.frames) {
      const std::string& program = programs.at(static_cast<std::size_t>(frame.program));
      const double begin = offset + frame.begin, length = frame.end - frame.begin;
      if (frame.step < 0) {
        slice(rank, program, "run", begin, length);
        continue;
      }
      const std::size_t i = steps.at(frame.step);
      const std::string name = program + " " + std::to_string(trace.steps[i].number) + ". " + texts.at(i);
      slice(rank, name, "step", begin, length, Json::object({{"bytes_sent", trace.steps[i].bytes_sent}}));
    }
    for (const Span& span : trace.spans) {
      const StepFacts& step = trace.steps[steps.at(span.step)];
      const std::string name = "step " + std::to_string(step.number) + " " + activity_name(span.activity);
      slice(rank, name, is_communication(step.role, span.activity) ? "communication" : "computation",
            offset + span.begin, span.end - span.begin);
    }
  }
  /// Throws Error if the disk has not taken all of it.
  void finish() {
    file_ << "\n], \"otherData\": {\"writer\": \"shardfft\", \"dropped_spans\": " << dropped_ << "}}\n" << std::flush;
    if (!file_.good())
      fail(Status::internal,
           "it could not be written whole; is the disk full, or the size of files limited (ulimit -f)?");
  }

 private:
  void slice(int rank, const std::string& name, const char* category, double begin, double length,
             const Json& args = Json::object()) {
    event(Json::object({{"ph", "X"},
                        {"pid", rank},
                        {"tid", 0},
                        {"name", name},
                        {"cat", category},
                        {"ts", begin * 1e6},
                        {"dur", length * 1e6},
                        {"args", args}}));
  }
  void metadata(int rank, const char* name, const JsonMember& fact) {
    event(Json::object({{"ph", "M"}, {"pid", rank}, {"tid", 0}, {"name", name}, {"args", Json::object({fact})}}));
  }
  void event(const Json& value) {
    file_ << (first_ ? "" : ",\n") << value.text();
    first_ = false;
  }

  FileText file_;
  bool first_ = true;
  std::int64_t dropped_ = 0;
};

}  // namespace

TraceFile::TraceFile(const Communicator& comm, const std::string& path) : comm_(comm), path_(path) {
  if (path.empty()) return;
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    require(path_.find('\0') == std::string::npos, "the name of the trace file has a character 0");
    const FileText file(path_, std::ios::app);
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
  // failure_of() catches its exceptions.
  // cppcheck-suppress throwInNoexceptFunction
  const Failure failure = failure_of([&] { write_all(runner); });
  // A destructor cannot throw, and a file that is cut short looks like a whole one.
  if (failure.failed() && comm_.rank() == 0)
    std::cerr << "shardfft: the trace file '" << path_ << "' is not complete: " << failure.text << std::endl;
}

void TraceFile::write_all(Runner& runner) const {
  RankTrace mine = trace_of(runner);
  mine.epoch -= lead_;
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
