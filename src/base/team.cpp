#include "base/team.hpp"

#include <omp.h>

#include <exception>

namespace shardfft {

void run_team(int threads, const std::function<void(int)>& work) {
  if (threads == 1) return work(0);
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    // A team may be smaller than asked for (nested regions, limits); then some threads do the work of several.
    for (int t = omp_get_thread_num(); t < threads; t += omp_get_num_threads()) {
      try {
        work(t);
      } catch (...) {
        thrown[static_cast<std::size_t>(t)] = std::current_exception();
      }
    }
  }
  for (const std::exception_ptr& e : thrown)
    if (e) std::rethrow_exception(e);
}

}  // namespace shardfft
