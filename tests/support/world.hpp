#pragma once
// The communicator of a test program, and failures that all ranks must see alike.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"
#include "shardfft/error.hpp"
#include "shardfft/options.hpp"
#include "support/shared_seed.hpp"

namespace shardfft::test {

inline const Communicator& world() {
  static const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  return comm;
}

/// A user's communicator, which plans may ruin.
struct OwnComm {
  MPI_Comm comm = MPI_COMM_NULL;
  OwnComm() { MPI_Comm_dup(MPI_COMM_WORLD, &comm); }
  OwnComm(const OwnComm&) = delete;
  OwnComm& operator=(const OwnComm&) = delete;
  ~OwnComm() { MPI_Comm_free(&comm); }
};

/// True on all ranks if `mine` is true on any: tests stop together, so that none waits for another.
inline bool any_rank(bool mine) { return world().max(std::int64_t{mine ? 1 : 0}) != 0; }

inline bool last_rank() { return world().rank() + 1 == world().size(); }
inline std::string last_rank_text() { return "rank " + std::to_string(world().size() - 1); }

inline double sum_over_ranks(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world().get());
  return all;
}

/// Every rank must throw Error(code) whose words contain `words`. Collective.
inline void expect_error(Status code, const std::string& words, const std::function<void()>& work) {
  Status seen = Status::ok;
  std::string text;
  try {
    work();
  } catch (const Error& e) {
    seen = e.code();
    text = e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
  }
  EXPECT_EQ(static_cast<int>(seen), static_cast<int>(code)) << (text.empty() ? "no exception" : text);
  EXPECT_NE(text.find(words), std::string::npos) << "says: " << text;
}

/// Exchanges that can run on their own (shared_window is the executor's).
inline std::vector<std::string> plain_exchanges() {
  std::vector<std::string> names = exchange_names();
  names.erase(std::remove(names.begin(), names.end(), "shared_window"), names.end());
  return names;
}

}  // namespace shardfft::test
