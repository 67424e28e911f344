// Entry points of the line passes and their twiddle tables.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "device/cuda/lines/plane_launch.cuh"

namespace shardfft::device::lines {
namespace {

/// No promotion: bringing whole sector groups into L2 ahead was measured slower (docs/gpu-design.md).
constexpr CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;

const Variant* find(int n, Precision precision) { return precision == Precision::f64 ? find_f64(n) : find_f32(n); }
const PlaneVariant* find_planes(int n, Precision precision) {
  return precision == Precision::f64 ? find_planes_f64(n) : find_planes_f32(n);
}

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}
/// What a block may have on the current device, without what the kernels declare themselves.
int shared_memory() { return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - 1024; }

/// Factors exp(-2 pi i r j / (P R)) of stages two and three, r from 1, j < P fastest: the order the stages read.
template <class Factor, class Scalar>
std::vector<Factor> make_table(const int (&radices)[3]) {
  std::vector<Factor> table;
  int product = radices[0];
  for (int s = 1; s < 3; ++s) {
    const int radix = radices[s];
    for (int r = 1; r < radix; ++r)
      for (int j = 0; j < product; ++j) {
        const long double angle =
            -2 * 3.14159265358979323846264338327950288L * (static_cast<long double>(r) * j / (product * radix));
        table.push_back({static_cast<Scalar>(std::cos(angle)), static_cast<Scalar>(std::sin(angle))});
      }
    product *= radix;
  }
  return table;
}

void* upload(const void* data, std::size_t bytes) {
  void* p = nullptr;
  check(cudaMalloc(&p, bytes), "cudaMalloc of a twiddle table");
  check(cudaMemcpy(p, data, bytes, cudaMemcpyHostToDevice), "upload of a twiddle table");
  // It may return before the data is there, and passes run on streams that do not wait for the default one.
  check(cudaStreamSynchronize(cudaStreamLegacy), "upload of a twiddle table");
  return p;
}

/// The registry of tables, by device, radices and precision.
class Tables {
 public:
  const void* get(const int (&radix)[3], Precision precision, bool create) {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto key = std::make_tuple(device, radix[0], radix[1], radix[2], precision == Precision::f64);
    const auto found = tables_.find(key);
    if (found != tables_.end()) return found->second;
    if (!create)
      fail(Status::internal, "lines::prepare(", radix[0] * radix[1] * radix[2], ") was not called on device ", device);
    void* made = nullptr;
    if (precision == Precision::f64) {
      const auto table = make_table<double2, double>(radix);
      made = upload(table.data(), table.size() * sizeof(double2));
    } else {
      const auto table = make_table<float2, float>(radix);
      made = upload(table.data(), table.size() * sizeof(float2));
    }
    return tables_.emplace(key, made).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<int, int, int, int, bool>, void*> tables_;
};

Tables& tables() {
  static Tables all;
  return all;
}

}  // namespace

CUtensorMap make_map(void* base, const std::uint64_t (&extent)[3], const std::uint64_t (&stride_bytes)[2],
                     const std::uint32_t (&box)[2]) {
  static const auto encode = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found),
          "cudaGetDriverEntryPointByVersion");
    if (found != cudaDriverEntryPointSuccess) fail(Status::unsupported, "the driver has no tensor maps");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
  }();
  CUtensorMap map;
  const std::uint32_t boxes[3] = {box[0], box[1], 1}, steps[3] = {1, 1, 1};
  const CUresult status =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 3, base, extent, stride_bytes, boxes, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) fail(Status::backend_failure, "cuTensorMapEncodeTiled: ", static_cast<int>(status));
  return map;
}

int granule(Precision precision) { return precision == Precision::f64 ? 16 : 32; }

bool supported(int n) {
  const Variant *wide = find_f64(n), *narrow = find_f32(n);
  return wide != nullptr && attribute(cudaDevAttrComputeCapabilityMajor) >= 9 &&
         std::max(wide->whole.shared_bytes, narrow->whole.shared_bytes) <= shared_memory();
}

bool takes_odd_rows(int n) {
  const Variant* v = find_f32(n);
  return supported(n) && v->odd.forward != nullptr && v->odd.shared_bytes <= shared_memory();
}

bool shareable(int n, int owners) {
  const Variant* v = find_f64(n);
  return supported(n) && owners <= max_owners && n % owners == 0 && (owners == 1 || n / owners % v->team == 0);
}

void prepare(int n, Precision precision) {
  require(supported(n), "no line kernel for ", n, " points");
  tables().get(find(n, precision)->radix, precision, true);
  if (const PlaneVariant* planes = find_planes(n, precision)) tables().get(planes->radix, precision, true);
}

void run(const Pass& pass, void* stream) {
  const Variant* v = find(pass.n, pass.precision);
  require(v != nullptr, "no line kernel for ", pass.n, " points");
  require_pass(pass);
  const void* table = tables().get(v->radix, pass.precision, false);
  const Kernels& kernels = is_odd(pass) ? v->odd : v->whole;
  (pass.direction == Direction::forward ? kernels.forward : kernels.backward)(pass, table, stream);
}

bool planes_supported(int n, Precision precision, bool real) {
  const PlaneVariant* v = find_planes(n, precision);
  if (v == nullptr || !supported(n) || v->shared_bytes > shared_memory()) return false;
  // A plane that is read again, the next one, and what is on its way.
  const std::int64_t plane_bytes = n * spectrum_points(n, real) * (precision == Precision::f64 ? 16 : 8);
  return 3 * plane_bytes <= attribute(cudaDevAttrL2CacheSize);
}

void run(const PlanePass& pass, std::uint32_t* counters, void* stream) {
  const Pass& columns = pass.columns;
  const PlaneVariant* v = find_planes(columns.n, columns.precision);
  require(v != nullptr, "no plane kernel for ", columns.n, " points");
  require_planes(pass);
  const void* table = tables().get(v->radix, columns.precision, false);
  const bool forward = columns.direction == Direction::forward;
  const LaunchPlanes launch =
      pass.real ? (forward ? v->real_forward : v->real_backward) : (forward ? v->forward : v->backward);
  launch(pass, table, counters, stream);
}

}  // namespace shardfft::device::lines
