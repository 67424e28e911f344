#include "exchange/link.hpp"

namespace shardfft {

namespace {

/// Each of the channels 0 to 3 of a link has its own tag.
constexpr int tags_of_a_link = 4;
constexpr int first_tag = 1024;
/// MPI guarantees tags up to 32767; after the last, the oldest are used again.
constexpr int links_before_reuse = (32767 - first_tag) / tags_of_a_link;

/// A tag that no recent link of this communicator has. The counter is an attribute of the communicator. It stays equal
/// on all members, because they make their links in the same order.
int draw_tag(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return first_tag;  // imagined ranks send nothing
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made, nullptr),
              "MPI_Comm_create_keyval");
    return made;
  }();
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, key, &value, &found), "MPI_Comm_get_attr");
  const std::intptr_t drawn = found != 0 ? reinterpret_cast<std::intptr_t>(value) : 0;
  check_mpi(MPI_Comm_set_attr(comm, key, reinterpret_cast<void*>((drawn + 1) % links_before_reuse)),
            "MPI_Comm_set_attr");
  return first_tag + static_cast<int>(drawn) * tags_of_a_link;
}

}  // namespace

Link::Link(const ExchangeSetup& setup)
    : comm_(setup.comm),
      element_(Datatype::element(setup.element_bytes).get()),
      element_bytes_(static_cast<std::int64_t>(setup.element_bytes)),
      count_limit_(mpi_count_limit()),
      tag_(draw_tag(setup.comm.get())) {}

void Link::send(const std::byte* data, std::int64_t count, int peer, RequestSet& requests) const {
  for (std::int64_t done = 0; done < count; done += count_limit_)
    check_mpi(MPI_Isend(data + done * element_bytes_, in_one_message(count - done), element_, peer, tag_, comm_.get(),
                        requests.add(RequestKind::send)),
              "MPI_Isend");
}

void Link::receive(std::byte* data, std::int64_t count, int peer, RequestSet& requests) const {
  for (std::int64_t done = 0; done < count; done += count_limit_)
    check_mpi(MPI_Irecv(data + done * element_bytes_, in_one_message(count - done), element_, peer, tag_, comm_.get(),
                        requests.add(RequestKind::receive)),
              "MPI_Irecv");
}

void Link::send(const std::byte* base, const Datatype& type, int peer, RequestSet& requests, int channel) const {
  check_mpi(MPI_Isend(base, 1, type.get(), peer, tag_ + channel, comm_.get(), requests.add(RequestKind::send)),
            "MPI_Isend");
}

void Link::receive(std::byte* base, const Datatype& type, int peer, RequestSet& requests, int channel) const {
  check_mpi(MPI_Irecv(base, 1, type.get(), peer, tag_ + channel, comm_.get(), requests.add(RequestKind::receive)),
            "MPI_Irecv");
}

}  // namespace shardfft
