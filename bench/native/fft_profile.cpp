// Time in local FFTs, for libraries that do not tell it: FFTW's and MKL's entry points, preloaded into a driver.
//
// An execution during which MPI is called is no local FFT (FFTW's transposition between ranks), nor is that of a plan
// of no axes (its transposition in memory). Executions on other threads than the one that started counting are not
// seen.
#include <dlfcn.h>
#include <link.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <vector>

#include "mpi_profile.hpp"

// A driver exports its own: its wrappers come before those of this library.
extern "C" std::int64_t shardfft_bench_mpi_calls() { return shardfft::bench::mpi_calls(); }

namespace {

using Clock = std::chrono::steady_clock;

thread_local bool counting = false;
bool recording = false;
double seconds = 0;
std::int64_t calls = 0;
std::vector<std::function<void()>> recorded;
std::set<const void*>& moves() {  // plans that only move data
  static std::set<const void*> plans;
  return plans;
}

void* symbol_of(const char* path, const char* name) {
  void* const library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  return library ? dlsym(library, name) : nullptr;
}

// The library's own function. One that a Python package has loaded for itself is not among the libraries that come
// next.
template <class Function>
Function behind(const char* name) {
  struct Search {
    const char* name;
    void* found;
  } search{name, dlsym(RTLD_NEXT, name)};
  const auto look = [](dl_phdr_info* info, std::size_t, void* data) {
    auto* const wanted = static_cast<Search*>(data);
    if (info->dlpi_name && (std::strstr(info->dlpi_name, "fftw3") || std::strstr(info->dlpi_name, "mkl")))
      wanted->found = symbol_of(info->dlpi_name, wanted->name);
    return wanted->found ? 1 : 0;
  };
  if (!search.found) dl_iterate_phdr(look, &search);
  return reinterpret_cast<Function>(search.found);
}

// Runs an entry point of a local FFT, nested ones as a part of it.
template <class Work>
auto counted(const void* plan, Work work) {
  if (!counting || moves().count(plan)) return work();
  counting = false;
  const std::int64_t before = shardfft_bench_mpi_calls();
  const auto start = Clock::now();
  struct End {
    std::int64_t before;
    Clock::time_point start;
    Work& work;
    ~End() {
      if (shardfft_bench_mpi_calls() == before) {
        seconds += std::chrono::duration<double>(Clock::now() - start).count();
        ++calls;
        if (recording) recorded.emplace_back(work);
      }
      counting = true;
    }
  } end{before, start, work};
  return work();
}

}  // namespace

extern "C" {

void shardfft_bench_start_ffts(int record) {
  seconds = 0;
  calls = 0;
  recording = record != 0;
  if (recording) recorded.clear();
  counting = true;
}

void shardfft_bench_stop_ffts(double* spent, std::int64_t* count) {
  counting = false;
  *spent = seconds;
  *count = calls;
}

// Runs what was recorded again, in its order; returns how many executions that were.
std::int64_t shardfft_bench_replay_ffts() {
  for (const auto& one : recorded) one();
  return std::int64_t(recorded.size());
}

void shardfft_bench_start_mpi() { shardfft::bench::start_counting_mpi(); }

void shardfft_bench_stop_mpi(double* spent, std::int64_t* bytes, std::int64_t* count) {
  const auto use = shardfft::bench::stop_counting_mpi();
  *spent = use.seconds;
  *bytes = use.bytes;
  *count = use.calls;
}

// FFTW's two precisions have the same words; plans and data are pointers to both.
#define EXECUTE(prefix, name, parameters, arguments)                    \
  void prefix##name parameters {                                        \
    static const auto next = behind<void(*) parameters>(#prefix #name); \
    counted(plan, [=] { next arguments; });                             \
  }
#define PLAN(prefix, name, parameters, arguments)                       \
  void* prefix##name parameters {                                       \
    static const auto next = behind<void*(*)parameters>(#prefix #name); \
    void* plan = next arguments;                                        \
    rank == 0 ? void(moves().insert(plan)) : void(moves().erase(plan)); \
    return plan;                                                        \
  }
#define GURU(prefix, name)                                                                                         \
  PLAN(prefix, name, (int rank, void* dims, int many, void* loops, void* in, void* out, int sign, unsigned flags), \
       (rank, dims, many, loops, in, out, sign, flags))
#define GURU_R2R(prefix, name)                                                                                        \
  PLAN(prefix, name, (int rank, void* dims, int many, void* loops, void* in, void* out, void* kinds, unsigned flags), \
       (rank, dims, many, loops, in, out, kinds, flags))
#define FFTW(prefix)                                                                                          \
  EXECUTE(prefix, execute, (void* plan), (plan))                                                              \
  EXECUTE(prefix, execute_dft, (void* plan, void* in, void* out), (plan, in, out))                            \
  EXECUTE(prefix, execute_dft_r2c, (void* plan, void* in, void* out), (plan, in, out))                        \
  EXECUTE(prefix, execute_dft_c2r, (void* plan, void* in, void* out), (plan, in, out))                        \
  EXECUTE(prefix, execute_r2r, (void* plan, void* in, void* out), (plan, in, out))                            \
  GURU(prefix, plan_guru_dft)                                                                                 \
  GURU(prefix, plan_guru64_dft)                                                                               \
  GURU_R2R(prefix, plan_guru_r2r)                                                                             \
  GURU_R2R(prefix, plan_guru64_r2r)                                                                           \
  PLAN(prefix, plan_many_dft,                                                                                 \
       (int rank, void* n, int many, void* in, void* embed, int stride, int apart, void* out, void* to_embed, \
        int to_stride, int to_apart, int sign, unsigned flags),                                               \
       (rank, n, many, in, embed, stride, apart, out, to_embed, to_stride, to_apart, sign, flags))            \
  PLAN(prefix, plan_many_r2r,                                                                                 \
       (int rank, void* n, int many, void* in, void* embed, int stride, int apart, void* out, void* to_embed, \
        int to_stride, int to_apart, void* kinds, unsigned flags),                                            \
       (rank, n, many, in, embed, stride, apart, out, to_embed, to_stride, to_apart, kinds, flags))

FFTW(fftw_)
FFTW(fftwf_)

// MKL's take two arrays, or four for separate real and imaginary parts; what was not given is not read.
#define DFTI(name)                                                                       \
  long name(void* plan, void* a, void* b, void* c, void* d) {                            \
    static const auto next = behind<long (*)(void*, void*, void*, void*, void*)>(#name); \
    return counted(plan, [=] { return next(plan, a, b, c, d); });                        \
  }
DFTI(DftiComputeForward)
DFTI(DftiComputeBackward)

}  // extern "C"
