#include "exchange/collective.hpp"

namespace shardfft {

CountsByRank counts_by_rank(const Blocks& blocks, int ranks) {
  CountsByRank result;
  result.counts.assign(static_cast<std::size_t>(ranks), 0);
  result.displacements.assign(static_cast<std::size_t>(ranks), 0);
  for (int i = 0; i < blocks.size(); ++i) {
    const auto peer = static_cast<std::size_t>(blocks[i].peer);
    result.counts[peer] = narrow(blocks[i].count, "count");
    result.displacements[peer] = narrow(blocks.offset(i), "displacement");
  }
  return result;
}

TypesByRank::TypesByRank(int ranks)
    : counts(static_cast<std::size_t>(ranks), 0),
      displacements(static_cast<std::size_t>(ranks), 0),
      types(static_cast<std::size_t>(ranks), MPI_BYTE) {}

void TypesByRank::set(int peer, Datatype type) {
  counts[static_cast<std::size_t>(peer)] = 1;
  types[static_cast<std::size_t>(peer)] = type.get();
  owned.push_back(std::move(type));
}

namespace {

Datatype box_type(const Box& box, std::size_t element_bytes) {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  Datatype type = Datatype::element(element_bytes);
  for (int a = box.axes - 1; a >= 0; --a) {
    const auto i = static_cast<std::size_t>(a);
    type = a == box.axes - 1 && box.stride[i] == 1 ? Datatype::contiguous(box.count[i], type)
                                                   : Datatype::repeat(box.count[i], box.stride[i] * bytes, type);
  }
  return type;
}

}  // namespace

Datatype message_type(const Message& message, std::size_t element_bytes) {
  std::vector<Datatype::Part> parts;
  for (const Box& box : message.boxes)
    parts.push_back({box.offset * static_cast<std::int64_t>(element_bytes), box_type(box, element_bytes)});
  return Datatype::join(parts);
}

}  // namespace shardfft
