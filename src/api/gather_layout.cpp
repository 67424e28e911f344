// A layout from the sets that each rank names as its own.
#include "api/problem.hpp"
#include "mpi/communicator.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

Layout gather_layout(MPI_Comm user_comm, const Shape& shape, const IndexSet& mine, const AxisOrder& order) {
  const Communicator comm = Communicator::duplicate(user_comm);
  agree(comm, [&] {
    require(shape.size() <= max_user_axes, "an array needs 1 to ", max_user_axes, " axes, got ", shape.size());
    require(mine.axes == static_cast<int>(shape.size()), "the index set has ", mine.axes, " axes, the array has ",
            shape.size());
  });
  constexpr std::size_t numbers = 3 * max_axes;
  std::vector<std::int64_t> own(numbers, 0);
  for (std::size_t a = 0; a < shape.size(); ++a) {
    own[3 * a] = mine.axis[a].first;
    own[3 * a + 1] = mine.axis[a].count;
    own[3 * a + 2] = mine.axis[a].stride;
  }
  std::vector<std::int64_t> all(numbers * static_cast<std::size_t>(comm.size()));
  check_mpi(MPI_Allgather(own.data(), numbers, MPI_INT64_T, all.data(), numbers, MPI_INT64_T, comm.get()),
            "MPI_Allgather");
  std::vector<IndexSet> sets(static_cast<std::size_t>(comm.size()));
  for (std::size_t r = 0; r < sets.size(); ++r) {
    sets[r].axes = mine.axes;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      const std::int64_t* p = &all[r * numbers + 3 * a];
      sets[r].axis[a] = {p[0], p[1], p[2]};
    }
  }
  Layout layout;
  const Failure failure = failure_of([&] {
    layout = Layout::boxes(shape, std::move(sets), order);
    layout.validate();
  });
  agree_same(comm, "gather_layout", {agreed_layout("arrays or orders of axes", failure.failed() ? Layout() : layout)},
             Effort::estimate, failure);
  return layout;
}

}  // namespace shardfft
