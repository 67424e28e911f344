#include "base/team.hpp"

#include <omp.h>

#include <atomic>
#include <exception>

namespace shardfft {
namespace {

/// The work of a team. OpenMP's own barriers order memory, but ThreadSanitizer does not see those of a library that it
/// has not compiled: `order` shows it that the work begins after what the caller did before, and ends before what it
/// does then.
struct Team {
  int threads;
  const std::function<void(int)>& work;
  std::vector<std::exception_ptr> thrown;
  std::atomic<int> order{0};

  /// A team may be smaller than asked for (nested regions, limits); then some threads do the work of several.
  void run(int thread, int running) {
    order.load(std::memory_order_acquire);
    for (int t = thread; t < threads; t += running) {
      try {
        work(t);
      } catch (...) {
        thrown[static_cast<std::size_t>(t)] = std::current_exception();
      }
    }
    order.fetch_add(1, std::memory_order_release);
  }
};

/// Not looked at: a thread reads where the team is before it can show an order.
__attribute__((no_sanitize("thread"))) void run_parallel(Team* team) {
#pragma omp parallel num_threads(team->threads)
  team->run(omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace

void run_team(int threads, const std::function<void(int)>& work) {
  if (threads == 1) return work(0);
  Team team{threads, work, std::vector<std::exception_ptr>(static_cast<std::size_t>(threads))};
  team.order.store(0, std::memory_order_release);
  run_parallel(&team);
  team.order.load(std::memory_order_acquire);
  for (const std::exception_ptr& e : team.thrown)
    if (e) std::rethrow_exception(e);
}

}  // namespace shardfft
