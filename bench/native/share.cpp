// bench-share CASE [RECORD]: the transforms alone, without any exchange: planes and then lines of a rank's largest
// share, by this library's plans in every rank alone, all ranks at once. They are no lower bound: lines that are read
// where an exchange left them may be faster.
#include <cmath>
#include <optional>
#include <random>

#include "../adapters/shardfft_case.hpp"
#include "clock.hpp"
#include "probe.hpp"

namespace {

using namespace shardfft::bench;
using shardfft::Buffer;
using shardfft::Kind;
using shardfft::Plan;
using shardfft::Shape;

/// A plan of this rank alone.
class Alone {
 public:
  Alone(const Case& wanted, Kind kind, const Shape& shape, std::vector<int> axes) : single_(wanted.single()) {
    shardfft::Options options = options_of(wanted);
    options.axes = std::move(axes);
    options.grid.clear();
    plan_.emplace(MPI_COMM_SELF, shardfft::Transform{kind, transform_of(wanted).precision},
                  shardfft::Layout::slab(shape, 1, 0), shardfft::default_output, options);
    numbers_ = (kind == Kind::c2c ? 2 : 1) * part_of(plan_->input().layout, 0).span();
    for (const int axis : options.axes) scale_ *= static_cast<double>(shape[static_cast<std::size_t>(axis)]);
  }

  Plan& plan() { return *plan_; }
  void fill(void* field) const { single_ ? fill_as<float>(field) : fill_as<double>(field); }
  /// Of a pair, the largest, where the largest value is 1.
  double error(void* field, void* spectrum) {
    fill(field);
    plan_->forward(field, spectrum);
    plan_->backward(spectrum, field);
    return single_ ? error_of<float>(field) : error_of<double>(field);
  }

 private:
  template <class Real>
  void fill_as(void* field) const {
    visit<Real>(field, [](Real& value, double expected) { value = static_cast<Real>(expected); });
  }
  template <class Real>
  double error_of(void* field) const {
    double worst = 0;
    visit<Real>(field, [&](Real& value, double expected) {
      worst = larger_error(worst, std::abs(static_cast<double>(value) / scale_ - expected));
    });
    return worst;
  }
  template <class Real, class Visit>
  void visit(void* field, const Visit& visit) const {
    std::minstd_rand random(1);
    std::uniform_real_distribution<float> value(-1, 1);
    auto* numbers = static_cast<Real*>(field);
    for (std::int64_t i = 0; i < numbers_; ++i) visit(numbers[i], value(random));
  }

  bool single_;
  std::optional<Plan> plan_;
  std::int64_t numbers_ = 0;  ///< real ones, of the field
  double scale_ = 1;
};

Buffer larger(Buffer a, Buffer b) { return a.bytes() < b.bytes() ? b : a; }

std::int64_t share(std::int64_t count, int ranks) { return (count + ranks - 1) / ranks; }

Json measured(const Case& wanted, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const auto [n0, n1, n2] = wanted.shape;
  const double start = MPI_Wtime();
  Alone planes(wanted, transform_of(wanted).kind, {share(n0, ranks), n1, n2}, {1, 2});
  Alone lines(wanted, Kind::c2c, {share(n1 * wanted.spectrum()[2], ranks), n0}, {1});
  const double planned = MPI_Wtime() - start;
  const Buffer field = planes.plan().allocate_input(), spectrum = lines.plan().allocate_output();
  const Buffer between = larger(planes.plan().allocate_output(), lines.plan().allocate_input());
  const auto error = [&] {
    double worst = std::max(planes.error(field.data(), between.data()), lines.error(between.data(), spectrum.data()));
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    return worst;
  };
  const double before = error(), allowed = wanted.single() ? 1e-4 : 1e-12;
  const Timing timing = measure(
      comm, wanted.warmups, wanted.repeats, wanted.seconds, [&] { planes.fill(field.data()); },
      [&] {
        planes.plan().forward(field.data(), between.data());
        lines.plan().forward(between.data(), spectrum.data());
        lines.plan().backward(spectrum.data(), between.data());
        planes.plan().backward(between.data(), field.data());
      });
  const double after = error();
  const bool right = std::max(before, after) <= allowed;
  Json record{{"status", right ? "ok" : "wrong"}, {"plan_seconds", planned}, {"flop", 0}};
  record["error"] = {{"after_timing", {{"max", after}, {"l2", after}}},  // no l2 is more than the largest
                     {"tolerance", {{"max", allowed}, {"l2", allowed}}}};
  if (right) record["samples"] = timing.samples;
  if (!right) record["reason"] = "the numbers that came back are not those that were sent";
  return record;
}

}  // namespace

int main(int argc, char** argv) {
  return probe_main(argc, argv,
                    {.library = "share",
                     .version = SHARDFFT_BENCH_VERSION,
                     .language = "C++",
                     .licence = "BSD-3-Clause",
                     .options = plan_options(shardfft::Place::cpu),
                     .threads = MPI_THREAD_FUNNELED,
                     .measure = measured});
}
