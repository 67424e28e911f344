// Datatypes with counts that are cut, and request sets.
#include <gtest/gtest.h>

#include <numeric>

#include "exchange/collective.hpp"
#include "kit.hpp"
#include "mpi/datatype.hpp"
#include "mpi/request.hpp"

namespace shardfft::kit {
namespace {

/// The elements that `type` picks from 0, 1, 2, ... doubles, in its order: MPI_Pack is the judge.
std::vector<double> picked(const Datatype& type, int extent) {
  std::vector<double> array(static_cast<std::size_t>(extent));
  std::iota(array.begin(), array.end(), 0.0);
  int bytes = 0;
  check_mpi(MPI_Type_size(type.get(), &bytes), "MPI_Type_size");
  std::vector<double> result(static_cast<std::size_t>(bytes) / sizeof(double));
  if (bytes == 0) return result;
  int position = 0;
  check_mpi(MPI_Pack(array.data(), 1, type.get(), result.data(), bytes, &position, world().get()), "MPI_Pack");
  return result;
}

std::vector<double> numbers(int count) {
  std::vector<double> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), 0.0);
  return result;
}

/// What `make` makes where MPI takes counts up to `limit`.
template <class Make>
Datatype within(std::int64_t limit, const Make& make) {
  CountLimit lower{limit};
  const Installed lowered(lower);
  return make();
}

TEST(DatatypeTest, ContiguousForAnyLimit) {
  for (const std::int64_t limit : {1, 2, 3, 8, 1000}) {
    for (const int elements : {0, 1, 2, 7, 20})
      EXPECT_EQ(picked(within(limit, [&] { return Datatype::contiguous(elements * 8, Datatype::element(1)); }), 20),
                numbers(elements))
          << limit;
  }
}

TEST(DatatypeTest, CountsAboveIntAreNested) {
  const std::int64_t bytes = (std::int64_t{1} << 33) + 5;
  MPI_Count size = 0;
  MPI_Type_size_x(Datatype::contiguous(bytes, Datatype::element(1)).get(), &size);
  EXPECT_EQ(static_cast<std::int64_t>(size), bytes);
  const Datatype strided = Datatype::repeat(bytes, 16, Datatype::element(8));
  MPI_Type_size_x(strided.get(), &size);
  EXPECT_EQ(static_cast<std::int64_t>(size), bytes * 8);
}

TEST(DatatypeTest, StridedForAnyLimit) {
  for (const std::int64_t limit : {1, 2, 3, 5, 1000}) {
    const auto row = within(limit, [] { return Datatype::repeat(11, 3 * 8, Datatype::element(8)); });
    std::vector<double> wanted;
    for (int i = 0; i < 11; ++i) wanted.push_back(3 * i);
    EXPECT_EQ(picked(row, 40), wanted) << limit;
  }
}

TEST(DatatypeTest, MessagesOfBoxes) {
  Message message;
  message.boxes.push_back({3, 2, {2, 3, 2}, {50, 2, 20}});
  message.boxes.push_back({0, 99, {}, {}});
  message.boxes.push_back({1, 101, {4}, {1}});
  const std::vector<double> wanted = {2, 22, 4, 24, 6, 26, 52, 72, 54, 74, 56, 76, 99, 101, 102, 103, 104};
  for (const std::int64_t limit : {1, 2, 3, 1000})
    EXPECT_EQ(picked(within(limit, [&] { return message_type(message, 8); }), 110), wanted) << limit;
}

TEST(DatatypeTest, UnknownElementSize) { EXPECT_THROW(Datatype::element(3), Error); }

TEST(RequestSetTest, WaitsAndTests) {
  const int rank = world().rank();
  const int next = (rank + 1) % world().size();
  const int last = (rank + world().size() - 1) % world().size();
  RequestSet requests;
  int got[2] = {-1, -1};
  const int mine[2] = {rank, rank + 100};
  for (int i = 0; i < 2; ++i)
    MPI_Irecv(&got[i], 1, MPI_INT, last, i, world().get(), requests.add(RequestKind::receive));
  for (int i = 0; i < 2; ++i) MPI_Isend(&mine[i], 1, MPI_INT, next, i, world().get(), requests.add(RequestKind::send));
  int done = 0;
  while (requests.wait_any() >= 0) ++done;
  EXPECT_EQ(done, 4);
  EXPECT_EQ(requests.test_any(), -1);
  EXPECT_TRUE(requests.test_all());
  EXPECT_EQ(requests.size(), 0U);
  EXPECT_EQ(got[0], last);
  EXPECT_EQ(got[1], last + 100);
}

TEST(RequestSetTest, UnmatchedReceiveIsCancelled) {
  int never = 0;
  {
    RequestSet requests;
    MPI_Irecv(&never, 1, MPI_INT, world().rank(), 77, world().get(), requests.add(RequestKind::receive));
  }
  world().barrier();
  EXPECT_EQ(never, 0);
}

}  // namespace
}  // namespace shardfft::kit
