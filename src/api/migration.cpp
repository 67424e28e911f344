#include "api/migration.hpp"

#include <algorithm>
#include <cstdint>

#include "api/problem.hpp"
#include "mpi/datatype.hpp"
#include "pack/pack.hpp"

namespace shardfft {

Migration::Impl::Impl(Communicator c, const std::vector<int>& owner)
    : comm(std::move(c)),
      order(owner.size()),
      sent(static_cast<std::size_t>(comm.size())),
      received(static_cast<std::size_t>(comm.size())) {
  agree(comm, [&] {
    for (std::size_t i = 0; i < owner.size(); ++i) {
      require(owner[i] >= 0 && owner[i] < comm.size(), "record ", i, " goes to rank ", owner[i], ", which is none of ",
              comm.size());
      order[i] = static_cast<std::int64_t>(i);
      ++sent[static_cast<std::size_t>(owner[i])];
    }
    narrow(static_cast<std::int64_t>(owner.size()), "the number of records of a rank");
  });
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return owner[static_cast<std::size_t>(a)] < owner[static_cast<std::size_t>(b)];
  });
  check_mpi(MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm.get()), "MPI_Alltoall");
  for (const int count : received) coming += count;
  agree(comm, [&] { narrow(coming, "the number of records that a rank is sent"); });
}

void Migration::Impl::exchange(const std::byte* from, std::byte* to, std::size_t bytes, bool forward) const {
  const auto places = [](const std::vector<int>& counts) {
    std::vector<int> begin(counts.size(), 0);
    for (std::size_t r = 1; r < counts.size(); ++r) begin[r] = begin[r - 1] + counts[r - 1];
    return begin;
  };
  const std::vector<int>&out = forward ? sent : received, &in = forward ? received : sent;
  const std::vector<int> out_at = places(out), in_at = places(in);
  const Datatype record = Datatype::contiguous(static_cast<std::int64_t>(bytes), Datatype::element(1));
  check_mpi(MPI_Alltoallv(from, out.data(), out_at.data(), record.get(), to, in.data(), in_at.data(), record.get(),
                          comm.get()),
            "MPI_Alltoallv");
}

AlignedMemory Migration::Impl::room(const void* in, bool any_in, const void* out, bool any_out,
                                    std::size_t bytes) const {
  AlignedMemory packed;
  const Failure failure = failure_of([&] {
    require(in != nullptr || !any_in, "the records are a null pointer");
    require(out != nullptr || !any_out, "the place for moved records is a null pointer");
    require(bytes > 0, "records have 0 bytes; at least 1 is needed");
    const std::size_t most = std::max<std::size_t>({1, order.size(), static_cast<std::size_t>(coming)});
    require(bytes <= PTRDIFF_MAX / most, "records of ", bytes, " bytes need more memory than there are addresses");
    packed = allocate_aligned(order.size() * bytes);
  });
  agree_same(comm, "migrate", {{"sizes of records", bytes, std::to_string(bytes)}}, Effort::estimate, failure);
  return packed;
}

Migration::Migration(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Migration::Migration(MPI_Comm comm, const std::vector<int>& owner)
    : impl_(std::make_unique<Impl>(Communicator::duplicate(comm), owner)) {}
Migration::~Migration() = default;
Migration::Migration(Migration&&) noexcept = default;
Migration& Migration::operator=(Migration&&) noexcept = default;

const Migration::Impl& Migration::impl() const {
  require(impl_ != nullptr, "this migration was moved from: only the one that it was moved to can be used");
  return *impl_;
}

std::int64_t Migration::sent() const { return static_cast<std::int64_t>(impl().order.size()); }
std::int64_t Migration::received() const { return impl().coming; }

void Migration::move(const void* records, std::size_t bytes, void* moved) const {
  const Impl& mine = impl();
  const AlignedMemory packed = mine.room(records, sent() > 0, moved, received() > 0, bytes);
  const auto* const from = static_cast<const std::byte*>(records);
  for (std::size_t i = 0; i < mine.order.size(); ++i)
    copy_bytes(from + static_cast<std::size_t>(mine.order[i]) * bytes, packed.get() + i * bytes, bytes);
  mine.exchange(packed.get(), static_cast<std::byte*>(moved), bytes, true);
}

void Migration::back(const void* moved, std::size_t bytes, void* records) const {
  const Impl& mine = impl();
  const AlignedMemory packed = mine.room(moved, received() > 0, records, sent() > 0, bytes);
  mine.exchange(static_cast<const std::byte*>(moved), packed.get(), bytes, false);
  auto* const to = static_cast<std::byte*>(records);
  for (std::size_t i = 0; i < mine.order.size(); ++i)
    copy_bytes(packed.get() + i * bytes, to + static_cast<std::size_t>(mine.order[i]) * bytes, bytes);
}

}  // namespace shardfft
