// From a Pass to a kernel launch.
#include "device/cuda/lines/launch.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "device/facts.hpp"

namespace shardfft::device::lines {
namespace {

/// Complex numbers in 16 bytes, and units of 8 bytes in a number.
std::int64_t lines_of(Precision precision) { return unit(precision); }
std::int64_t halves_of(Precision precision) { return 2 / unit(precision); }

/// Tensor map over (2 doubles a 16-byte unit of m, points of one owner, outer); fails if the driver refuses. No L2
/// promotion: to bring whole groups of sectors ahead was measured slower (docs/gpu-design.md).
TensorMap make_map(void* base, const std::uint64_t (&extent)[3], const std::uint64_t (&stride_bytes)[2],
                   const std::uint32_t (&box)[2]) {
  CUtensorMap map;
  const std::uint32_t boxes[3] = {box[0], box[1], 1}, steps[3] = {1, 1, 1};
  check(driver().encode_tiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 3, base, extent, stride_bytes, boxes, steps,
                              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "cuTensorMapEncodeTiled");
  TensorMap result;
  static_assert(sizeof result == sizeof map);
  std::memcpy(&result, &map, sizeof map);
  return result;
}

/// Rows of the boxes that fetch `points` points of an owner whose first one is `first`.
int box_rows(const TileCut& tile, int first, int points) {
  const int rows = tile.box_rows_of(first, points);
  require(rows > 0, "blocks of ", points, " points an owner are no boxes of ", tile.step(),
          " rows of bulk tensor copies");
  return rows;
}

/// Bundles must begin at multiples of this in memory, in units of 8 bytes. Rows may begin elsewhere.
unsigned alignment(const Pass& pass, int width) {
  const int bundle = width & -width;  // a power of two
  const bool whole =
      pass.out.block >= pass.n && pass.out.part[0].line_stride * 2 / lines_of(pass.precision) % (2 * bundle) == 0;
  if (pass.align_stores && whole) return static_cast<unsigned>(2 * bundle);
  return has_odd_rows(pass.out, pass.precision) ? 2 : 1;
}

}  // namespace

const Driver& driver() {
  static const Driver all = [] {
    Driver d{};
    d.encode_tiled = driver_function<std::remove_pointer_t<decltype(d.encode_tiled)>>("cuTensorMapEncodeTiled");
    d.load_module = driver_function<std::remove_pointer_t<decltype(d.load_module)>>("cuModuleLoadData");
    d.function_of = driver_function<std::remove_pointer_t<decltype(d.function_of)>>("cuModuleGetFunction");
    d.set_attribute = driver_function<std::remove_pointer_t<decltype(d.set_attribute)>>("cuFuncSetAttribute");
    d.get_attribute = driver_function<std::remove_pointer_t<decltype(d.get_attribute)>>("cuFuncGetAttribute");
    d.most_clusters = driver_function<std::remove_pointer_t<decltype(d.most_clusters)>>("cuOccupancyMaxActiveClusters");
    d.most_blocks =
        driver_function<std::remove_pointer_t<decltype(d.most_blocks)>>("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    d.launch = driver_function<std::remove_pointer_t<decltype(d.launch)>>("cuLaunchKernelEx");
    return d;
  }();
  return all;
}

void check(CUresult status, const char* what) {
  if (status != CUDA_SUCCESS) fail(Status::backend_failure, what, ": ", static_cast<int>(status));
}

Kernel::Kernel(CUfunction function, int threads, int shared_bytes, int cluster)
    : function_(function), threads_(threads), shared_bytes_(shared_bytes), cluster_(cluster) {
  check(driver().set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes),
        "cuFuncSetAttribute");
  if (cluster > 1) {
    CUlaunchAttribute attribute{};
    const CUlaunchConfig config = launch_config(cluster, attribute);
    check(driver().most_clusters(&most_clusters_, function, &config), "cuOccupancyMaxActiveClusters");
  } else {
    check(driver().most_blocks(&most_clusters_, function, threads, static_cast<std::size_t>(shared_bytes)),
          "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    most_clusters_ *= current_facts().multiprocessors;
  }
  require(most_clusters_ > 0, "a line kernel does not fit the device");
}

CUlaunchConfig Kernel::launch_config(int blocks, CUlaunchAttribute& attribute) const {
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {static_cast<unsigned>(cluster_), 1, 1};
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(blocks);
  config.blockDimX = static_cast<unsigned>(threads_);
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(shared_bytes_);
  config.attrs = &attribute;
  config.numAttrs = cluster_ > 1 ? 1 : 0;
  return config;
}

void Kernel::launch(const void* argument, unsigned tiles, int most_blocks, void* stream) const {
  int clusters = most_clusters_;
  if (most_blocks > 0) clusters = std::min(clusters, std::max(1, most_blocks / cluster_));
  clusters = std::min(clusters, (static_cast<int>(tiles) + cluster_ - 1) / cluster_);
  CUlaunchAttribute attribute{};
  CUlaunchConfig config = launch_config(clusters * cluster_, attribute);
  config.hStream = static_cast<CUstream>(stream);
  void* arguments[] = {const_cast<void*>(argument)};
  check(driver().launch(&config, function_, arguments, nullptr), "launch of a line pass");
}

Kernel make_kernel(const void* symbol, int threads, int shared_bytes, int cluster) {
  cudaFunction_t function = nullptr;
  check(cudaGetFuncBySymbol(&function, symbol), "cudaGetFuncBySymbol");
  return {function, threads, shared_bytes, cluster};
}

namespace {

/// The input argument of a kernel for odd rows, whose numbers have 8 bytes.
KernelInput odd_input(const Pass& pass, const TileCut& tile) {
  KernelInput k{};
  k.bytes = static_cast<unsigned>(tile.tile_bytes());
  const Part& part = pass.in.part[0];
  const std::int64_t number = 8, columns = std::min(pass.m_end, pass.in.columns);
  for (const int outer : {0, 1})
    for (const int point : {0, 1}) {
      if (outer >= pass.outer_end) continue;
      const int map = 2 * outer + point;
      const std::int64_t first = point * part.line_stride + outer * part.outer_stride, shift = first % 2;
      k.shifted |= static_cast<unsigned>(shift) << map;
      k.owner[map] =
          make_map(static_cast<char*>(part.base) + (first - shift) * number,
                   {static_cast<std::uint64_t>(columns + shift), static_cast<std::uint64_t>((pass.n + 1 - point) / 2),
                    static_cast<std::uint64_t>((pass.outer_end + 1 - outer) / 2)},
                   {static_cast<std::uint64_t>(2 * part.line_stride * number),
                    static_cast<std::uint64_t>(2 * part.outer_stride * number)},
                   {static_cast<std::uint32_t>(2 * tile.pitch()), static_cast<std::uint32_t>(tile.box_rows())});
    }
  return k;
}

}  // namespace

KernelInput kernel_input(const Pass& pass, const TileCut& tile) {
  if (tile.odd) return odd_input(pass, tile);
  const std::int64_t lines = lines_of(pass.precision);
  KernelInput k{};
  k.owners = owners(pass.in, pass.n);
  const std::int64_t columns = std::min(pass.m_end, pass.in.columns) * 2 / lines;
  for (int q = 0; q < k.owners; ++q) {
    const Part& part = pass.in.part[static_cast<std::size_t>(q)];
    const int first = owner_begin(pass.in, pass.n, q), points = owner_begin(pass.in, pass.n, q + 1) - first;
    k.begin[q] = first;
    k.begin[q + 1] = first + points;
    k.rows[q] = box_rows(tile, first, points);
    k.bytes += static_cast<unsigned>((points + k.rows[q] - 1) / k.rows[q] * k.rows[q] * tile.pitch() * 16);
    k.owner[q] = make_map(part.base,
                          {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(points),
                           static_cast<std::uint64_t>(pass.outer_end)},
                          {static_cast<std::uint64_t>(part.line_stride / lines * 16),
                           static_cast<std::uint64_t>(part.outer_stride / lines * 16)},
                          {static_cast<std::uint32_t>(2 * tile.pitch()), static_cast<std::uint32_t>(k.rows[q])});
  }
  return k;
}

namespace {

std::int64_t bytes_of(Precision precision, std::int64_t numbers) {
  return numbers * static_cast<std::int64_t>(ElementType{precision, true}.bytes());
}

/// Adds the places of each i-th point of all threads, before the first or after the last stage. Returns false if one
/// has several owners, or if there are more than two shapes: the side is then mixed.
bool add_points(KernelOutput& k, const Pass& pass, const Side& side, const LineCut& line, int stage) {
  const int count = line.count(stage), butterflies = line.butterflies(stage);
  const Part& near = side.part[0];
  const Part* far = &near;
  int owner = 0;
  for (int i = 0; i < count * line.radix[stage]; ++i) {
    const int b = i % count, first = b * line.team + i / count * butterflies;
    const int threads = std::min(line.team, butterflies - b * line.team);
    while (first >= owner_begin(side, pass.n, owner + 1)) ++owner;
    while (first < owner_begin(side, pass.n, owner)) --owner;
    if (first + threads > owner_begin(side, pass.n, owner + 1)) return false;
    const int inside = first - owner_begin(side, pass.n, owner);
    const Part& part = side.part[static_cast<std::size_t>(owner)];
    const auto same = [&](const Part& other) {
      return part.line_stride == other.line_stride && part.outer_stride == other.outer_stride;
    };
    if (!same(near)) {
      if (far != &near && !same(*far)) return false;
      far = &part;
      k.far |= 1U << i;
    }
    k.point[i] = static_cast<char*>(part.base) + bytes_of(pass.precision, inside * part.line_stride);
  }
  const std::int64_t halves = halves_of(pass.precision);
  for (const int kind : {0, 1}) {
    const Part& part = kind == 0 ? near : *far;
    k.line_stride[kind] = part.line_stride * halves;
    k.outer_stride[kind] = part.outer_stride * halves;
  }
  return true;
}

void add_owners(KernelOutput& k, const Pass& pass, const Side& side) {
  const std::int64_t halves = halves_of(pass.precision);
  k.owners = owners(side, pass.n);
  for (int q = 0; q < k.owners; ++q) {
    k.begin[q] = owner_begin(side, pass.n, q);
    const Part& part = side.part[static_cast<std::size_t>(q)];
    // The address may be before the owner's memory, so it is computed as an integer.
    const auto base =
        reinterpret_cast<std::uintptr_t>(part.base) -
        static_cast<std::uintptr_t>(bytes_of(pass.precision, std::int64_t{k.begin[q]} * part.line_stride));
    k.owner[q] = {reinterpret_cast<void*>(base), part.line_stride * halves, part.outer_stride * halves};
  }
}

/// The places of the points of a stage.
KernelOutput places(const Pass& pass, const Side& side, const LineCut& line, int stage) {
  KernelOutput k{};
  k.mixed = add_points(k, pass, side, line, stage) ? 0 : 1;
  add_owners(k, pass, side);
  return k;
}

/// The arguments of a kernel for a pass, without its input.
template <class Input>
PassOf<Input> pass_of(const Pass& pass, const TileCut& tile, const void* table) {
  const std::int64_t lines = lines_of(pass.precision), bundle = lines * tile.width;
  PassOf<Input> k{};
  k.out = kernel_output(pass, tile.line);
  k.table = table;
  k.skew_mask = alignment(pass, tile.width) - 1;
  k.skew = static_cast<unsigned>(pass.out.part[0].outer_stride * 2 / lines) & k.skew_mask;
  // Bundles that begin earlier also end earlier, except the last ones of a row.
  const bool last = pass.m_end >= pass.out.columns;
  const std::int64_t end = std::min(pass.m_end, pass.out.columns);
  const std::int64_t longer = k.skew != 0 && last ? k.skew_mask * lines / 2 : 0;
  k.tiles_in_row = static_cast<unsigned>((end - pass.m_begin + longer + bundle - 1) / bundle);
  k.columns = static_cast<unsigned>(end * halves_of(pass.precision));
  k.end_mask = last ? 0 : k.skew_mask;
  k.tiles = static_cast<unsigned>(pass.outer_end - pass.outer_begin) * k.tiles_in_row;
  k.outer_begin = static_cast<unsigned>(pass.outer_begin);
  k.m_begin = static_cast<unsigned>(pass.m_begin / lines);
  k.scale = pass.scale;
  k.factors = pass.factors;
  k.checks = kernel_checks(pass.checks, pass.n, unit(pass.precision) * tile.width);
  return k;
}

}  // namespace

KernelChecks kernel_checks(const PassChecks& checks, int n, int lines) {
  const std::int64_t tiles = std::max<std::int64_t>(numbers_compared / (std::int64_t{lines} * n), 1);
  KernelChecks k{};
  k.weights = checks.weights;
  k.input_factor = checks.input_factor;
  k.result_factor = checks.result_factor;
  const auto square = [](double x) { return x * x; };
  k.input_part = square(checks.limits.part * checks.input_factor);
  k.result_part = square(checks.limits.part * checks.result_factor);
  k.floor = checks.limits.floor * static_cast<double>(tiles * lines);
  k.results = reinterpret_cast<unsigned long long*>(checks.results);
  k.tiles = static_cast<unsigned>(tiles);
  return k;
}

KernelOutput kernel_output(const Pass& pass, const LineCut& line) {
  return places(pass, pass.out, line, line.stages - 1);
}

KernelPass kernel_pass(const Pass& pass, const TileCut& tile, const void* table) {
  auto k = pass_of<KernelInput>(pass, tile, table);
  k.in = kernel_input(pass, tile);
  return k;
}

PlainPass plain_pass(const Pass& pass, const TileCut& tile, const void* table) {
  auto k = pass_of<PlainInput>(pass, tile, table);
  k.in.places = places(pass, pass.in, tile.line, 0);
  k.in.columns = static_cast<unsigned>(std::min(pass.m_end, pass.in.columns) * halves_of(pass.precision));
  return k;
}

}  // namespace shardfft::device::lines
