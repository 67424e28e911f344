// The experiment of Verma et al., Scalable Multi-node Fast Fourier Transform on GPUs: pairs of forward and inverse
// transforms of the real field of their equation 5, checked, with the time split into computation and communication.
//   paper_slab [-gpus 1,2] [-sizes 512,1024] [-precisions single,double] [-schedules fused,paper,cufft] [-repeats 10]
// One JSON line a run. Schedules: `paper` is theirs, stage by stage; `fused` is this library's, where the copy engines
// transpose while they send, the scale is part of the x lines and transfers hide behind transforms: its computation is
// the time in which transforms run, its communication the rest of the pair, and `links_ms` the time in which links are
// busy; `cufft` is cuFFTXt (one GPU: cuFFT), not normalised.
#include <cufftXt.h>

#include <memory>
#include <sstream>

#include "gpu/slab/slab_group.hpp"
#include "paper_field.cuh"
#include "paper_stages.cuh"
#include "slab_trace.cuh"

using namespace shardfft;

namespace {

struct Settings {
  std::string gpus = "1,2", sizes = "512,1024", precisions = "single,double", schedules = "fused,paper,cufft";
  int repeats = 10;
};

struct Run {
  long long n;
  int gpus;
  bool wide;
  int repeats;
};

struct Outcome {
  double total_ms = 0, links_ms = -1;
  bench::StageTimes times{};
  double field_error = -1, spectrum_error = -1;  // -1: not looked at
};

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found;
  std::stringstream in(text);
  for (std::string word; std::getline(in, word, ',');) found.push_back(word);
  return found;
}

/// Planes of the field on GPU g, and rows y of its spectrum.
bench::Patch field_patch(const Run& run, int g, long long pitch) {
  const long long own = run.n / run.gpus;
  return {{g * own, 0, 0}, {own, run.n, run.n}, pitch, {run.n, run.n, run.n}};
}
bench::Patch spectrum_patch(const Run& run, int g, long long pitch) {
  const long long own = run.n / run.gpus;
  return {{0, g * own, 0}, {run.n, own, run.n / 2 + 1}, pitch, {run.n, run.n, run.n}};
}
double points(const Run& run) { return static_cast<double>(run.n) * static_cast<double>(run.n * run.n); }

/// A transform with a real field of planes on every GPU and its spectrum.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual void forward(bench::StageTimes& times) = 0;
  virtual void backward(bench::StageTimes& times) = 0;
  virtual void* field(int g) = 0;
  virtual long long field_pitch() const = 0;
  /// Null: not looked at.
  virtual const void* spectrum(int g) = 0;
  virtual long long spectrum_pitch() const = 0;
  /// What the field after a pair is to be multiplied by.
  virtual double scale() const { return 1; }
  /// What only one more run can tell.
  virtual void finish(Outcome&) {}
};

void refill(const Run& run, Subject& subject) {
  for (int g = 0; g < run.gpus; ++g) {
    CHECK(cudaSetDevice(g));
    bench::fill_paper_field(run.wide, field_patch(run, g, subject.field_pitch()), subject.field(g));
  }
  bench::synchronize_all(run.gpus);
}

/// Errors over the amplitude of a wave: 8 in the field, the number of points in the spectrum.
void check(const Run& run, Subject& subject, Outcome& outcome) {
  bench::StageTimes ignored{};
  refill(run, subject);
  subject.forward(ignored);
  bench::synchronize_all(run.gpus);
  for (int g = 0; g < run.gpus && subject.spectrum(g) != nullptr; ++g) {
    CHECK(cudaSetDevice(g));
    outcome.spectrum_error = std::max(
        outcome.spectrum_error, bench::paper_error(run.wide, true, spectrum_patch(run, g, subject.spectrum_pitch()),
                                                   subject.spectrum(g), 1 / points(run)));
  }
  subject.backward(ignored);
  bench::synchronize_all(run.gpus);
  for (int g = 0; g < run.gpus; ++g) {
    CHECK(cudaSetDevice(g));
    outcome.field_error =
        std::max(outcome.field_error, bench::paper_error(run.wide, false, field_patch(run, g, subject.field_pitch()),
                                                         subject.field(g), subject.scale()) /
                                          8);
  }
}

Outcome measure(const Run& run, Subject& subject) {
  Outcome outcome;
  check(run, subject, outcome);
  std::vector<double> totals;
  std::vector<double> parts[bench::stages];
  for (int i = 0; i < 3 + run.repeats; ++i) {
    refill(run, subject);
    bench::StageTimes times{};
    const double begin = bench::milliseconds();
    subject.forward(times);
    subject.backward(times);
    bench::synchronize_all(run.gpus);
    if (i < 3) continue;
    totals.push_back(bench::milliseconds() - begin);
    for (int s = 0; s < bench::stages; ++s) parts[s].push_back(times[static_cast<std::size_t>(s)]);
  }
  outcome.total_ms = bench::median(totals);
  for (int s = 0; s < bench::stages; ++s) outcome.times[static_cast<std::size_t>(s)] = bench::median(parts[s]);
  refill(run, subject);
  subject.finish(outcome);
  return outcome;
}

class Staged : public Subject {
 public:
  explicit Staged(const Run& run) : run_(run), slab_(run.n, run.gpus, run.wide) {}
  void forward(bench::StageTimes& times) override { slab_.forward(times); }
  void backward(bench::StageTimes& times) override { slab_.backward(times); }
  void* field(int g) override { return slab_.field(g); }
  long long field_pitch() const override { return run_.n; }
  const void* spectrum(int g) override { return slab_.spectrum(g); }
  long long spectrum_pitch() const override { return run_.n / 2 + 1; }

 private:
  Run run_;
  bench::PaperSlab slab_;
};

class Fused : public Subject {
 public:
  explicit Fused(const Run& run) : run_(run) {
    shape_.transform = {Kind::r2c, run.wide ? Precision::f64 : Precision::f32};
    shape_.nx = shape_.ny = shape_.nz = run.n;
    shape_.ranks = run.gpus;
    gpu::SlabOptions options;
    options.observer = &trace_;
    options.backward_scale = 1 / points(run);
    std::vector<int> devices;
    for (int g = 0; g < run.gpus; ++g) devices.push_back(g);
    group_ = std::make_unique<gpu::SlabGroup>(shape_, options, devices);
    scaled_ = group_->rank(0).fused_x();
    for (int g = 0; g < run.gpus; ++g) {
      CHECK(cudaSetDevice(g));
      for (const std::size_t bytes : {shape_.field_bytes(g), shape_.planes_bytes(g), shape_.spectrum_bytes(g)})
        memory_.push_back(device::make_memory(bytes));
      const std::size_t last = memory_.size();
      arrays_.push_back({memory_[last - 3].get(), memory_[last - 2].get(), memory_[last - 1].get()});
      owned_.push_back(device::make_stream());
      streams_.push_back(owned_.back().get());
    }
    group_->bind(arrays_);
  }
  void forward(bench::StageTimes&) override { group_->forward(streams_); }
  void backward(bench::StageTimes&) override { group_->backward(streams_); }
  void* field(int g) override { return arrays_[static_cast<std::size_t>(g)].field; }
  long long field_pitch() const override { return run_.n; }
  const void* spectrum(int g) override { return arrays_[static_cast<std::size_t>(g)].spectrum; }
  long long spectrum_pitch() const override { return shape_.pitch(); }
  double scale() const override { return scaled_ ? 1 : 1 / points(run_); }

  /// The split of one more pair, with events around every piece.
  void finish(Outcome& outcome) override {
    trace_.start(run_.gpus);
    group_->forward(streams_);
    group_->backward(streams_);
    bench::synchronize_all(run_.gpus);
    const std::vector<bench::Piece> pieces = trace_.pieces();
    outcome.links_ms = bench::busy_ms(pieces, true, run_.gpus);
    outcome.times[bench::fft] = std::min(outcome.total_ms, bench::busy_ms(pieces, false, run_.gpus));
    outcome.times[bench::communication] = outcome.total_ms - outcome.times[bench::fft];
  }

 private:
  Run run_;
  gpu::SlabShape shape_;
  bench::SlabTrace trace_;
  bool scaled_ = false;
  std::unique_ptr<gpu::SlabGroup> group_;
  std::vector<device::Memory> memory_;
  std::vector<gpu::SlabArrays> arrays_;
  std::vector<device::Stream> owned_;
  std::vector<void*> streams_;
};

/// cuFFTXt in place, or cuFFT in place on one GPU: rows of the field padded for the spectrum.
class Cufft : public Subject {
 public:
  explicit Cufft(const Run& run) : run_(run) {
    const cufftType types[2] = {run.wide ? CUFFT_D2Z : CUFFT_R2C, run.wide ? CUFFT_Z2D : CUFFT_C2R};
    std::vector<int> devices;
    for (int g = 0; g < run.gpus; ++g) devices.push_back(g);
    CHECK(cudaSetDevice(0));
    for (int i = 0; i < 2; ++i) {
      std::size_t work[16];
      CHECK(cufftCreate(&plans_[i]));
      if (run.gpus > 1) CHECK(cufftXtSetGPUs(plans_[i], run.gpus, devices.data()));
      const int n = static_cast<int>(run.n);
      CHECK(cufftMakePlan3d(plans_[i], n, n, n, types[i], work));
    }
    if (run.gpus > 1)
      CHECK(cufftXtMalloc(plans_[0], &spread_, CUFFT_XT_FORMAT_INPLACE));
    else
      single_ = device::make_memory(static_cast<std::size_t>(run.n * run.n * field_pitch()) * (run.wide ? 8 : 4));
  }
  ~Cufft() override {
    if (spread_ != nullptr) cufftXtFree(spread_);
    for (cufftHandle plan : plans_) cufftDestroy(plan);
  }
  Cufft(const Cufft&) = delete;
  Cufft& operator=(const Cufft&) = delete;
  void forward(bench::StageTimes&) override { run_plan(plans_[0], CUFFT_FORWARD); }
  void backward(bench::StageTimes&) override { run_plan(plans_[1], CUFFT_INVERSE); }
  void* field(int g) override { return spread_ != nullptr ? spread_->descriptor->data[g] : single_.get(); }
  long long field_pitch() const override { return 2 * (run_.n / 2 + 1); }
  const void* spectrum(int g) override { return field(g); }
  long long spectrum_pitch() const override { return run_.n / 2 + 1; }
  double scale() const override { return 1 / points(run_); }

 private:
  void run_plan(cufftHandle plan, int direction) {
    if (spread_ != nullptr) {
      CHECK(cufftXtExecDescriptor(plan, spread_, spread_, direction));
    } else {
      CHECK(cudaSetDevice(0));
      CHECK(cufftXtExec(plan, single_.get(), single_.get(), direction));
    }
  }

  Run run_;
  cufftHandle plans_[2] = {};
  cudaLibXtDesc* spread_ = nullptr;
  device::Memory single_;
};

void report(const Run& run, const std::string& schedule, const Outcome& o) {
  const bool split = schedule != "cufft";
  const auto& t = o.times;
  const double computation =
      t[bench::fft] + t[bench::slab_transpose] + t[bench::chunk_transpose] + t[bench::normalisation];
  std::string parts;
  if (split) {
    char text[256];
    std::snprintf(text, sizeof text,
                  ",\"computation_ms\":%.4f,\"communication_ms\":%.4f,\"fft_ms\":%.4f,\"slab_transpose_ms\":%.4f,"
                  "\"chunk_transpose_ms\":%.4f,\"normalisation_ms\":%.4f",
                  computation, t[bench::communication], t[bench::fft], t[bench::slab_transpose],
                  t[bench::chunk_transpose], t[bench::normalisation]);
    parts = text;
  }
  if (o.links_ms >= 0) parts += ",\"links_ms\":" + std::to_string(o.links_ms);
  // A staged pair is the sum of its stages: what lies between them is the measurement's own.
  const double total = schedule == "paper" ? computation + t[bench::communication] : o.total_ms;
  bench::line(
      "\"driver\":\"paper_slab\",\"schedule\":\"%s\",\"n\":%lld,\"precision\":\"%s\",\"gpus\":%d,\"pair_ms\":%.4f%s,"
      "\"tflops\":%.3f,\"field_error\":%.2e,\"spectrum_error\":%.2e",
      schedule.c_str(), run.n, run.wide ? "double" : "single", run.gpus, total, parts.c_str(),
      10 * points(run) * std::log2(points(run)) / total * 1e-9, o.field_error, o.spectrum_error);
}

void run_all(const Settings& s) {
  int there = 0;
  CHECK(cudaGetDeviceCount(&there));
  for (const auto& size : words(s.sizes))
    for (const auto& precision : words(s.precisions))
      for (const auto& gpus : words(s.gpus))
        for (const auto& schedule : words(s.schedules)) {
          const Run run{std::atoll(size.c_str()), std::atoi(gpus.c_str()), precision == "double", s.repeats};
          if (run.gpus < 1 || run.gpus > there || run.n < 13 || run.n % run.gpus != 0) {
            bench::line("\"driver\":\"paper_slab\",\"n\":%lld,\"gpus\":%d,\"skipped\":\"GPUs, or a size they divide\"",
                        run.n, run.gpus);
            continue;
          }
          std::unique_ptr<Subject> subject;
          if (schedule == "fused") subject = std::make_unique<Fused>(run);
          if (schedule == "paper") subject = std::make_unique<Staged>(run);
          if (schedule == "cufft") subject = std::make_unique<Cufft>(run);
          if (subject) report(run, schedule, measure(run, *subject));
        }
}

}  // namespace

int main(int argc, char** argv) {
  Settings s;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "-gpus")
      s.gpus = value;
    else if (name == "-sizes")
      s.sizes = value;
    else if (name == "-precisions")
      s.precisions = value;
    else if (name == "-schedules")
      s.schedules = value;
    else if (name == "-repeats")
      s.repeats = std::atoi(value.c_str());
    else
      return std::printf("unknown option %s\n", name.c_str()), 2;
  }
  try {
    run_all(s);
  } catch (const std::exception& e) {
    bench::line("\"driver\":\"paper_slab\",\"error\":\"%s\"", e.what());
    return 1;
  }
}
