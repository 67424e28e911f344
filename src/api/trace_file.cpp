#include "api/trace_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "api/report.hpp"

namespace shardfft {

namespace {

using Json = nlohmann::json;

constexpr int tag = 7;
constexpr std::size_t bytes_a_message = std::size_t{1} << 28;

/// What rank 0 needs of a rank; travels as bytes.
struct RankTrace {
  std::string facts;  ///< JSON: host, dropped, steps by number
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

std::string facts_of(const Runner& runner) {
  Json steps = Json::object();
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    int number = 0;
    for (const StepReport& step : runner.steps(direction))
      steps[std::to_string(step.trace_step)] = {{"number", ++number},
                                                {"text", step.text},
                                                {"role", static_cast<int>(step.role)},
                                                {"bytes_sent", step.bytes_sent}};
  }
  const Json facts = {{"host", processor_name()}, {"dropped", runner.trace().dropped()}, {"steps", steps}};
  return facts.dump(-1, ' ', false, Json::error_handler_t::replace);
}

double seconds_now() { return std::chrono::duration<double>(Trace::Clock::now().time_since_epoch()).count(); }

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
      double time = seconds_now();
      if (comm.rank() == 0) {
        check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, leader, tag, comm.get(), MPI_STATUS_IGNORE), "MPI_Recv");
        time = seconds_now();
        check_mpi(MPI_Send(&time, 1, MPI_DOUBLE, leader, tag, comm.get()), "MPI_Send");
        continue;
      }
      const double asked = time;
      check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, 0, tag, comm.get()), "MPI_Send");
      check_mpi(MPI_Recv(&time, 1, MPI_DOUBLE, 0, tag, comm.get(), MPI_STATUS_IGNORE), "MPI_Recv");
      const double answered = seconds_now();
      if (answered - asked >= quickest) continue;
      quickest = answered - asked;
      lead = (asked + answered) / 2 - time;
    }
  }
  check_mpi(MPI_Bcast(&lead, 1, MPI_DOUBLE, 0, host.get()), "MPI_Bcast");
  return lead;
}

void send_bytes(const Communicator& comm, const void* data, std::size_t bytes) {
  const auto size = static_cast<std::int64_t>(bytes);
  check_mpi(MPI_Send(&size, 1, MPI_INT64_T, 0, tag, comm.get()), "MPI_Send");
  for (std::size_t at = 0; at < bytes; at += bytes_a_message)
    check_mpi(MPI_Send(static_cast<const std::byte*>(data) + at,
                       static_cast<int>(std::min(bytes_a_message, bytes - at)), MPI_BYTE, 0, tag, comm.get()),
              "MPI_Send");
}

/// Into a string or a vector of plain structs.
template <class Array>
void receive_bytes(const Communicator& comm, int rank, Array& array) {
  std::int64_t size = 0;
  check_mpi(MPI_Recv(&size, 1, MPI_INT64_T, rank, tag, comm.get(), MPI_STATUS_IGNORE), "MPI_Recv");
  const auto bytes = static_cast<std::size_t>(size);
  array.resize(bytes / sizeof array[0]);
  for (std::size_t at = 0; at < bytes; at += bytes_a_message)
    check_mpi(MPI_Recv(reinterpret_cast<std::byte*>(array.data()) + at,
                       static_cast<int>(std::min(bytes_a_message, bytes - at)), MPI_BYTE, rank, tag, comm.get(),
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
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
      const std::string direction = frame.direction == static_cast<int>(Direction::forward) ? "forward" : "backward";
      if (frame.step < 0) {
        slice(rank, direction, "run", offset + frame.begin, frame.end - frame.begin, Json::object());
        continue;
      }
      const Json& step = steps.at(std::to_string(frame.step));
      slice(rank, direction + " " + step_name(step), "step", offset + frame.begin, frame.end - frame.begin,
            {{"bytes_sent", step["bytes_sent"]}});
    }
    for (const Span& span : trace.spans) {
      const Json& step = steps.at(std::to_string(span.step));
      const bool moves = is_communication(static_cast<Role>(step["role"].get<int>()), span.activity);
      slice(rank, "step " + std::to_string(step["number"].get<int>()) + " " + activity_name(span.activity),
            moves ? "communication" : "computation", offset + span.begin, span.end - span.begin, Json::object());
    }
  }
  void finish() { file_ << "\n], \"otherData\": {\"writer\": \"shardfft\", \"dropped_spans\": " << dropped_ << "}}\n"; }

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

void write_all(const Communicator& comm, Runner& runner, const std::string& path) {
  RankTrace mine;
  runner.harvest();
  mine.facts = facts_of(runner);
  mine.epoch = runner.trace().epoch() - clock_lead(comm);
  mine.frames = runner.trace().frames();
  mine.spans = runner.trace().spans();
  const double zero = -comm.max(-mine.epoch);
  if (comm.rank() != 0) {
    send_bytes(comm, mine.facts.data(), mine.facts.size());
    send_bytes(comm, &mine.epoch, sizeof mine.epoch);
    send_bytes(comm, mine.frames.data(), mine.frames.size() * sizeof(Frame));
    send_bytes(comm, mine.spans.data(), mine.spans.size() * sizeof(Span));
    return;
  }
  EventWriter writer(path);
  writer.add(0, mine, zero);
  for (int rank = 1; rank < comm.size(); ++rank) {
    RankTrace theirs;
    std::vector<double> epoch;
    receive_bytes(comm, rank, theirs.facts);
    receive_bytes(comm, rank, epoch);
    receive_bytes(comm, rank, theirs.frames);
    receive_bytes(comm, rank, theirs.spans);
    theirs.epoch = epoch.at(0);
    writer.add(rank, theirs, zero);
  }
  writer.finish();
}

}  // namespace

TraceFile::TraceFile(const Communicator& comm, const std::string& path) : comm_(comm), path_(path) {
  const std::int64_t mine = path.empty() ? 0 : 1;
  wanted_ = comm.max(mine) == 1;
  if (wanted_ && comm.min(mine) == 0)
    fail(Status::mismatch, "some ranks were given a trace file and some were not; all must be given one");
  if (!wanted_) return;
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    const std::ofstream file(path_, std::ios::app);
    require(file.good(), "the trace file '", path_, "' cannot be written");
  });
}

void TraceFile::write(Runner& runner) const noexcept {
  if (!wanted_ || mpi_finalized()) return;
  try {
    write_all(comm_, runner, path_);
  } catch (const std::exception&) {
    // A destructor has nobody to tell.
  }
}

}  // namespace shardfft
