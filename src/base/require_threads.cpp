#include "base/require_threads.hpp"

#include <omp.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <latch>
#include <vector>

#include "base/available_memory.hpp"
#include "base/check.hpp"
#include "base/environment.hpp"
#include "base/forks.hpp"

namespace shardfft {

namespace {

/// The value of OMP_STACKSIZE ("16M"; kilobytes without a unit), or 0.
std::size_t asked_stack_bytes() {
  const std::string said = environment("OMP_STACKSIZE").value_or("");
  char* end = nullptr;
  const std::size_t number = std::strtoul(said.c_str(), &end, 10);
  while (std::isspace(static_cast<unsigned char>(*end)) != 0) ++end;
  switch (std::toupper(static_cast<unsigned char>(*end))) {
    case 'B':
      return number;
    case 'M':
      return number << 20;
    case 'G':
      return number << 30;
    default:
      return number << 10;
  }
}

/// How OpenMP starts its threads.
class Attributes {
 public:
  Attributes() {
    pthread_attr_init(&attributes_);
    if (const std::size_t bytes = asked_stack_bytes(); bytes > 0) pthread_attr_setstacksize(&attributes_, bytes);
  }
  ~Attributes() { pthread_attr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const pthread_attr_t* get() const { return &attributes_; }
  std::size_t stack_bytes() const {
    std::size_t bytes = 0;
    pthread_attr_getstacksize(&attributes_, &bytes);
    return bytes;
  }

 private:
  pthread_attr_t attributes_{};
};

/// Whether addresses are so few that threads which OpenMP ends and starts again, for a smaller team and a larger one,
/// may not find any.
bool few_addresses(int threads) {
  const Room room = address_room();
  if (room.limit.empty()) return false;
  return static_cast<double>(room.bytes) < 2.0 * threads * static_cast<double>(Attributes().stack_bytes());
}

void* wait_for(void* latch) {
  static_cast<std::latch*>(latch)->wait();
  return nullptr;
}

/// Starts `count` threads at once, and ends them. Returns the error, or 0.
int try_threads(int count) {
  const Attributes attributes;
  std::latch all_tried(1);
  std::vector<pthread_t> threads(static_cast<std::size_t>(count));
  std::size_t started = 0;
  int error = 0;
  while (error == 0 && started < threads.size()) {
    error = pthread_create(&threads[started], attributes.get(), wait_for, &all_tried);
    if (error == 0) ++started;
  }
  all_tried.count_down();
  for (std::size_t i = 0; i < started; ++i) pthread_join(threads[i], nullptr);
  return error;
}

std::string limits() {
  rlimit processes{};
  std::string text =
      "; limits are those on processes and addresses (ulimit -u, -v), and on tasks of the control group "
      "(pids.max)";
  if (getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_cur != RLIM_INFINITY)
    text += "; RLIMIT_NPROC is " + std::to_string(processes.rlim_cur);
  if (const Room room = address_room(); !room.limit.empty())
    text += "; " + room.limit + ", of which " + in_mebibytes(static_cast<double>(room.bytes)) + " are left";
  return text;
}

}  // namespace

void require_threads(int threads) {
  thread_local int started = 1;
  thread_local std::uint64_t started_after = 0;
  const std::uint64_t forks = forks_begun();
  if (started_after != forks) started = 1;
  started_after = forks;
  const int wanted = std::min(threads, omp_get_thread_limit());
  if (wanted <= 1) return;
  const bool few = few_addresses(wanted);
  if (wanted <= started && !few) return;
  if (few) omp_pause_resource_all(omp_pause_soft);  // the running ones would be counted twice
  if (const int error = try_threads(wanted - 1); error != 0)
    fail(Status::out_of_memory, "option threads is ", threads, ", but this process cannot start ", wanted - 1,
         " more threads: ", std::strerror(error), limits());
    // Start the threads at once, before other memory takes their addresses.
#pragma omp parallel num_threads(wanted)
  {}
  started = wanted;
}

}  // namespace shardfft
