// oneMKL's DFTI, sequential libraries: one batch loop a descriptor, any strides, scales for free. They are loaded when
// a plan takes them: if they do not find their own files, their constructors and their first call end the process.
#include <dlfcn.h>
#include <mkl_dfti.h>
#include <mkl_service.h>
#include <mkl_version.h>
#include <unistd.h>

#include <climits>
#include <utility>

#include "base/check.hpp"
#include "local/backend.hpp"
#include "local/exact_lengths.hpp"
#include "local/gemm.hpp"
#include "local/loops.hpp"
#include "local/work_memory.hpp"

namespace shardfft {
namespace {

/// Lengths from here on with large prime factors crash oneMKL 2026.0 while it commits a descriptor: 2147483659, a
/// prime, and 2147483649 = 3 x 715827883 did; multiples of 65537 and of smaller primes did not.
constexpr std::int64_t crash_length = std::int64_t{1} << 31;

/// A library that holds nothing but the names of oneMKL's libraries; this library's RUNPATH finds it.
constexpr const char* module_name = "libshardfft_mkl.so";

void* load() {
  char path[PATH_MAX];
  if (readlink("/proc/self/exe", path, sizeof path) < 0)
    fail(Status::unsupported, "oneMKL cannot find its files: /proc/self/exe cannot be read");
  if (getcwd(path, sizeof path) == nullptr)
    fail(Status::unsupported, "oneMKL cannot be loaded: the working folder is gone, or cannot be read");
  void* const module = dlopen(module_name, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) fail(Status::unsupported, "oneMKL cannot be loaded: ", dlerror());
  return module;
}

/// A function of any type.
struct Symbol {
  const char* name;
  template <class Function>
  operator Function*() const {
    static void* const module = load();
    void* const found = dlsym(module, name);
    if (found == nullptr) fail(Status::unsupported, "oneMKL has no ", name);
    return reinterpret_cast<Function*>(found);
  }
};

/// Made at the first use, and tried again if that fails.
struct Functions {
  decltype(&DftiCreateDescriptor) create = Symbol{"DftiCreateDescriptor"};
  /// For one axis, as in the header's macro; lines side by side take half the time of the general function.
  decltype(&DftiCreateDescriptor_d_1d) create_f64_line = Symbol{"DftiCreateDescriptor_d_1d"};
  decltype(&DftiCreateDescriptor_s_1d) create_f32_line = Symbol{"DftiCreateDescriptor_s_1d"};
  decltype(&DftiSetValue) set = Symbol{"DftiSetValue"};
  decltype(&DftiCommitDescriptor) commit = Symbol{"DftiCommitDescriptor"};
  decltype(&DftiComputeForward) forward = Symbol{"DftiComputeForward"};
  decltype(&DftiComputeBackward) backward = Symbol{"DftiComputeBackward"};
  decltype(&DftiFreeDescriptor) free = Symbol{"DftiFreeDescriptor"};
  decltype(&DftiErrorMessage) message = Symbol{"DftiErrorMessage"};
  decltype(&MKL_Get_Version) version = Symbol{"MKL_Get_Version"};
  CblasGemm* zgemm = Symbol{"cblas_zgemm"};
  CblasGemm* cgemm = Symbol{"cblas_cgemm"};
};

const Functions& mkl() {
  static const Functions functions;
  return functions;
}

void refuse_what_crashes(const FftSpec& spec) {
  for (const Loop& d : spec.transform)
    if (d.count >= crash_length && has_prime_above(d.count, large_prime))
      fail(Status::unsupported, "oneMKL cannot transform ", d.count, " points: a prime above ", large_prime,
           " divides this length above 2^31");
}

void check(MKL_LONG status, const char* what) {
  if (status == DFTI_MEMORY_ERROR) fail(Status::out_of_memory, "oneMKL, ", what, ": ", mkl().message(status));
  if (status != DFTI_NO_ERROR) fail(Status::backend_failure, "oneMKL, ", what, ": ", mkl().message(status));
}

class MklFft : public LocalFft {
 public:
  explicit MklFft(const FftSpec& spec) : in_place_(spec.in_place) {
    // The forward domain is that of time: the real array, or the input of the forward transform.
    const bool forward = spec.kind == Kind::r2c || (spec.kind == Kind::c2c && spec.direction == Direction::forward);
    refuse_what_crashes(spec);
    require_work_memory(spec, 0, "oneMKL");
    create(spec);
    try {
      configure(spec, forward);
    } catch (...) {
      mkl().free(&descriptor_);
      throw;
    }
    compute_ = forward ? mkl().forward : mkl().backward;
  }
  ~MklFft() override { mkl().free(&descriptor_); }
  MklFft(const MklFft&) = delete;
  MklFft& operator=(const MklFft&) = delete;

  void execute(const void* in, void* out, std::byte*, ReadAhead&) const override {
    void* const source = const_cast<void*>(in);  // DFTI leaves it unchanged by default
    check(in_place_ ? compute_(descriptor_, out) : compute_(descriptor_, source, out), "computing");
  }

 private:
  void create(const FftSpec& spec) {
    std::vector<MKL_LONG> lengths;
    for (const Loop& d : spec.transform) lengths.push_back(d.count);
    const auto precision = spec.precision == Precision::f64 ? DFTI_DOUBLE : DFTI_SINGLE;
    const auto domain = spec.kind == Kind::c2c ? DFTI_COMPLEX : DFTI_REAL;
    const auto axes = static_cast<MKL_LONG>(lengths.size());
    // _s_1d gives wrong results for c2r of many lengths above 10000 (oneMKL 2026.0 with AVX-512).
    const bool f64 = spec.precision == Precision::f64, wrong = !f64 && spec.kind == Kind::c2r;
    check(axes > 1 ? mkl().create(&descriptor_, precision, domain, axes, lengths.data())
          : wrong  ? mkl().create(&descriptor_, precision, domain, axes, lengths[0])
          : f64    ? mkl().create_f64_line(&descriptor_, domain, lengths[0])
                   : mkl().create_f32_line(&descriptor_, domain, lengths[0]),
          "creating a descriptor");
  }

  template <class Value>
  void set(DFTI_CONFIG_PARAM parameter, Value value, const char* what) {
    check(mkl().set(descriptor_, parameter, value), what);
  }

  void set_strides(const FftSpec& spec, DFTI_CONFIG_PARAM parameter, std::int64_t Loop::*side) {
    std::vector<MKL_LONG> strides = {0};
    for (const Loop& d : spec.transform) strides.push_back(d.*side);
    set(parameter, strides.data(), "setting strides");
  }

  void configure(const FftSpec& spec, bool forward) {
    auto forward_side = &Loop::from, backward_side = &Loop::to;
    if (!forward) std::swap(forward_side, backward_side);
    set(DFTI_PLACEMENT, spec.in_place ? DFTI_INPLACE : DFTI_NOT_INPLACE, "setting the placement");
    if (spec.kind != Kind::c2c) set(DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX, "setting the storage");
    set_strides(spec, DFTI_FWD_STRIDES, forward_side);
    set_strides(spec, DFTI_BWD_STRIDES, backward_side);
    if (!spec.batch.empty()) {
      const Loop& loop = spec.batch.front();
      set(DFTI_NUMBER_OF_TRANSFORMS, static_cast<MKL_LONG>(loop.count), "setting the batch");
      set(DFTI_FWD_DISTANCE, static_cast<MKL_LONG>(loop.*forward_side), "setting the distance");
      set(DFTI_BWD_DISTANCE, static_cast<MKL_LONG>(loop.*backward_side), "setting the distance");
    }
    set(forward ? DFTI_FORWARD_SCALE : DFTI_BACKWARD_SCALE, spec.scale, "setting the scale");
    if (!spec.preserve_input && !spec.in_place) set(DFTI_DESTROY_INPUT, DFTI_ALLOW, "allowing to destroy the input");
    check(mkl().commit(descriptor_), "committing a descriptor");
  }

  bool in_place_;
  DFTI_DESCRIPTOR_HANDLE descriptor_ = nullptr;
  MKL_LONG (*compute_)(DFTI_DESCRIPTOR_HANDLE, void*, ...) = nullptr;
};

std::unique_ptr<LocalFft> make_mkl(const FftSpec& spec) { return std::make_unique<MklFft>(spec); }

std::string library_version() {
  MKLVersion v{};  // of the headers, until it is loaded
  v.MajorVersion = __INTEL_MKL__, v.MinorVersion = __INTEL_MKL_MINOR__, v.UpdateVersion = __INTEL_MKL_UPDATE__;
  if (dlopen(module_name, RTLD_LAZY | RTLD_NOLOAD) != nullptr) mkl().version(&v);
  return "oneMKL " + std::to_string(v.MajorVersion) + "." + std::to_string(v.MinorVersion) + "." +
         std::to_string(v.UpdateVersion);
}

}  // namespace

CblasGemm* detail::cblas_gemm(Precision precision) { return precision == Precision::f64 ? mkl().zgemm : mkl().cgemm; }

Backend mkl_backend() {
  Backend backend;
  backend.name = "mkl";
  backend.version = library_version;
  backend.exact = mkl_is_exact;
  backend.make = make_mkl;
  backend.scales = true;
  backend.needs_hermitian = true;
  backend.max_loops = 1;
  return backend;
}

}  // namespace shardfft
