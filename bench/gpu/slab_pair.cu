// Forward + backward pair of a slab transform over the GPUs of one process, with cuFFTXt beside it in the same run.
// Checked against a cuFFT 3-D transform on one GPU (where it fits) and by the round trip, on fresh random data.
//   slab_pair [-gpus 2] [-types Z2Z,C2C,D2Z,R2C] [-chunks n] [-parts 0.6,0.4] [-fused 1] [-planes 1] [-stores 0]
//             [-paired 0|1] [-padded 1] [-dense 0] [-xt 1] [-check 1] [-graph 0] [-energy 0] [-trace 0]
//             [-repeats 10] [-checks 0] n|nx,ny,nz ...
// -checks k: k more forward transforms of one field, each compared bit by bit with the first one.
// -dense 1: spectra of real transforms have dense z lines, as plans have them; the padded ones lie in other memory.
// -trace 1: one more line, the times of every piece of one more pair; overlap.py draws it.
#include <memory>
#include <optional>
#include <sstream>

#include "common.cuh"
#include "energy_meter.cuh"
#include "gpu/slab/slab_group.hpp"
#include "sameness.cuh"
#include "slab_rivals.cuh"
#include "slab_trace.cuh"

using namespace shardfft;
using shardfft::gpu::SlabGroup;
using shardfft::gpu::SlabShape;

namespace {

struct Settings {
  int gpus = 2, chunks = 0, repeats = 10, checks = 0;
  std::string types = "Z2Z,C2C";
  std::vector<double> parts;
  std::optional<bool> paired;
  bool padded = true, fused = true, planes = true, xt = true, check = true, graph = false, energy = false,
       trace = false, stores = false, dense = false;
};

std::vector<double> numbers(const std::string& text) {
  std::vector<double> v;
  std::stringstream in(text);
  for (std::string item; std::getline(in, item, ',');) v.push_back(std::atof(item.c_str()));
  return v;
}

class Case {
 public:
  Case(const Settings& settings, const SlabShape& shape, const std::string& type)
      : settings_(settings), shape_(shape), type_(type), arrays_(static_cast<std::size_t>(shape.ranks)) {
    gpu::SlabOptions options;
    options.chunks = settings.chunks;
    options.parts = settings.parts;
    options.fused = settings.fused;
    options.planes = settings.planes;
    options.stores = settings.stores;
    options.paired = settings.paired;
    if (settings.energy) options.backward_scale = 1 / points();  // a second of pairs must not overflow
    if (settings.trace) options.observer = &trace_;
    std::vector<int> devices;
    for (int r = 0; r < shape.ranks; ++r) devices.push_back(r);
    group_ = std::make_unique<SlabGroup>(shape, options, devices);
    for (int r = 0; r < shape.ranks; ++r) {
      CHECK(cudaSetDevice(r));
      auto& a = arrays_[static_cast<std::size_t>(r)];
      memory_.push_back(device::make_memory(shape.field_bytes(r)));
      a.field = a.planes = memory_.back().get();
      if (shape.transform.kind == Kind::r2c) {
        memory_.push_back(device::make_memory(shape.planes_bytes(r)));
        a.planes = memory_.back().get();
      }
      memory_.push_back(device::make_memory(shape.spectrum_bytes(r)));
      a.spectrum = memory_.back().get();
      if (shape.dense_spectrum) {
        memory_.push_back(device::make_memory(shape.rows_bytes(r)));
        a.rows = memory_.back().get();
      }
      streams_owned_.push_back(device::make_stream());
      streams_.push_back(streams_owned_.back().get());
    }
    group_->bind(arrays_);
  }

  void run() {
    const double error = settings_.check ? spectrum_error() : -1;
    const auto both = [&] {
      group_->forward(streams_);
      group_->backward(streams_);
    };
    double round_trip = pair_error(both);
    const double pair = time_pair(both);
    const double forward = time_pair([&] { group_->forward(streams_); });
    double graph_ms = -1;
    if (settings_.graph) {
      const device::Graph graph = group_->capture(streams_, both);
      const auto replay = [&] {
        CHECK(cudaSetDevice(0));
        device::launch(graph.get(), streams_[0]);
      };
      round_trip = std::max(round_trip, pair_error(replay));
      graph_ms = time_pair(replay);
    }
    report(pair, forward, graph_ms, error, round_trip, settings_.energy ? energy_per_pair() : -1);
    if (settings_.trace) print_trace(both);
    if (settings_.checks > 0) check_again();
  }

 private:
  bool wide() const { return shape_.transform.precision == Precision::f64; }
  std::size_t field_reals(int r) const { return shape_.field_bytes(r) / (wide() ? 8 : 4); }
  std::uint64_t first_real(int r) const {
    return static_cast<std::uint64_t>(shape_.x_begin(r) * shape_.ny * shape_.nz) *
           (shape_.transform.kind == Kind::c2c ? 2 : 1);
  }
  void fill(void* a, std::size_t count, std::uint64_t first, std::uint64_t seed) {
    wide() ? bench::fill<double>(a, count, first, seed) : bench::fill<float>(a, count, first, seed);
  }
  void refill(std::uint64_t seed) {
    for (int r = 0; r < shape_.ranks; ++r) {
      CHECK(cudaSetDevice(r));
      fill(arrays_[static_cast<std::size_t>(r)].field, field_reals(r), first_real(r), seed);
    }
    bench::synchronize_all(shape_.ranks);
  }
  template <class Body>
  double time_pair(Body body) {
    return bench::time_all(
        shape_.ranks, 3, settings_.repeats, [&] { refill(++seed_); }, body);
  }

  /// Of the field after body(), a forward and backward pair.
  template <class Body>
  double pair_error(Body body) {
    refill(++seed_);
    body();
    bench::synchronize_all(shape_.ranks);
    const double scale = scales() ? 1 : 1 / points();
    double total[2] = {0, 0};
    for (int r = 0; r < shape_.ranks; ++r) {
      if (field_reals(r) == 0) continue;
      CHECK(cudaSetDevice(r));
      bench::Norms norms;
      void* field = arrays_[static_cast<std::size_t>(r)].field;
      if (wide())
        bench::field_error_kernel<<<1024, 256>>>(static_cast<double*>(field), field_reals(r), first_real(r), seed_,
                                                 scale, norms.device());
      else
        bench::field_error_kernel<<<1024, 256>>>(static_cast<float*>(field), field_reals(r), first_real(r), seed_,
                                                 scale, norms.device());
      CHECK(cudaGetLastError());
      norms.add_to(total);
    }
    return bench::relative(total);
  }

  /// Against cuFFT 3-D of the whole field on GPU 0; -1 where that does not fit.
  double spectrum_error() {
    for (int r = 0; r < shape_.ranks; ++r) {
      CHECK(cudaSetDevice(r));
      if (shape_.spectrum_bytes(r) > 0)
        CHECK(cudaMemset(arrays_[static_cast<std::size_t>(r)].spectrum, 0xff, shape_.spectrum_bytes(r)));
    }
    refill(++seed_);
    group_->forward(streams_);
    bench::synchronize_all(shape_.ranks);
    CHECK(cudaSetDevice(0));
    const auto reals =
        static_cast<std::size_t>(shape_.nx * shape_.ny * shape_.nz) * (shape_.transform.kind == Kind::c2c ? 2 : 1);
    const std::size_t bytes = shape_.complex_bytes() * static_cast<std::size_t>(shape_.nx * shape_.ny * shape_.nzc());
    std::size_t room = 0, all = 0;
    CHECK(cudaMemGetInfo(&room, &all));
    if (room < 3 * bytes) return -1;
    const device::Memory field = device::make_memory(reals * (wide() ? 8 : 4)), spectrum = device::make_memory(bytes);
    fill(field.get(), reals, 0, seed_);
    device::VendorFftSpec spec;
    spec.kind = shape_.transform.kind;
    spec.precision = shape_.transform.precision;
    spec.extents = {shape_.nx, shape_.ny, shape_.nz};
    device::VendorFft(spec).execute(field.get(), spectrum.get(), Direction::forward, nullptr);
    CHECK(cudaDeviceSynchronize());
    return compare(spectrum.get());
  }
  double compare(const void* reference) {
    double total[2] = {0, 0};
    const auto row = static_cast<std::size_t>(2 * shape_.nzc()),
               pitch = static_cast<std::size_t>(2 * shape_.spectrum_pitch());
    for (int r = 0; r < shape_.ranks; ++r) {
      const std::size_t run = static_cast<std::size_t>(shape_.y_count(r)) * row,
                        stride = static_cast<std::size_t>(shape_.ny) * row;
      const std::size_t count = run * static_cast<std::size_t>(shape_.nx),
                        first = static_cast<std::size_t>(shape_.y_begin(r)) * row;
      if (count == 0) continue;
      bench::Norms norms;
      const void* mine = arrays_[static_cast<std::size_t>(r)].spectrum;
      if (wide())
        bench::difference_kernel<<<1024, 256>>>(static_cast<const double*>(mine), row, pitch,
                                                static_cast<const double*>(reference) + first, count, run, stride,
                                                norms.device());
      else
        bench::difference_kernel<<<1024, 256>>>(static_cast<const float*>(mine), row, pitch,
                                                static_cast<const float*>(reference) + first, count, run, stride,
                                                norms.device());
      CHECK(cudaGetLastError());
      norms.add_to(total);
    }
    return bench::relative(total);
  }

  double points() const { return static_cast<double>(shape_.nx) * static_cast<double>(shape_.ny * shape_.nz); }
  /// Pairs give back what they were given.
  bool scales() { return settings_.energy && group_->rank(0).fused_x(); }

  /// -1 where pairs do not scale: with numbers that overflow GPUs take less.
  double energy_per_pair() {
    if (!scales()) return -1;
    const bench::EnergyMeter meter(shape_.ranks);
    refill(++seed_);
    const double before = meter.millijoules(), begin = bench::milliseconds();
    int pairs = 0;
    for (; bench::milliseconds() - begin < 1000; ++pairs) {
      group_->forward(streams_);
      group_->backward(streams_);
      bench::synchronize_all(shape_.ranks);
    }
    return (meter.millijoules() - before) * 1e-3 / pairs;
  }

  /// Spectra are poisoned before every transform.
  void check_again() {
    std::vector<std::unique_ptr<bench::Sameness>> spectra;
    const std::uint64_t seed = ++seed_;
    int wrong = 0;
    for (int k = 0; k <= settings_.checks; ++k) {
      for (int r = 0; r < shape_.ranks; ++r) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaMemset(arrays_[static_cast<std::size_t>(r)].spectrum, 0xff, shape_.spectrum_bytes(r)));
        if (shape_.real())  // y lines transform the padding, too
          CHECK(cudaMemset(arrays_[static_cast<std::size_t>(r)].planes, 0, shape_.planes_bytes(r)));
      }
      refill(seed);
      group_->forward(streams_);
      bench::synchronize_all(shape_.ranks);
      for (int r = 0; r < shape_.ranks; ++r) {
        CHECK(cudaSetDevice(r));
        if (k == 0) {
          spectra.push_back(std::make_unique<bench::Sameness>(arrays_[static_cast<std::size_t>(r)].spectrum,
                                                              shape_.spectrum_bytes(r)));
          spectra.back()->keep();
        } else if (!spectra[static_cast<std::size_t>(r)]->holds("slab_pair", k, r)) {
          ++wrong;
        }
      }
    }
    bench::line(
        "\"driver\":\"slab_pair\",\"what\":\"same again\",\"n\":%lld,\"type\":\"%s\",\"stores\":%d,"
        "\"checks\":%d,\"wrong\":%d",
        (long long)shape_.nx, type_.c_str(), settings_.stores, settings_.checks, wrong);
  }

  template <class Body>
  void print_trace(Body body) {
    refill(++seed_);
    trace_.start(shape_.ranks);
    body();
    bench::synchronize_all(shape_.ranks);
    std::string text;
    for (const bench::Piece& p : trace_.pieces()) {
      char piece[128];
      std::snprintf(piece, sizeof piece, "%s[\"%s\",%d,%d,%.4f,%.4f]", text.empty() ? "" : ",", p.what.c_str(),
                    p.device, p.stream, p.begin_ms, p.end_ms);
      text += piece;
    }
    bench::line("\"driver\":\"slab_pair\",\"shape\":[%lld,%lld,%lld],\"type\":\"%s\",\"gpus\":%d,\"trace\":[%s]",
                (long long)shape_.nx, (long long)shape_.ny, (long long)shape_.nz, type_.c_str(), shape_.ranks,
                text.c_str());
  }

  void report(double pair, double forward, double graph, double error, double round_trip, double joules) {
    const double sent = static_cast<double>(shape_.complex_bytes()) *
                        static_cast<double>(shape_.nx * shape_.ny * shape_.nzc()) * (shape_.ranks - 1) / shape_.ranks /
                        shape_.ranks;
    const double link_floor = 2 * sent / 390e6;
    bench::line(
        "\"driver\":\"slab_pair\",\"library\":\"shardfft\",\"shape\":[%lld,%lld,%lld],\"type\":\"%s\",\"gpus\":%d,"
        "\"dense\":%d,\"chunks\":%d,\"parts\":%d,\"fused_y\":%d,\"fused_x\":%d,\"planes\":%d,"
        "\"stores\":%d,\"pair_ms\":%.3f,\"forward_ms\":%.3f,\"graph_pair_ms\":%.3f,"
        "\"link_floor_ms\":%.3f,\"link_share\":%.3f,\"tflops\":%.2f,\"error\":%.2e,\"round_trip\":%.2e,\"joules_pair\":"
        "%.2f",
        (long long)shape_.nx, (long long)shape_.ny, (long long)shape_.nz, type_.c_str(), shape_.ranks,
        shape_.dense_spectrum, group_->rank(0).chunks(0), group_->rank(0).parts(), group_->rank(0).fused_y(),
        group_->rank(0).fused_x(), group_->rank(0).fused_planes(), group_->rank(0).stores(), pair, forward, graph,
        link_floor, link_floor / pair, 10 * points() * std::log2(points()) / pair * 1e-9, error, round_trip, joules);
  }

  Settings settings_;
  SlabShape shape_;
  std::string type_;
  bench::SlabTrace trace_;
  std::unique_ptr<SlabGroup> group_;
  std::vector<gpu::SlabArrays> arrays_;
  std::vector<device::Memory> memory_;
  std::vector<device::Stream> streams_owned_;
  std::vector<void*> streams_;
  std::uint64_t seed_ = 1;
};

void run_shape(const Settings& s, const std::string& text) {
  std::vector<double> n = numbers(text);
  if (n.size() == 1) n = {n[0], n[0], n[0]};
  std::stringstream types(s.types);
  for (std::string type; std::getline(types, type, ',');) {
    SlabShape shape;
    const bool wide = type == "Z2Z" || type == "D2Z";
    shape.transform = {type == "Z2Z" || type == "C2C" ? Kind::c2c : Kind::r2c, wide ? Precision::f64 : Precision::f32};
    shape.nx = static_cast<std::int64_t>(n[0]);
    shape.ny = static_cast<std::int64_t>(n[1]);
    shape.nz = static_cast<std::int64_t>(n[2]);
    shape.ranks = s.gpus;
    shape.padded = s.padded;
    shape.dense_spectrum = s.dense && shape.real();
    if (s.xt && shape.transform.kind == Kind::c2c && s.gpus > 1) bench::run_xt(s.repeats, shape, type);
    if (s.xt && shape.transform.kind == Kind::c2c && s.gpus == 1) bench::run_cufft(s.repeats, shape, type);
    Case(s, shape, type).run();
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings s;
  try {
    for (int i = 1; i < argc; ++i) {
      const std::string name = argv[i];
      if (name[0] != '-') {
        run_shape(s, name);
        continue;
      }
      const std::string value = ++i < argc ? argv[i] : "";
      if (name == "-gpus")
        s.gpus = std::atoi(value.c_str());
      else if (name == "-types")
        s.types = value;
      else if (name == "-chunks")
        s.chunks = std::atoi(value.c_str());
      else if (name == "-paired")
        s.paired = value == "1";
      else if (name == "-parts")
        s.parts = numbers(value);
      else if (name == "-fused")
        s.fused = value == "1";
      else if (name == "-stores")
        s.stores = value == "1";
      else if (name == "-planes")
        s.planes = value == "1";
      else if (name == "-padded")
        s.padded = value == "1";
      else if (name == "-dense")
        s.dense = value == "1";
      else if (name == "-xt")
        s.xt = value == "1";
      else if (name == "-check")
        s.check = value == "1";
      else if (name == "-graph")
        s.graph = value == "1";
      else if (name == "-energy")
        s.energy = value == "1";
      else if (name == "-trace")
        s.trace = value == "1";
      else if (name == "-repeats")
        s.repeats = std::atoi(value.c_str());
      else if (name == "-checks")
        s.checks = std::atoi(value.c_str());
      else
        return std::printf("unknown option %s\n", name.c_str()), 2;
    }
  } catch (const std::exception& e) {
    bench::line("\"error\":\"%s\"", e.what());
    return 1;
  }
}
