#include "device/vendor_fft.hpp"

#include <cufftXt.h>

#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "device/cuda/half_lines.hpp"
#include "device/handles.hpp"
#include "device/linkable_code.hpp"
#include "device/pass_kernels.hpp"

/// Null in a cuFFT that is older.
extern "C" cufftResult cufftXtSetJITCallback(cufftHandle plan, const char* name, const void* code, size_t bytes,
                                             cufftXtCallbackType type, void** caller_info) __attribute__((weak));

namespace shardfft::device {
namespace {

static_assert(sizeof(cufftHandle) == sizeof(int));

void check(cufftResult status, const char* what) {
  if (status == CUFFT_ALLOC_FAILED) fail(Status::out_of_memory, what, ": no device memory for the work area");
  if (status == CUFFT_NOT_SUPPORTED || status == CUFFT_NOT_IMPLEMENTED)
    fail(Status::unsupported, what, ": this cuFFT does not support such a transform");
  if (status != CUFFT_SUCCESS) fail(Status::backend_failure, what, ": cuFFT status ", static_cast<int>(status));
}

cufftType type_of(Kind kind, Precision precision) {
  const bool wide = precision == Precision::f64;
  switch (kind) {
    case Kind::c2c:
      return wide ? CUFFT_Z2Z : CUFFT_C2C;
    case Kind::r2c:
      return wide ? CUFFT_D2Z : CUFFT_R2C;
    case Kind::c2r:
      return wide ? CUFFT_Z2D : CUFFT_C2R;
    case Kind::r2r:
      break;
  }
  fail(Status::internal, "unknown transform kind");
}

std::vector<long long> embed_of(const VendorFftSide& side, const std::vector<long long>& extents, bool half) {
  if (!side.embed.empty()) return {side.embed.begin(), side.embed.end()};
  std::vector<long long> embed = extents;
  if (half) embed.back() = embed.back() / 2 + 1;
  return embed;
}

/// Elements from one transform of a batch to the next.
long long distance_of(const VendorFftSide& side, const std::vector<long long>& embed) {
  if (side.distance > 0) return static_cast<long long>(side.distance);
  long long product = 1;
  for (const long long e : embed) product *= e;
  return product;
}

HalfSpectra half_spectra(const VendorFftSpec& spec) {
  const std::vector<long long> embed = embed_of(spec.in, {spec.extents.begin(), spec.extents.end()}, true);
  HalfSpectra shape{.n = spec.extents.back(), .last_stride = spec.in.stride, .batch = spec.batch};
  shape.distance = distance_of(spec.in, embed);
  std::int64_t stride = spec.in.stride;
  for (std::size_t a = spec.extents.size() - 1, i = 2; a-- > 0;) {
    stride *= embed[a + 1];
    shape.count[--i] = spec.extents[a];
    shape.stride[i] = stride;
  }
  return shape;
}

/// Makes the plan of a handle; returns the size of its work area.
std::size_t make_plan(cufftHandle handle, const VendorFftSpec& spec) {
  std::vector<long long> n(spec.extents.begin(), spec.extents.end());
  std::vector<long long> in = embed_of(spec.in, n, spec.kind == Kind::c2r);
  std::vector<long long> out = embed_of(spec.out, n, spec.kind == Kind::r2c);
  std::size_t work_bytes = 0;
  check(cufftMakePlanMany64(handle, static_cast<int>(n.size()), n.data(), in.data(), spec.in.stride,
                            distance_of(spec.in, in), out.data(), spec.out.stride, distance_of(spec.out, out),
                            type_of(spec.kind, spec.precision), spec.batch, &work_bytes),
        "cufftMakePlanMany64");
  return work_bytes;
}

std::string name_of(bool wide, bool complex) { return std::string(wide ? "double" : "float") + (complex ? "2" : ""); }

/// A function that stores results times a number. cuFFT calls it by its name in C++: one in C is not found.
std::string storing_text(Kind kind, bool wide, double scale) {
  const std::string real = name_of(wide, false), number = name_of(wide, kind != Kind::c2r);
  Text text;
  text << "__device__ void shardfft_store(void* out, unsigned long long i, " << number
       << " x, void*, void*) {\n  constexpr " << real << " scale = " << std::hexfloat << scale << ";\n  static_cast<"
       << number << "*>(out)[i] = " << (kind == Kind::c2r ? "x * scale" : number + "{x.x * scale, x.y * scale}")
       << ";\n}\n";
  return text.str();
}

/// A function that loads halved lines times a number, without the imaginary parts that vanish in spectra of real lines.
std::string loading_text(const VendorFftSpec& spec) {
  const HalfSpectra lines = half_spectra(spec);
  const bool behind = lines.n / 2 * lines.last_stride < lines.distance;
  if (!behind && lines.batch * lines.distance > lines.last_stride)
    fail(Status::unsupported, "the lines of a batch are neither one behind the other nor side by side");
  const std::string real = name_of(spec.precision == Precision::f64, false), number = real + "2";
  Text text;
  text << "__device__ " << number << " shardfft_load(void* in, unsigned long long i, void*, void*) {\n  constexpr "
       << real << " scale = " << std::hexfloat << spec.scale << ";\n  const " << number << " x = static_cast<const "
       << number << "*>(in)[i];\n  const unsigned long long at = i";
  if (behind) text << " % " << lines.distance << "ULL";
  text << " / " << lines.last_stride << "ULL;\n  return {x.x * scale, at == 0 || 2 * at == " << lines.n
       << "ULL ? 0 : x.y * scale};\n}\n";
  return text.str();
}

bool loads(const VendorFftSpec& spec) { return spec.kind == Kind::c2r && spec.extents.size() == 1; }

cufftXtCallbackType callback_of(const VendorFftSpec& spec) {
  const bool wide = spec.precision == Precision::f64;
  if (loads(spec)) return wide ? CUFFT_CB_LD_COMPLEX_DOUBLE : CUFFT_CB_LD_COMPLEX;
  if (spec.kind == Kind::c2r) return wide ? CUFFT_CB_ST_REAL_DOUBLE : CUFFT_CB_ST_REAL;
  return wide ? CUFFT_CB_ST_COMPLEX_DOUBLE : CUFFT_CB_ST_COMPLEX;
}

/// Must come before make_plan().
void link_scale(cufftHandle handle, const VendorFftSpec& spec) {
  static std::mutex mutex;
  static auto& codes = *new std::map<std::pair<std::string, int>, std::string>;
  const std::string text =
      loads(spec) ? loading_text(spec) : storing_text(spec.kind, spec.precision == Precision::f64, spec.scale);
  const std::lock_guard<std::mutex> lock(mutex);
  std::string& code = codes[{text, current_device()}];
  if (code.empty()) code = linkable_code(text);
  void* info = nullptr;
  check(cufftXtSetJITCallback(handle, loads(spec) ? "shardfft_load" : "shardfft_store", code.data(), code.size(),
                              callback_of(spec), &info),
        "cufftXtSetJITCallback");
}

/// Whether a transform is right whose first number is 1 and whose others are 0: ones. Of c2r, the first number and the
/// last one of the first line have imaginary parts, which no real array has.
template <class T>
bool scales(Kind kind, Precision precision, const std::vector<std::int64_t>& extents) {
  constexpr double scale = 0.25, near = 1e-3;
  VendorFftSpec spec;
  spec.kind = kind;
  spec.precision = precision;
  spec.extents = extents;
  spec.scale = scale;
  spec.links = true;
  const VendorFft fft(spec);
  const std::int64_t points = std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  std::vector<std::complex<T>> numbers(static_cast<std::size_t>(points));
  numbers.front() = 1;
  if (kind == Kind::c2r) numbers.front() = {1, 1}, numbers[static_cast<std::size_t>(extents.back() / 2)] = {0, 1};
  const std::size_t bytes = numbers.size() * sizeof numbers.front();
  const Memory in = make_memory(bytes), out = make_memory(bytes);
  const Stream stream = make_stream();
  copy_bytes(in.get(), numbers.data(), bytes, stream.get());
  fft.execute(in.get(), out.get(), Direction::backward, stream.get());
  copy_bytes(numbers.data(), out.get(), bytes, stream.get());
  synchronize(stream.get());
  const auto* const reals = reinterpret_cast<const T*>(numbers.data());
  const std::int64_t step = kind == Kind::c2r ? 1 : 2, results = kind == Kind::r2c ? points / 2 + 1 : points;
  for (std::int64_t i = 0; i < results; ++i)
    if (std::abs(reals[i * step] - scale) > near || (step == 2 && std::abs(reals[i * step + 1]) > near)) return false;
  return true;
}

/// Places of the last number of one side, from the first one on.
std::int64_t last_place(const VendorFftSpec& spec, const VendorFftSide& side, bool half) {
  std::vector<long long> extents(spec.extents.begin(), spec.extents.end());
  const std::vector<long long> embed = embed_of(side, extents, half);
  std::int64_t last = (spec.batch - 1) * distance_of(side, embed), stride = side.stride;
  if (half) extents.back() = extents.back() / 2 + 1;
  for (std::size_t a = extents.size(); a-- > 0; stride *= embed[a]) last += (extents[a] - 1) * stride;
  return last;
}

/// Whether c2r of a spectrum whose Hermitian part is zero gives zeros. The transform is linear: random numbers that it
/// ignores stand for all. False if there is no memory for it.
bool ignores_other_ends(const VendorFft& fft, const VendorFftSpec& spec) {
  const std::size_t number = ElementType{spec.precision, true}.bytes();
  const std::size_t in_bytes = static_cast<std::size_t>(last_place(spec, spec.in, true) + 1) * number;
  const std::int64_t reals = last_place(spec, spec.out, false) + 1;
  const std::size_t out_bytes = static_cast<std::size_t>(reals) * number / 2;
  if (memory_info().free / 2 < in_bytes + out_bytes) return false;
  const HalfSpectra shape = half_spectra(spec);
  const Memory in = make_memory(in_bytes), out = make_memory(out_bytes), found = make_memory(sizeof(std::int32_t));
  const Stream stream = make_stream();
  std::int32_t above = 0;
  fill_zero(static_cast<std::byte*>(in.get()), in_bytes, stream.get());
  fill_zero(static_cast<std::byte*>(out.get()), out_bytes, stream.get());
  fill_zero(static_cast<std::byte*>(found.get()), sizeof above, stream.get());
  fill_other_ends(in.get(), shape, spec.precision, stream.get());
  fft.execute(in.get(), out.get(), Direction::backward, stream.get());
  constexpr double near = 1e-3;  // of the size of such sums
  const double size = std::sqrt(static_cast<double>(shape.count[0] * shape.count[1]));
  find_above(out.get(), reals, near * std::abs(spec.scale) * size, static_cast<std::int32_t*>(found.get()),
             spec.precision, stream.get());
  copy_bytes(&above, found.get(), sizeof above, stream.get());
  synchronize(stream.get());
  return above == 0;
}

void run_c2c(cufftHandle plan, bool wide, void* in, void* out, int sign) {
  if (wide)
    check(cufftExecZ2Z(plan, static_cast<cufftDoubleComplex*>(in), static_cast<cufftDoubleComplex*>(out), sign), "Z2Z");
  else
    check(cufftExecC2C(plan, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out), sign), "C2C");
}
void run_r2c(cufftHandle plan, bool wide, void* in, void* out) {
  if (wide)
    check(cufftExecD2Z(plan, static_cast<cufftDoubleReal*>(in), static_cast<cufftDoubleComplex*>(out)), "D2Z");
  else
    check(cufftExecR2C(plan, static_cast<cufftReal*>(in), static_cast<cufftComplex*>(out)), "R2C");
}
void run_c2r(cufftHandle plan, bool wide, void* in, void* out) {
  if (wide)
    check(cufftExecZ2D(plan, static_cast<cufftDoubleComplex*>(in), static_cast<cufftDoubleReal*>(out)), "Z2D");
  else
    check(cufftExecC2R(plan, static_cast<cufftComplex*>(in), static_cast<cufftReal*>(out)), "C2R");
}

}  // namespace

/// Delegates to the other constructor, so that the destructor runs if the plan cannot be finished.
VendorFft::VendorFft(const VendorFftSpec& spec) : VendorFft() {
  spec_ = spec;
  if (spec.batch <= 0) return;
  check(cufftCreate(&handle_), "cufftCreate");
  made_ = true;
  if (spec.links) link_scale(handle_, spec);
  work_bytes_ = make_plan(handle_, spec);
  if (spec.kind != Kind::c2r) return;
  any_ends_ = spec.links && loads(spec);
  if (any_ends_ || !spec.probes || (!spec.links && spec.scale != 1)) return;
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<VendorFftSpec, int>, bool>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, is_new] = known.try_emplace({spec, current_device()}, false);
  any_ends_ = true;  // execute() runs cuFFT alone
  any_ends_ = found->second = is_new ? ignores_other_ends(*this, spec) : found->second;
}

/// One kernel of cuFFT transforms the short line, several the long one. c2r of planes stores results, that of lines
/// does not.
bool VendorFft::takes_scale(Kind kind, Precision precision) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::tuple<Kind, Precision, int>, bool>;
  if (cufftXtSetJITCallback == nullptr || !lines::can_compile()) return false;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, is_new] = known.try_emplace({kind, precision, current_device()}, false);
  if (!is_new) return found->second;
  try {
    const auto scales_lines = precision == Precision::f64 ? scales<double> : scales<float>;
    found->second = scales_lines(kind, precision, {64}) && scales_lines(kind, precision, {1 << 16}) &&
                    (kind != Kind::c2r || scales_lines(kind, precision, {16, 64}));
  } catch (const Error&) {  // a cuFFT or a linker that cannot
  }
  return found->second;
}

std::size_t VendorFft::work_bytes_of(const VendorFftSpec& spec) {
  if (spec.batch <= 0) return 0;
  VendorFft plan;
  check(cufftCreate(&plan.handle_), "cufftCreate");
  plan.made_ = true;
  check(cufftSetAutoAllocation(plan.handle_, 0), "cufftSetAutoAllocation");
  return make_plan(plan.handle_, spec);
}

VendorFft::~VendorFft() {
  if (made_) cufftDestroy(handle_);
}

void VendorFft::execute(const void* in, void* out, Direction direction, void* stream, void* work) const {
  if (!made_) return;
  void* source = const_cast<void*>(in);  // for cuFFT's interface; it writes its input only in place, and in c2r
  const bool wide = spec_.precision == Precision::f64;
  check(cufftSetStream(handle_, static_cast<cudaStream_t>(stream)), "cufftSetStream");
  switch (spec_.kind) {
    case Kind::c2c:
      run_c2c(handle_, wide, source, out, direction == Direction::forward ? CUFFT_FORWARD : CUFFT_INVERSE);
      break;
    case Kind::r2c:
      run_r2c(handle_, wide, source, out);
      break;
    case Kind::c2r:
      if (work == nullptr) work = source;
      // Whether cuFFT needs no kernel was found out between two arrays.
      if (!any_ends_ || work != source || (in == out && !loads(spec_)))
        make_ends_hermitian(source, work, half_spectra(spec_), spec_.links ? 1 : spec_.scale, spec_.precision, stream);
      run_c2r(handle_, wide, work, out);
      break;
    case Kind::r2r:
      break;
  }
}

}  // namespace shardfft::device
