// What the rest of a program may do around plans: end FFTW's planner, trap floating-point exceptions, handle signals,
// fork. Results stay right.
#include <fftw3.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <csignal>
#include <cstring>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

constexpr std::array<Kind, 4> kinds{Kind::c2c, Kind::r2c, Kind::c2r, Kind::r2r};

TransformCase case_of(Kind kind, Precision precision, const std::string& local_fft, Effort effort) {
  // 13, 97 and 64: FFTW takes each in another way.
  TransformCase c{{13, 6, 97}, "slab", "natural", kind, precision, quick()};
  if (kind == Kind::c2c) c.shape = {6, 8, 64};
  if (kind == Kind::r2r) c.options.transforms = {AxisTransform::dct2, AxisTransform::dct1, AxisTransform::dst4};
  if (kind == Kind::r2r) c.shape = {6, 5, 8};
  c.options.local_fft = local_fft;
  c.options.effort = effort;
  return c;
}

/// An application's own use of FFTW, and what it calls to please leak checkers.
void plan_and_clean_up() {
  std::array<Value, 64> own{};
  auto* const data = reinterpret_cast<fftw_complex*>(own.data());
  fftw_destroy_plan(fftw_plan_dft_1d(64, data, data, FFTW_FORWARD, FFTW_MEASURE));
  fftw_cleanup();
  fftwf_cleanup();
}

TEST(BesideOthers, WhoCleansFftwUp) {
  for (const Kind kind : kinds)
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      const TransformCase c =
          case_of(kind, precision, "fftw", precision == Precision::f64 ? Effort::measure : Effort::estimate);
      SCOPED_TRACE(c.name());
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      plan_and_clean_up();
      Plan later = make_plan(MPI_COMM_WORLD, c);
      check_plan(plan, c);
      fftw_forget_wisdom();
      check_plan(later, c);
      if (kind != Kind::c2c) plan_and_clean_up();
    }
}

/// Traps while it lives.
class Traps {
 public:
  Traps() : before_(feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW)) {}
  ~Traps() {
    feclearexcept(FE_ALL_EXCEPT);
    fedisableexcept(FE_ALL_EXCEPT);
    feenableexcept(before_);
  }
  Traps(const Traps&) = delete;
  Traps& operator=(const Traps&) = delete;

 private:
  int before_;
};

/// A trap would end this process.
TEST(BesideOthers, WhoTrapsFloatingPointExceptions) {
  const Traps traps;
  for (const Kind kind : kinds)
    for (const std::string& local_fft : local_fft_names()) {
      if (kind == Kind::r2r && local_fft == "mkl") continue;
      for (const Precision precision : {Precision::f64, Precision::f32}) {
        TransformCase c = case_of(kind, precision, local_fft, Effort::estimate);
        SCOPED_TRACE(c.name());
        c.options.verify = precision == Precision::f64;
        c.options.threads = 2;
        check_case(c);
      }
    }
  for (const Kind kind : kinds) check_case(case_of(kind, Precision::f64, "auto", Effort::measure));
  for (const std::string& algorithm : algorithm_names()) {
    TransformCase c = case_of(Kind::c2c, Precision::f64, "auto", Effort::estimate);
    if (algorithm == "cyclic" || algorithm == "six_step") c.shape = {576};
    c.options.algorithm = algorithm;
    c.options.chunks = 2;
    SCOPED_TRACE(c.name());
    const Failure failure = failure_of([&] { check_case(c); });
    EXPECT_TRUE(!failure.failed() || failure.code == Status::unsupported || failure.code == Status::invalid_argument)
        << failure.text;
  }
}

/// Signals, each of which ends the system call that it comes into.
class Interruptions {
 public:
  Interruptions() {
    came = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { came = came + 1; };  // no SA_RESTART
    sigaction(SIGALRM, &action, &before_);
    const itimerval often{{0, 500}, {0, 500}};
    setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~Interruptions() {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before_, nullptr);
  }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;
  static inline volatile std::sig_atomic_t came = 0;

 private:
  struct sigaction before_ {};
};

TEST(BesideOthers, WhoHandlesSignals) {
  {
    const Interruptions interruptions;
    for (const std::string& exchange : exchange_names()) {
      TransformCase c = case_of(Kind::r2c, Precision::f64, "auto", Effort::measure);
      c.shape = {64, 60, 50};
      c.options.exchange = exchange;
      SCOPED_TRACE(c.name());
      check_case(c);
    }
  }
  EXPECT_GT(Interruptions::came, 10);
}

/// Every rank forks a child that writes whatever it finds in arrays, while the ranks run the plan.
TEST(BesideOthers, WhoForks) {
  TransformCase c = case_of(Kind::c2c, Precision::f64, "auto", Effort::estimate);
  c.options.exchange = "shared_window";
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_plan(plan, c);
  const Buffer in = plan.allocate_input(), out = plan.allocate_output();
  std::memset(in.data(), 0, in.bytes());
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    for (int i = 0; i < 20; ++i) {
      std::memset(in.data(), 0x41 + i, in.bytes());
      std::memset(out.data(), 0x41 + i, out.bytes());
      usleep(1000);
    }
    _exit(failure_of([&] { plan.forward(in.data(), out.data()); }).text.find("forked") == std::string::npos ? 1 : 0);
  }
  for (int i = 0; i < 20; ++i) {
    plan.forward(in.data(), out.data());
    const auto* const bytes = static_cast<const char*>(out.data());
    EXPECT_TRUE(std::all_of(bytes, bytes + out.bytes(), [](char b) { return b == 0; })) << "the child's";
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  check_plan(plan, c);
}

}  // namespace
}  // namespace shardfft::test
