#include "mpi/datatype.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "base/hooks.hpp"
#include "mpi/communicator.hpp"
#include "mpi/imagined.hpp"

namespace shardfft {

std::int64_t mpi_count_limit() {
  const CountLimit* const lowered = installed<CountLimit>();
  return lowered != nullptr ? lowered->most : std::numeric_limits<int>::max();
}

namespace {

/// A count of 1 cannot be nested.
std::int64_t nested_from() { return std::max<std::int64_t>(mpi_count_limit(), 2); }

}  // namespace

Datatype Datatype::adopt(MPI_Datatype made) {
  check_mpi(MPI_Type_commit(&made), "MPI_Type_commit");
  Datatype result(made);
  result.owner_ = std::shared_ptr<void>(nullptr, [made](void*) {
    MPI_Datatype type = made;
    if (!mpi_finalized()) MPI_Type_free(&type);
  });
  return result;
}

Datatype Datatype::element(std::size_t bytes) {
  switch (bytes) {
    case 1:
      return Datatype(MPI_BYTE);
    case 2:
      return Datatype(MPI_UINT16_T);
    case 4:
      return Datatype(MPI_FLOAT);
    case 8:
      return Datatype(MPI_DOUBLE);
    case 16:
      return Datatype(MPI_C_DOUBLE_COMPLEX);
    default:
      fail(Status::unsupported, "no MPI datatype for elements of ", bytes, " bytes");
  }
}

Datatype Datatype::repeat(std::int64_t count, std::int64_t stride_bytes, const Datatype& of) {
  if (ImaginedRanks::work_here()) return {};
  const std::int64_t limit = nested_from();
  if (count <= limit) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_create_hvector(narrow(count, "count"), 1, stride_bytes, of.get(), &made),
              "MPI_Type_create_hvector");
    return adopt(made);
  }
  const Datatype chunk = repeat(limit, stride_bytes, of);
  const Datatype chunks = repeat(count / limit, stride_bytes * limit, chunk);
  const std::int64_t rest = count % limit;
  if (rest == 0) return chunks;
  return join({{0, chunks}, {(count - rest) * stride_bytes, repeat(rest, stride_bytes, of)}});
}

Datatype Datatype::contiguous(std::int64_t count, const Datatype& of) {
  if (ImaginedRanks::work_here()) return {};
  if (count > nested_from()) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    check_mpi(MPI_Type_get_extent(of.get(), &lower, &extent), "MPI_Type_get_extent");
    return repeat(count, extent, of);
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(narrow(count, "count"), of.get(), &made), "MPI_Type_contiguous");
  return adopt(made);
}

Datatype Datatype::join(const std::vector<Part>& parts) {
  if (ImaginedRanks::work_here()) return {};
  std::vector<int> counts(parts.size(), 1);
  std::vector<MPI_Aint> displacements;
  std::vector<MPI_Datatype> types;
  for (const Part& part : parts) {
    displacements.push_back(part.displacement_bytes);
    types.push_back(part.type.get());
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_struct(narrow(static_cast<std::int64_t>(parts.size()), "parts of a datatype"),
                                   counts.data(), displacements.data(), types.data(), &made),
            "MPI_Type_create_struct");
  return adopt(made);
}

}  // namespace shardfft
