// FFTW 3: the guru64 interface takes any strides and any number of batch loops.
#include <fftw3.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <type_traits>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "base/clock.hpp"
#include "local/backend.hpp"
#include "local/exact_lengths.hpp"
#include "local/loops.hpp"
#include "local/work_memory.hpp"
#include "tune/defaults.hpp"

namespace shardfft {
namespace {

template <bool first, class A, class B>
constexpr auto choose(A a, B b) {
  if constexpr (first)
    return a;
  else
    return b;
}

/// FFTW's names for one precision.
template <class Real>
struct Fftw {
  static constexpr bool f64 = std::is_same_v<Real, double>;
  using Complex = std::conditional_t<f64, fftw_complex, fftwf_complex>;
  using Plan = std::conditional_t<f64, fftw_plan, fftwf_plan>;
  static constexpr auto plan_c2c = choose<f64>(fftw_plan_guru64_dft, fftwf_plan_guru64_dft);
  static constexpr auto plan_r2c = choose<f64>(fftw_plan_guru64_dft_r2c, fftwf_plan_guru64_dft_r2c);
  static constexpr auto plan_c2r = choose<f64>(fftw_plan_guru64_dft_c2r, fftwf_plan_guru64_dft_c2r);
  static constexpr auto plan_r2r = choose<f64>(fftw_plan_guru64_r2r, fftwf_plan_guru64_r2r);
  static constexpr auto run_c2c = choose<f64>(fftw_execute_dft, fftwf_execute_dft);
  static constexpr auto run_r2c = choose<f64>(fftw_execute_dft_r2c, fftwf_execute_dft_r2c);
  static constexpr auto run_c2r = choose<f64>(fftw_execute_dft_c2r, fftwf_execute_dft_c2r);
  static constexpr auto run_r2r = choose<f64>(fftw_execute_r2r, fftwf_execute_r2r);
  static constexpr auto alignment_of = choose<f64>(fftw_alignment_of, fftwf_alignment_of);
  static constexpr auto set_timelimit = choose<f64>(fftw_set_timelimit, fftwf_set_timelimit);
  static constexpr auto destroy = choose<f64>(fftw_destroy_plan, fftwf_destroy_plan);
};

/// FFTW's planner and plan destruction are not thread-safe. All planning through this library takes turns; it cannot
/// know of an application's own calls (docs/concepts.md).
std::mutex& planner_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Lives of FFTW's planner. fftw_cleanup(), which other parts of a program may call, ends one. It frees data that plans
/// read when they are destroyed, but none that they read when they run. FFTW gives no notice of it, but it forgets its
/// plans. A plan that nobody else makes therefore serves as a mark. The caller must hold planner_mutex().
template <class Real>
class PlannerLife {
  using F = Fftw<Real>;

 public:
  /// The number of the present life, never used again. Constant if FFTW remembers nothing (oneMKL in its place).
  static int number() {
    if (blind_ || knows_it(FFTW_WISDOM_ONLY)) return number_;
    knows_it(0);
    blind_ = !knows_it(FFTW_WISDOM_ONLY);
    return ++number_;
  }

 private:
  /// Whether the planner knows the mark. Without FFTW_WISDOM_ONLY this also sets it.
  static bool knows_it(unsigned flags) {
    static const std::int64_t stride = 1000003 + 2 * std::int64_t{getpid()};  // wisdom of other processes may be read
    static typename F::Complex nothing[1];                                    // FFTW_ESTIMATE never touches it
    const fftw_iodim64 two{2, stride, stride};
    const auto plan = F::plan_c2c(1, &two, 0, nullptr, nothing, nothing, FFTW_FORWARD, FFTW_ESTIMATE | flags);
    if (plan == nullptr) return false;
    F::destroy(plan);
    return true;
  }

  static inline int number_ = 0;
  static inline bool blind_ = false;
};

unsigned effort_flag(Effort effort) {
  return effort == Effort::estimate ? FFTW_ESTIMATE : effort == Effort::patient ? FFTW_PATIENT : FFTW_MEASURE;
}

/// Seconds after which one plan takes the best found so far.
double time_limit(const FftSpec& spec) {
  const double limit = spec.effort == Effort::patient ? 120 : 20;
  if (!spec.deadline) return limit;
  return std::clamp(*spec.deadline - clock_seconds(), 0.0, limit);
}

std::vector<fftw_iodim64> fftw_dims(const Loops& loops) {
  std::vector<fftw_iodim64> dims;
  for (const Loop& d : loops) dims.push_back({d.count, d.from, d.to});
  return dims;
}

std::vector<fftw_r2r_kind> r2r_kinds(const std::vector<AxisTransform>& types) {
  static constexpr fftw_r2r_kind kinds[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                            FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
  std::vector<fftw_r2r_kind> result;
  for (const AxisTransform type : types)
    result.push_back(kinds[static_cast<int>(type) - static_cast<int>(AxisTransform::dct1)]);
  return result;
}

/// Arrays to plan with. Pages that the planner does not touch are never committed.
struct PlanningArrays {
  PlanningArrays(const FftSpec& spec, bool touched) {
    const auto bytes = [&](std::int64_t extent, ElementType element) {
      return round_up(touched ? static_cast<std::size_t>(extent) * element.bytes() : 1, cache_line);
    };
    const std::size_t in_bytes = bytes(input_extent(input_loops(spec)), input_element(spec));
    const std::size_t out_bytes = bytes(output_extent(output_loops(spec)), output_element(spec));
    // Huge pages would commit the memory between strided lines.
    in_ = allocate_aligned(spec.in_place ? std::max(in_bytes, out_bytes) : in_bytes, Pages::small);
    if (!spec.in_place) out_ = allocate_aligned(out_bytes, Pages::small);
  }
  void* in() const { return in_.get(); }
  void* out() const { return out_ ? out_.get() : in_.get(); }

 private:
  AlignedMemory in_, out_;
};

template <class Real>
class FftwFft : public LocalFft {
  using F = Fftw<Real>;
  using Complex = typename F::Complex;

 public:
  explicit FftwFft(const FftSpec& spec) : kind_(spec.kind) {
    // FFTW would exit for lack of memory. A planner that measures also needs arrays.
    require_work_memory(spec, spec.effort == Effort::estimate ? 0 : work_of(spec).bytes, "FFTW");
    const std::lock_guard<std::mutex> lock(planner_mutex());
    if (spec.aligned) {
      aligned_ = make_plan(spec, effort_flag(spec.effort));
      unaligned_ = make_plan(spec, FFTW_ESTIMATE | FFTW_UNALIGNED);
    } else {
      unaligned_ = make_plan(spec, effort_flag(spec.effort) | FFTW_UNALIGNED);
    }
  }

  void execute(const void* in, void* out, std::byte*, ReadAhead&) const override {
    void* source = const_cast<void*>(in);  // FFTW leaves it unchanged unless planned otherwise
    const auto plan = aligned_ && is_aligned(source) && is_aligned(out) ? aligned_.get() : unaligned_.get();
    if (kind_ == Kind::c2c) return F::run_c2c(plan, static_cast<Complex*>(source), static_cast<Complex*>(out));
    if (kind_ == Kind::r2c) return F::run_r2c(plan, static_cast<Real*>(source), static_cast<Complex*>(out));
    if (kind_ == Kind::c2r) return F::run_c2r(plan, static_cast<Complex*>(source), static_cast<Real*>(out));
    F::run_r2r(plan, static_cast<Real*>(source), static_cast<Real*>(out));
  }

 private:
  /// A plan whose planner has ended is never destroyed.
  struct Destroy {
    int life = 0;
    void operator()(typename F::Plan plan) const {
      const std::lock_guard<std::mutex> lock(planner_mutex());
      if (PlannerLife<Real>::number() == life) F::destroy(plan);
    }
  };
  using PlanOwner = std::unique_ptr<std::remove_pointer_t<typename F::Plan>, Destroy>;

  static bool is_aligned(void* p) { return F::alignment_of(static_cast<Real*>(p)) == 0; }

  static PlanOwner make_plan(const FftSpec& spec, unsigned flags) {
    F::set_timelimit(time_limit(spec));
    const PlanningArrays arrays(spec, (flags & FFTW_ESTIMATE) == 0);
    if (spec.kind == Kind::c2r && !spec.in_place)
      flags |= spec.preserve_input ? FFTW_PRESERVE_INPUT : FFTW_DESTROY_INPUT;
    const auto dims = fftw_dims(spec.transform);
    const auto loops = fftw_dims(spec.batch);
    const int rank = narrow(static_cast<std::int64_t>(dims.size()), "number of axes");
    const int batch = narrow(static_cast<std::int64_t>(loops.size()), "number of batch loops");
    const Destroy end{PlannerLife<Real>::number()};
    PlanOwner plan(call_planner(spec, rank, dims.data(), batch, loops.data(), arrays.in(), arrays.out(), flags), end);
    F::set_timelimit(FFTW_NO_TIMELIMIT);  // a setting of the process: plans of the application are not ours to limit
    if (!plan) fail(Status::backend_failure, "FFTW cannot plan a transform of ", rank, " axes and ", batch, " loops");
    return plan;
  }

  static typename F::Plan call_planner(const FftSpec& spec, int rank, const fftw_iodim64* dims, int batch,
                                       const fftw_iodim64* loops, void* in, void* out, unsigned flags) {
    if (spec.kind == Kind::r2c)
      return F::plan_r2c(rank, dims, batch, loops, static_cast<Real*>(in), static_cast<Complex*>(out), flags);
    if (spec.kind == Kind::c2r)
      return F::plan_c2r(rank, dims, batch, loops, static_cast<Complex*>(in), static_cast<Real*>(out), flags);
    if (spec.kind == Kind::r2r)
      return F::plan_r2r(rank, dims, batch, loops, static_cast<Real*>(in), static_cast<Real*>(out),
                         r2r_kinds(spec.types).data(), flags);
    const int sign = spec.direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
    return F::plan_c2c(rank, dims, batch, loops, static_cast<Complex*>(in), static_cast<Complex*>(out), sign, flags);
  }

  Kind kind_;
  PlanOwner aligned_, unaligned_;
};

std::unique_ptr<LocalFft> make_fftw(const FftSpec& spec) {
  if (spec.precision == Precision::f64) return std::make_unique<FftwFft<double>>(spec);
  return std::make_unique<FftwFft<float>>(spec);
}

}  // namespace

Backend fftw_backend() {
  Backend backend;
  backend.name = "fftw";
  backend.version = [] { return std::string(fftw_version); };
  backend.make = make_fftw;
  backend.c2r_destroys = true;
  // "wrappers to Intel oneMKL" if MKL's libraries were linked or loaded first.
  backend.needs_hermitian = backend.version().find("MKL") != std::string::npos;
  if (backend.needs_hermitian) backend.exact = mkl_is_exact;
  backend.measures = true;
  backend.turns = true;
  backend.cosines = true;
  backend.max_bytes = host_defaults().fftw_bytes_a_call;
  return backend;
}

}  // namespace shardfft
