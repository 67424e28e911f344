#include "shared_plans.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "shardfft/option_table.hpp"

namespace shardfft::compat {

namespace {

/// A plan, with a key of all its arguments. Numbers are the same on all ranks of a plan.
struct Known {
  std::int64_t number;
  MPI_Group ranks;
  std::string key;
  std::weak_ptr<Plan> plan;
};

/// Several threads must not call FFTW's planners at once; therefore no lock is needed here either.
std::vector<Known>& known_plans() {
  static std::vector<Known> known;
  return known;
}

std::string key_of(Transform transform, const Layout& from, const Layout& to, const Options& options) {
  std::string key;
  for (const std::uint64_t number :
       {static_cast<std::uint64_t>(transform.kind), static_cast<std::uint64_t>(transform.precision), from.fingerprint(),
        to.fingerprint()})
    key += std::to_string(number) + " ";
  for (const OptionRow& row : option_table()) key += option_text(row, options) + " ";
  return key;
}

void forget_the_dead() {
  std::erase_if(known_plans(), [](Known& known) {
    if (!known.plan.expired()) return false;
    MPI_Group_free(&known.ranks);
    return true;
  });
}

}  // namespace

std::shared_ptr<Plan> shared_plan(MPI_Comm comm, Transform transform, const Layout& from, const Layout& to,
                                  const Options& options) {
  static std::int64_t last = 0;
  int threads = MPI_THREAD_SINGLE;
  MPI_Query_thread(&threads);
  if (threads == MPI_THREAD_MULTIPLE) return std::make_shared<Plan>(comm, transform, from, to, options);
  forget_the_dead();
  Known wanted{0, MPI_GROUP_NULL, key_of(transform, from, to, options), {}};
  MPI_Comm_group(comm, &wanted.ranks);
  std::shared_ptr<Plan> plan;
  for (const Known& known : known_plans()) {
    int same = MPI_UNEQUAL;
    MPI_Group_compare(known.ranks, wanted.ranks, &same);
    if (same != MPI_IDENT || known.key != wanted.key) continue;
    plan = known.plan.lock();
    wanted.number = known.number;
  }
  // Another rank may have destroyed its part already, or may have counted other plans.
  std::array<std::int64_t, 3> all{wanted.number, -wanted.number, -last};
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_INT64_T, MPI_MIN, comm);
  if (all[0] > 0 && all[0] == -all[1]) {
    MPI_Group_free(&wanted.ranks);
    return plan;
  }
  try {
    plan = std::make_shared<Plan>(comm, transform, from, to, options);
  } catch (...) {
    MPI_Group_free(&wanted.ranks);
    throw;
  }
  wanted.number = last = 1 - all[2];
  wanted.plan = plan;
  known_plans().push_back(std::move(wanted));
  return plan;
}

}  // namespace shardfft::compat
