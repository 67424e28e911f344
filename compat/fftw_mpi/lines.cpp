#include "lines.hpp"

#include <fftw3.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "shardfft/error.hpp"

namespace shardfft::compat {

namespace {

/// FFTW's serial library in one precision.
template <class Real>
struct Serial;
template <>
struct Serial<double> {
  static constexpr auto make = fftw_plan_guru64_r2r;
  static constexpr auto run = fftw_execute_r2r;
  static constexpr auto end = fftw_destroy_plan;
};
template <>
struct Serial<float> {
  static constexpr auto make = fftwf_plan_guru64_r2r;
  static constexpr auto run = fftwf_execute_r2r;
  static constexpr auto end = fftwf_destroy_plan;
};

struct Dims {
  std::vector<fftw_iodim64> lines;
  std::vector<fftw_iodim64> loops;
  std::int64_t count = 1;
};

/// The strides of the lines of a rank's part in its memory.
Dims dims_of(const LineWork& work, const Cut& cut, bool transposed, int rank) {
  const std::size_t axes = cut.extents.size();
  Shape extent(axes), first(axes), stride(axes);
  cut.part(rank, extent.data(), first.data());
  std::vector<std::size_t> order(axes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (transposed) std::swap(order[0], order[1]);
  Dims dims;
  dims.count = work.howmany;
  for (std::size_t i = axes; i-- > 0;) {
    stride[order[i]] = dims.count;
    dims.count *= extent[order[i]];
  }
  dims.loops.push_back({work.howmany, 1, 1});
  std::vector<bool> is_line(axes);
  for (const int axis : work.axes) {
    const auto a = static_cast<std::size_t>(axis);
    is_line[a] = true;
    dims.lines.push_back({extent[a], stride[a], stride[a]});
  }
  for (std::size_t a = 0; a < axes; ++a)
    if (!is_line[a]) dims.loops.push_back({extent[a], stride[a], stride[a]});
  return dims;
}

template <class Real>
Chain::Step step_of(const LineWork& work, const Dims& dims) {
  std::vector<fftw_r2r_kind> kinds;
  for (const int kind : work.kinds) kinds.push_back(static_cast<fftw_r2r_kind>(kind));
  std::vector<Real> scratch(static_cast<std::size_t>(dims.count));  // the planner may write into its arrays
  auto* const plan =
      Serial<Real>::make(static_cast<int>(dims.lines.size()), dims.lines.data(), static_cast<int>(dims.loops.size()),
                         dims.loops.data(), scratch.data(), scratch.data(), kinds.data(), work.flags | FFTW_UNALIGNED);
  if (!plan) throw Error(Status::backend_failure, "FFTW's serial library makes no plan for the lines of a rank");
  const std::shared_ptr<std::remove_pointer_t<decltype(plan)>> owned(plan, Serial<Real>::end);
  const std::size_t bytes = scratch.size() * sizeof(Real);
  return [owned, bytes](const void* in, void* out) {
    if (in != out) std::memcpy(out, in, bytes);
    Serial<Real>::run(owned.get(), static_cast<Real*>(out), static_cast<Real*>(out));
  };
}

}  // namespace

Chain::Step serial_lines(const LineWork& work, const Cut& cut, bool transposed, int rank) {
  const Dims dims = dims_of(work, cut, transposed, rank);
  if (dims.count == 0) return [](const void*, void*) {};
  return work.precision == Precision::f64 ? step_of<double>(work, dims) : step_of<float>(work, dims);
}

}  // namespace shardfft::compat
