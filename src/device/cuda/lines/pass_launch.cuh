#pragma once
// From a Pass to a kernel launch.
#include <algorithm>

#include "base/check.hpp"
#include "device/cuda/lines/pass_kernel.cuh"

namespace shardfft::device::lines {

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) fail(Status::backend_failure, what, ": ", cudaGetErrorString(status));
}

template <class Cut, class T>
KernelOutput kernel_output(const Side& side) {
  constexpr int lines = Traits<T>::lines;
  require(side.block >= Cut::N || side.block % Cut::team == 0, "lines of ", Cut::N, " points are shared by ", Cut::team,
          " threads: blocks of ", side.block, " points an owner do not fit");
  KernelOutput k{};
  const Part& near = side.part[0];
  const Part* far = &near;
  for (int i = 0; i < Cut::E; ++i) {
    const int owner = i * Cut::team / side.block, inside = i * Cut::team % side.block;
    require(owner < max_owners, "more than ", max_owners, " owners of a line");
    const Part& part = side.part[static_cast<std::size_t>(owner)];
    const auto same = [&](const Part& other) {
      return part.line_stride == other.line_stride && part.outer_stride == other.outer_stride;
    };
    if (!same(near)) {
      require(far == &near || same(*far), "a line's owners have more than two shapes");
      far = &part;
      k.far |= 1u << i;
    }
    k.point[i] = static_cast<double2*>(part.base) + inside * part.line_stride / lines;
  }
  constexpr std::int64_t halves = 2 / lines;  // of a number, in units of 8 bytes
  k.line_stride[0] = near.line_stride / lines;
  k.line_stride[1] = far->line_stride / lines;
  k.columns = static_cast<unsigned>(std::min(side.columns * halves, std::int64_t{1} << 31));
  k.outer_stride[0] = near.outer_stride * halves;
  k.outer_stride[1] = far->outer_stride * halves;
  return k;
}

/// Tensor map over (2 doubles a 16-byte unit of m, points of one owner, outer); fails where the driver refuses.
CUtensorMap make_map(void* base, const std::uint64_t (&extent)[3], const std::uint64_t (&stride_bytes)[2],
                     const std::uint32_t (&box)[2]);

/// `Pitch`: units of 16 bytes in a row of a tile.
template <class Cut, class T, int Pitch>
KernelInput kernel_input(const Pass& pass) {
  constexpr int lines = Traits<T>::lines;
  const int block = std::min(pass.in.block, Cut::N);
  KernelInput k{};
  k.rows = std::min(block, 256);
  while (block % k.rows != 0) --k.rows;
  k.boxes_per_owner = block / k.rows;
  require(Cut::N % block == 0 && Cut::N / block <= max_maps, "blocks of ", block,
          " points an owner do not fit lines of ", Cut::N);
  require(k.rows * Pitch % 8 == 0, "blocks of ", block, " points an owner are no boxes of bulk tensor copies");
  const bool pairs = has_odd_rows(pass.in, pass.precision);
  if (pairs) {
    k.second = static_cast<int>(pass.in.part[0].outer_stride);
    k.outer_shift = 1;
  }
  for (int q = 0; q < Cut::N / block; ++q) {
    const Part& part = pass.in.part[static_cast<std::size_t>(q)];
    const std::int64_t rows = pairs ? pass.outer_end / 2 : pass.outer_end, in_map = pairs ? 2 : 1;
    const std::int64_t columns = std::min(pass.m_end, pass.in.columns) * 2 / lines;
    k.owner[q] = make_map(part.base,
                          {static_cast<std::uint64_t>(k.second + columns), static_cast<std::uint64_t>(block),
                           static_cast<std::uint64_t>(rows)},
                          {static_cast<std::uint64_t>(part.line_stride / lines * 16),
                           static_cast<std::uint64_t>(in_map * part.outer_stride * 16 / lines)},
                          {2 * Pitch, static_cast<std::uint32_t>(k.rows)});
  }
  return k;
}

/// In units of 8 bytes: what bundles must begin at multiples of in memory, since those of a row begin elsewhere.
template <class T>
unsigned alignment(const Pass& pass, int width) {
  const bool whole = pass.out.block >= pass.n && pass.out.part[0].line_stride * 2 / Traits<T>::lines % (2 * width) == 0;
  if (pass.align_stores && whole) return static_cast<unsigned>(2 * width);
  return has_odd_rows(pass.out, pass.precision) ? 2 : 1;
}

/// A persistent grid: as many clusters as the device holds at once (not every multiprocessor can be in a large one).
template <class Kernel>
class Grid {
 public:
  Grid(Kernel kernel, int threads, int shared_bytes, void* stream) : kernel_(kernel) {
    config_.blockDim = dim3(static_cast<unsigned>(threads));
    config_.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
    config_.stream = static_cast<cudaStream_t>(stream);
    config_.attrs = &attribute_;
    config_.numAttrs = 1;
  }
  /// `tiles`: no more blocks than that.
  template <class Argument>
  void launch(const Argument& pass, unsigned tiles, int cluster, int most_blocks) {
    attribute_.id = cudaLaunchAttributeClusterDimension;
    attribute_.val.clusterDim.x = static_cast<unsigned>(cluster);
    attribute_.val.clusterDim.y = attribute_.val.clusterDim.z = 1;
    config_.gridDim = dim3(static_cast<unsigned>(cluster));
    int clusters = 0;
    check(cudaOccupancyMaxActiveClusters(&clusters, kernel_, &config_), "cudaOccupancyMaxActiveClusters");
    if (most_blocks > 0) clusters = std::min(clusters, std::max(1, most_blocks / cluster));
    clusters = std::min(clusters, static_cast<int>(tiles) / cluster);
    config_.gridDim = dim3(static_cast<unsigned>(clusters * cluster));
    check(cudaLaunchKernelEx(&config_, kernel_, pass), "launch of a line pass");
  }

 private:
  Kernel kernel_;
  cudaLaunchConfig_t config_{};
  cudaLaunchAttribute attribute_{};
};

template <class Cut, class T, int Width, int Resident, int Cluster, bool Backward, bool Odd>
void launch(const Pass& pass, const void* table, void* stream) {
  constexpr int lines = Traits<T>::lines;
  using Shape = TileShape<Cut, Width, Odd>;
  const auto kernel = pass_kernel<Cut, T, Width, Resident, Backward, Odd>;
  constexpr int shared_bytes = Shape::bytes(sizeof(typename Traits<T>::Factor));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "cudaFuncSetAttribute");
  KernelPass k{};
  k.in = kernel_input<Cut, T, Shape::pitch>(pass);
  k.out = kernel_output<Cut, T>(pass.out);
  k.table = table;
  k.tiles_in_row = static_cast<unsigned>((pass.m_end - pass.m_begin) / (lines * Width));
  k.skew_mask = alignment<T>(pass, Width) - 1;
  k.skew = static_cast<unsigned>(pass.out.part[0].outer_stride * 2 / lines) & k.skew_mask;
  // What the last bundle leaves of a row when it begins earlier.
  if (k.skew != 0 && pass.m_end >= pass.out.columns && pass.m_end < pass.out.columns + lines * Width) ++k.tiles_in_row;
  k.tiles = static_cast<unsigned>(pass.outer_end - pass.outer_begin) * k.tiles_in_row;
  k.outer_begin = static_cast<unsigned>(pass.outer_begin);
  k.m_begin = static_cast<unsigned>(pass.m_begin / lines);
  k.scale = pass.scale;
  if (k.tiles == 0) return;
  Grid<decltype(kernel)> grid(kernel, Shape::threads, shared_bytes, stream);
  grid.launch(k, k.tiles, k.tiles % Cluster == 0 ? Cluster : 1, pass.blocks);
}

using Launch = void (*)(const Pass&, const void* table, void* stream);

struct Kernels {
  int shared_bytes = 0;
  Launch forward = nullptr, backward = nullptr;
};

/// Kernels for lines of n points and the radices their twiddle table is made for.
struct Variant {
  int n, team;
  int radix[3];
  Kernels whole, odd;  ///< for rows of whole units of 16 bytes; for odd rows, none where shared memory is too small
};

/// What a block of Hopper may have, but for what kernels declare themselves.
inline constexpr int most_shared_bytes = 227 * 1024 - 1024;

template <class Cut, class T, int Width, int Resident, int Cluster, bool Odd>
constexpr Kernels kernels() {
  constexpr int shared_bytes = TileShape<Cut, Width, Odd>::bytes(sizeof(typename Traits<T>::Factor));
  if constexpr (Odd && (Traits<T>::lines == 1 || shared_bytes > most_shared_bytes)) {
    return {};
  } else {
    static_assert(shared_bytes <= most_shared_bytes);
    return {shared_bytes, launch<Cut, T, Width, Resident, Cluster, false, Odd>,
            launch<Cut, T, Width, Resident, Cluster, true, Odd>};
  }
}

template <class Cut, class T, int Width, int Resident, int Cluster>
constexpr Variant variant() {
  return {Cut::N,
          Cut::team,
          {Cut::radix0, Cut::radix1, Cut::radix2},
          kernels<Cut, T, Width, Resident, Cluster, false>(),
          kernels<Cut, T, Width, Resident, Cluster, true>()};
}

/// Variants of a precision, one a size; null when there is none.
const Variant* find_f64(int n);
const Variant* find_f32(int n);

}  // namespace shardfft::device::lines
