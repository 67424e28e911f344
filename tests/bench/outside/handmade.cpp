// An adapter that lies outside bench/: the whole array on every rank, transformed by the sum of the definition along
// each axis. Complex numbers in double precision, out of place.
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "adapter_base.hpp"

namespace shardfft::bench {
namespace {

using Complex = std::complex<double>;

class Handmade : public AdapterBase {
 public:
  Description describe() const override {
    return {.library = "handmade",
            .version = "1",
            .language = "C++",
            .licence = "BSD-3-Clause",
            .backend = "sums",
            .capabilities = {{"kinds", {"c2c"}},
                             {"precisions", {"double"}},
                             {"placements", {"out"}},
                             {"layouts", {"slab"}},
                             {"outputs", {"natural", "any"}}}};
  }
  std::string refuse(const Case& wanted, int ranks) const override {
    if (const std::string why = refuse_by_capabilities(describe(), wanted, ranks); !why.empty()) return why;
    return wanted.points() > 4096 ? "handmade sums are for 4096 points at most" : "";
  }
  void plan(const Case& wanted, MPI_Comm comm) override {
    int ranks = 0, rank = 0;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    shape_ = wanted.shape;
    comm_ = comm;
    scale_ = wanted.scale();
    const std::int64_t plane = shape_[1] * shape_[2];
    counts_.clear();
    firsts_.clear();
    for (int r = 0; r < ranks; ++r) {
      const Range planes = block(shape_[0], ranks, r);
      counts_.push_back(static_cast<int>(2 * planes.count * plane));
      firsts_.push_back(static_cast<int>(2 * planes.lower * plane));
    }
    const Range mine = block(shape_[0], ranks, rank);
    field_part_ = spectrum_part_ = packed_part({mine.lower, 0, 0}, {mine.count, shape_[1], shape_[2]});
    allocate(wanted, field_part_.volume(), spectrum_part_.volume());
  }
  void forward() override { transform(field(), spectrum(), -1); }
  void backward() override { transform(spectrum(), field(), 1); }

 private:
  void transform(const void* in, void* out, double sign) {
    std::vector<Complex> all(static_cast<std::size_t>(shape_[0] * shape_[1] * shape_[2]));
    MPI_Allgatherv(in, static_cast<int>(2 * field_part_.volume()), MPI_DOUBLE, all.data(), counts_.data(),
                   firsts_.data(), MPI_DOUBLE, comm_);
    std::int64_t stride = 1;
    for (int axis = 2; axis >= 0; --axis) {
      sum(all, shape_[static_cast<std::size_t>(axis)], stride, sign);
      stride *= shape_[static_cast<std::size_t>(axis)];
    }
    const auto* const mine = all.data() + field_part_.lower[0] * shape_[1] * shape_[2];
    std::copy_n(mine, field_part_.volume(), static_cast<Complex*>(out));
  }
  static void sum(std::vector<Complex>& all, std::int64_t n, std::int64_t stride, double sign) {
    std::vector<Complex> line(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(all.size()); ++i) {
      if (i / stride % n != 0) continue;
      for (std::int64_t k = 0; k < n; ++k) {
        line[static_cast<std::size_t>(k)] = 0;
        for (std::int64_t j = 0; j < n; ++j)
          line[static_cast<std::size_t>(k)] +=
              all[static_cast<std::size_t>(i + j * stride)] *
              std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
      }
      for (std::int64_t k = 0; k < n; ++k)
        all[static_cast<std::size_t>(i + k * stride)] = line[static_cast<std::size_t>(k)];
    }
  }

  Triple shape_{};
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> counts_, firsts_;
};

}  // namespace

std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Handmade>(); }

}  // namespace shardfft::bench
