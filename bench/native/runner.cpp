#include "runner.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "build_facts.hpp"
#include "clock.hpp"
#include "conformance.hpp"
#include "device_energy.hpp"
#include "facts.hpp"
#include "mpi_profile.hpp"
#include "ratio.hpp"

namespace shardfft::bench {
namespace {

// Runs one case; the members are what its steps share.
class Run {
 public:
  Run(const Case& wanted, Adapter& adapter, MPI_Comm comm)
      : case_(wanted), adapter_(adapter), comm_(comm), bound_(tolerance(wanted)) {}

  Json operator()() {
    const auto before = peak_memory();
    record_["plan_seconds"] = time_once(comm_, [&] { adapter_.plan(case_, comm_); });
    record_["status"] = "ok";
    record_["error"] = {{"tolerance", to_json(bound_)}};
    examiner_.emplace(case_, adapter_, comm_);
    if (layout_conforms() && numbers_conform()) {
      record_["memory"] = {{"peak_rss_bytes", largest(peak_memory(), comm_)},
                           {"before_planning_bytes", largest(before, comm_)},
                           {"field_and_spectrum_bytes", largest(buffer_bytes(), comm_)}};
      time_it();
    }
    return record_;
  }

 private:
  std::int64_t buffer_bytes() const {
    const auto real = std::int64_t(case_.real_bytes()) * case_.batch;
    const auto field = adapter_.field_part().span() * (case_.real() ? real : 2 * real);
    const auto spectrum = adapter_.spectrum_part().span() * (case_.real_spectrum() ? real : 2 * real);
    return case_.in_place() ? std::max(field, spectrum) : field + spectrum;
  }

  bool wrong(const std::string& reason) {
    record_["status"] = "wrong";
    record_["reason"] = reason;
    return false;
  }

  // The parts must tile both sides and be as the case wants them.
  bool layout_conforms() {
    const auto field = gather_parts(adapter_.field_part(), comm_);
    const auto spectrum = gather_parts(adapter_.spectrum_part(), comm_);
    std::string fault = field.empty() ? std::string() : layout_fault(field, spectrum);
    int bad = !fault.empty();
    MPI_Bcast(&bad, 1, MPI_INT, 0, comm_);
    if (!field.empty()) {
      record_["layout"] = {{"field_split_axes", split_axes(field, case_.shape)},
                           {"spectrum_split_axes", split_axes(spectrum, case_.spectrum())}};
      // Long lists say nothing more than the first entries do.
      if (field.size() <= 64) {
        record_["layout"]["field"] = to_json(field);
        record_["layout"]["spectrum"] = to_json(spectrum);
      }
      const Moved moved = moved_points(field, spectrum);
      const auto element = std::int64_t((case_.real_spectrum() ? 1 : 2) * case_.real_bytes()) * case_.batch;
      record_["least_bytes_moved"] = {{"largest_rank", moved.largest * element}, {"total", moved.total * element}};
    }
    return bad ? wrong("layout: " + fault) : true;
  }

  std::string layout_fault(const std::vector<Part>& field, const std::vector<Part>& spectrum) const {
    std::string fault = tiling_fault(field, case_.shape);
    if (!fault.empty()) return "field: " + fault;
    fault = tiling_fault(spectrum, case_.spectrum());
    if (!fault.empty()) return "spectrum: " + fault;
    const int most = case_.layout == LayoutKind::slab ? 1 : case_.layout == LayoutKind::pencil ? 2 : 3;
    if (split_axes(field, case_.shape) > most || split_axes(spectrum, case_.spectrum()) > most)
      return "more axes are split than the case allows";
    if (!case_.natural()) return {};
    for (std::size_t rank = 0; rank < field.size(); ++rank)
      for (int axis = 0; axis < 3; ++axis)
        if (case_.shape[axis] == case_.spectrum()[axis] && field[rank].lower[axis] != spectrum[rank].lower[axis] &&
            field[rank].volume() > 0)
          return "the spectrum is not distributed as the field is, on rank " + std::to_string(rank);
    return {};
  }

  bool accept(const char* name, const Error& error) {
    record_["error"][name] = to_json(error);
    return passes(error, bound_) ? true : wrong(std::string(name) + ": error above the tolerance");
  }

  bool numbers_conform() {
    bool good = true;
    if (case_.direction != Direction::backward) {
      examiner_->values().fill(Side::field);
      adapter_.forward();
      adapter_.finish();
      good = accept("forward", examiner_->error(Side::spectrum, adapter_.forward_scale()));
    }
    // What is applied is in what comes back, not in what backward alone gives.
    if (good && case_.direction != Direction::forward && case_.apply.empty()) {
      examiner_->values().fill(Side::spectrum);
      adapter_.backward();
      adapter_.finish();
      good = accept("backward", examiner_->error(Side::field, adapter_.backward_scale()));
    }
    if (good && !case_.apply.empty()) {
      examiner_->values().fill(Side::field);
      work();
      good = accept("applied", final_error());
    }
    return good;
  }

  // What a repeat runs, and what the last repeat must have left.
  void work() {
    if (!case_.apply.empty() && adapter_.applies()) {
      adapter_.apply();
      adapter_.finish();
      return;
    }
    if (case_.direction != Direction::backward) adapter_.forward();
    if (!case_.apply.empty()) examiner_->values().apply();
    if (case_.direction != Direction::forward) adapter_.backward();
    adapter_.finish();
  }

  Error final_error() {
    if (case_.direction == Direction::forward) return examiner_->error(Side::spectrum, adapter_.forward_scale());
    if (!case_.apply.empty() && adapter_.applies()) return examiner_->error(Side::field, adapter_.apply_scale());
    const double pair = case_.direction == Direction::pair ? adapter_.forward_scale() : 1;
    return examiner_->error(Side::field, pair * adapter_.backward_scale());
  }

  void time_it() {
    const bool from_spectrum = case_.direction == Direction::backward;
    Values& values = examiner_->values();
    const Side source = from_spectrum ? Side::spectrum : Side::field;
    values.fill(source);
    values.keep(source);
    const auto prepare = [&] { values.restore(); };
    const Timing timing = measure(comm_, case_.warmups, case_.repeats, case_.seconds, prepare, [&] { work(); });
    // The library may have changed its mind between the first call and the last.
    if (!accept("after_timing", final_error())) return;
    record_["flop"] = case_.flop() * (case_.direction == Direction::pair ? 2 : 1);
    record_["breakdown"] = adapter_.breakdown();
    if (case_.profile) {
      profile(prepare);
      record_["local_ffts"] = measure_ratio(
          adapter_, case_, prepare, [&] { work(); }, comm_);
    }
    if (case_.energy) measure_energy(prepare);
    record_["samples"] = timing.samples;
    record_["fastest_rank"] = timing.fastest;
    record_["cpu_seconds"] = {{"user", timing.user}, {"system", timing.system}};
  }

  // Counters advance in steps, NVML's some ten times a second: energy gets repeats of its own, for a second at least.
  void measure_energy(const std::function<void()>& prepare) {
    EnergyMeter packages(comm_);
    const auto devices = adapter_.on_device() ? std::make_unique<DeviceEnergyMeter>(comm_) : nullptr;
    const bool worth = packages.counts() || (devices && devices->counts());
    const double start = MPI_Wtime();
    std::int64_t repeats = 0;
    for (int more = worth; more; ++repeats) {
      prepare();
      MPI_Barrier(comm_);
      work();
      more = MPI_Wtime() - start < 1;
      MPI_Bcast(&more, 1, MPI_INT, 0, comm_);
    }
    record_["energy"] = packages.stop(repeats);
    if (devices) record_["device_energy"] = devices->stop(repeats);
  }

  void profile(const std::function<void()>& prepare) {
    double largest_share = 0, spent = 0;
    start_counting_mpi();
    (void)stop_counting_mpi();
    const int repeats = 3;
    MpiUse sum;
    for (int round = 0; round < repeats; ++round) {
      prepare();
      MPI_Barrier(comm_);
      start_counting_mpi();
      const double start = MPI_Wtime();
      work();
      spent += MPI_Wtime() - start;
      const MpiUse use = stop_counting_mpi();
      sum.seconds += use.seconds;
      sum.bytes += use.bytes;
      sum.calls += use.calls;
    }
    if (spent > 0) largest_share = sum.seconds / spent;
    double seconds = sum.seconds / repeats;
    std::int64_t counts[2] = {sum.bytes / repeats, sum.calls / repeats};
    MPI_Allreduce(MPI_IN_PLACE, &largest_share, 1, MPI_DOUBLE, MPI_MAX, comm_);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT64_T, MPI_MAX, comm_);
    // One rank has nobody to talk to: nothing counted is right there.
    int ranks = 1;
    MPI_Comm_size(comm_, &ranks);
    if (counts[1] == 0 && ranks > 1) {
      record_["communication"] = {{"unavailable", "no MPI call passed the profiling interface"}};
      return;
    }
    record_["communication"] = {{"seconds", seconds},
                                {"ratio", largest_share},
                                {"bytes_sent_largest_rank", counts[0]},
                                {"calls", counts[1]},
                                {"source", "MPI profiling interface"}};
  }

  const Case& case_;
  Adapter& adapter_;
  MPI_Comm comm_;
  std::optional<Examiner> examiner_;  // from planning on
  Error bound_;
  Json record_ = Json::object();
};

}  // namespace

Json to_json(const Description& d) {
  return {{"library", d.library},         {"version", d.version},           {"language", d.language},
          {"licence", d.licence},         {"backend", d.backend},           {"gpu", d.gpu},
          {"distributed", d.distributed}, {"capabilities", d.capabilities}, {"options", d.options},
          {"build", build_facts()}};
}

Json run_case(const Case& wanted, Adapter& adapter, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const Description description = adapter.describe();
  std::string refusal = adapter.refuse(wanted, ranks);
  // Field, spectrum, and the copy that every repeat starts from: more than there is would end in the system's hands.
  const double data = double(wanted.points()) * double(wanted.real_bytes() * std::size_t(wanted.batch)) *
                      (wanted.real() ? 1 : 2) / ranks;
  if (refusal.empty() && !adapter.on_device()) refusal = memory_refusal(data * (wanted.in_place() ? 2 : 3), comm);
  const std::string started = now();
  const Json machine = machine_facts(comm);
  Json record = refusal.empty() ? Run(wanted, adapter, comm)() : Json{{"status", "unsupported"}, {"reason", refusal}};
  record["schema"] = 1;
  record["library"] = description.library;
  record["version"] = description.version;
  record["backend"] = adapter.describe().backend;  // a library with several knows now which one it took
  record["case"] = to_json(wanted);
  record["ranks"] = ranks;
  record["started"] = started;
  record["machine"] = machine;
  if (adapter.on_device()) record["machine"]["devices"] = adapter.device_facts();
  record["environment"] = environment_facts();
  record["build"] = build_facts();
  return record;
}

}  // namespace shardfft::bench
