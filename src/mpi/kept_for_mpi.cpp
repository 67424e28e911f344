#include "mpi/kept_for_mpi.hpp"

#include <mutex>
#include <vector>

namespace shardfft {

void keep_for_mpi(std::shared_ptr<void> what) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::shared_ptr<void>>;  // never destroyed: MPI may end after statics
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(what));
}

}  // namespace shardfft
