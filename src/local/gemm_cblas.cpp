// gemm by any library with the C interface of BLAS (32-bit integers): OpenBLAS, oneMKL, netlib.
#include <mutex>

#include "local/gemm.hpp"

extern "C" {
// Only OpenBLAS has these; null in a process without it.
[[gnu::weak]] void openblas_set_num_threads(int threads);
[[gnu::weak]] int openblas_get_num_threads();
[[gnu::weak]] int openblas_get_parallel();
}

namespace shardfft {
namespace {

/// Keeps OpenBLAS, whose thread count is one of the process, at one thread while any gemm of ours runs.
class OneBlasThread {
 public:
  OneBlasThread() {
    if (openblas_set_num_threads == nullptr) return;
    const std::lock_guard<std::mutex> lock(state().mutex);
    if (state().calls++ > 0) return;
    state().threads_before = openblas_get_num_threads();
    if (state().threads_before != 1) openblas_set_num_threads(1);
  }
  ~OneBlasThread() {
    if (openblas_set_num_threads == nullptr) return;
    const std::lock_guard<std::mutex> lock(state().mutex);
    if (--state().calls == 0 && state().threads_before != 1) openblas_set_num_threads(state().threads_before);
  }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  struct State {
    std::mutex mutex;
    int calls = 0;
    int threads_before = 1;
  };
  static State& state() {
    static State state;
    return state;
  }
};

/// A serial build of OpenBLAS (Debian's openblas-serial) gives wrong products when threads call it at the same time:
/// they take turns then.
std::unique_lock<std::mutex> turn() {
  static std::mutex one_at_a_time;
  static const bool needed = openblas_get_parallel != nullptr && openblas_get_parallel() == 0;
  return needed ? std::unique_lock<std::mutex>(one_at_a_time) : std::unique_lock<std::mutex>();
}

constexpr int row_major = 101;

int cblas_name(Transpose t) { return t == Transpose::none ? 111 : t == Transpose::transpose ? 112 : 113; }

template <class Real>
void call(CblasGemm* function, const GemmSpec& s, std::complex<double> alpha, const void* a, const void* b,
          std::complex<double> beta, void* c) {
  const std::complex<Real> factors[] = {{static_cast<Real>(alpha.real()), static_cast<Real>(alpha.imag())},
                                        {static_cast<Real>(beta.real()), static_cast<Real>(beta.imag())}};
  function(row_major, cblas_name(s.transpose_a), cblas_name(s.transpose_b), static_cast<int>(s.m),
           static_cast<int>(s.n), static_cast<int>(s.k), &factors[0], a, static_cast<int>(s.lda), b,
           static_cast<int>(s.ldb), &factors[1], c, static_cast<int>(s.ldc));
}

}  // namespace

bool gemm_available() { return true; }

void detail::blas_gemm(const GemmSpec& spec, std::complex<double> alpha, const void* a, const void* b,
                       std::complex<double> beta, void* c) {
  const OneBlasThread guard;
  const auto lock = turn();
  (spec.precision == Precision::f64 ? call<double> : call<float>)(cblas_gemm(spec.precision), spec, alpha, a, b, beta,
                                                                  c);
}

}  // namespace shardfft
