// bench-transposition CASE [RECORD]: what memory gives, on all ranks at once, each with an array of the case's shape of
// its own: DAXPY over it (2 reads, 1 write a number), and its transposition into another order of the axes (1 read, 1
// write).
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <shardfft/shardfft.hpp>
#include <stdexcept>

#include "clock.hpp"
#include "probe.hpp"

namespace {

using namespace shardfft::bench;
using shardfft::Layout;
using shardfft::Redistribution;
using shardfft::Shape;

const char* const patterns[] = {"daxpy", "yxz", "xzy", "zyx"};

// The axes from slowest to fastest that a pattern's name lists.
std::vector<int> order_of(const std::string& pattern) {
  std::vector<int> order;
  for (const char axis : pattern) order.push_back(axis - 'x');
  return order;
}

// Complex numbers that count up, so that a wrong place is seen.
class Memory {
 public:
  Memory(const std::string& pattern, const Shape& shape)
      : shape_(shape), in_(std::size_t(2 * shape[0] * shape[1] * shape[2])), out_(in_.size(), 1.0) {
    std::iota(in_.begin(), in_.end(), 0.0);
    if (pattern == "daxpy") return;
    order_ = order_of(pattern);
    plan_.emplace(MPI_COMM_SELF, Layout::slab(shape, 1, 0), Layout::slab(shape, 1, 0, order_), 2 * sizeof(double));
  }

  void run() {
    if (plan_)
      plan_->forward(static_cast<const void*>(in_.data()), static_cast<void*>(out_.data()));
    else
      for (std::size_t i = 0; i < in_.size(); ++i) out_[i] += 0.5 * in_[i];
  }

  std::int64_t bytes() const { return std::int64_t(sizeof(double) * in_.size()) * (plan_ ? 2 : 3); }

  // After `runs` calls of run().
  bool right(int runs) const {
    if (!plan_) return out_.back() == 1 + 0.5 * runs * in_.back();
    std::array<std::int64_t, 3> stride{}, last{shape_[0] - 1, shape_[1] / 2, shape_[2] / 3};
    std::int64_t step = 1;
    for (int place = 2; place >= 0; --place) {
      stride[std::size_t(order_[std::size_t(place)])] = step;
      step *= shape_[std::size_t(order_[std::size_t(place)])];
    }
    const auto from = (last[0] * shape_[1] + last[1]) * shape_[2] + last[2];
    const auto to = last[0] * stride[0] + last[1] * stride[1] + last[2] * stride[2];
    return out_[std::size_t(2 * to)] == in_[std::size_t(2 * from)];
  }

 private:
  Shape shape_;
  std::vector<double> in_, out_;
  std::vector<int> order_;
  std::optional<Redistribution> plan_;
};

Json measured(const Case& wanted, MPI_Comm comm) {
  const std::string pattern = wanted.options.value("pattern", "daxpy");
  if (std::find(std::begin(patterns), std::end(patterns), pattern) == std::end(patterns))
    throw CaseError("case: option 'pattern' is '" + pattern + "', which is unknown");
  const double start = MPI_Wtime();
  Memory memory(pattern, Shape(wanted.shape.begin(), wanted.shape.end()));
  const double planned = MPI_Wtime() - start;
  const Timing timing = measure(
      comm, wanted.warmups, wanted.repeats, wanted.seconds, [] {}, [&] { memory.run(); });
  int runs = wanted.warmups + int(timing.samples.size());
  MPI_Bcast(&runs, 1, MPI_INT, 0, comm);
  int good = memory.right(runs);
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, comm);
  Json record{{"status", good ? "ok" : "wrong"}, {"plan_seconds", planned}, {"flop", 0}};
  record["traffic"] = {{"pattern", pattern}, {"bytes_of_a_rank", memory.bytes()}};
  record["error"] = {{"after_timing", {{"max", 0.0}, {"l2", 0.0}}}};
  if (good) record["samples"] = timing.samples;
  if (!good) record["reason"] = "the numbers are not where they belong";
  return record;
}

}  // namespace

int main(int argc, char** argv) {
  return probe_main(argc, argv,
                    {.library = "transposition",
                     .version = SHARDFFT_BENCH_VERSION,
                     .language = "C++",
                     .licence = "BSD-3-Clause",
                     .options = {{"pattern", patterns}},
                     .threads = MPI_THREAD_FUNNELED,
                     .measure = measured});
}
