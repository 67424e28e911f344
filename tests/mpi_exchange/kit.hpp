#pragma once
// Conformance of exchanges: index-encoded elements move between two layouts, and every byte is checked.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/hooks.hpp"
#include "exchange/exchange.hpp"
#include "mpi/datatype.hpp"
#include "pack/pack.hpp"
#include "shardfft/options.hpp"

namespace shardfft::kit {

inline const Communicator& world() {
  static const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  return comm;
}

struct Case {
  std::string name;
  Layout from;
  Layout to;
  std::size_t element_bytes = 8;
  std::int64_t count_limit = mpi_count_limit();
  int fake_ranks_per_host = 0;
  int threads = 1;
  bool basic_types = false;
};

/// Element bytes filled from the global number of an element; `salt` tells runs apart.
inline void encode(std::byte* to, std::size_t bytes, std::uint64_t number, std::uint64_t salt) {
  const std::uint64_t words[2] = {number * 0x9E3779B97F4A7C15ULL + salt, ~number ^ (salt << 32)};
  const auto small = static_cast<std::uint32_t>(number * 8 + salt);
  std::memcpy(to, bytes == 4 ? static_cast<const void*>(&small) : words, bytes);
}

/// Calls visit(local offset, global number) for every element of `piece`.
template <class Visit>
void for_elements(const Piece& piece, const Shape& shape, const Visit& visit) {
  const std::int64_t count = piece.set.count();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t offset = piece.offset;
    std::int64_t number = 0;
    std::int64_t scale = 1;
    for (int a = piece.set.axes - 1; a >= 0; --a) {
      const auto axis = static_cast<std::size_t>(a);
      const Progression& p = piece.set.axis[axis];
      const std::int64_t k = rest % p.count;
      rest /= p.count;
      offset += k * piece.stride[axis];
      number += p.at(k) * scale;
      scale *= shape[axis];
    }
    visit(offset, number);
  }
}

constexpr std::size_t guard_bytes = 64;
constexpr unsigned char poison = 0xCD;

/// The local array of `rank`, encoded, with poison behind it.
inline std::vector<std::byte> encoded(const Layout& layout, int rank, std::size_t element_bytes, std::uint64_t salt) {
  const auto bytes = static_cast<std::size_t>(layout.count(rank)) * element_bytes;
  std::vector<std::byte> array(bytes + guard_bytes, std::byte{poison});
  for (const Piece& piece : layout.pieces(rank))
    for_elements(piece, layout.shape(), [&](std::int64_t offset, std::int64_t number) {
      encode(array.data() + offset * static_cast<std::int64_t>(element_bytes), element_bytes,
             static_cast<std::uint64_t>(number), salt);
    });
  return array;
}

/// One exchange with its arrays, so that tests can interleave several.
class Runner {
 public:
  Runner(const std::string& strategy, const Case& c) : case_(c) {
    CountLimit limit{c.count_limit};
    const Installed lowered(limit);
    ExchangeSetup setup;
    setup.comm = world();
    setup.schedule = make_schedule(c.from, c.to, world().rank());
    setup.element_bytes = c.element_bytes;
    setup.fake_ranks_per_host = c.fake_ranks_per_host;
    setup.threads = c.threads;
    setup.basic_types = c.basic_types;
    setup.trace = &trace_;
    self_ = setup.schedule.self;
    exchange_ = make_exchange(strategy, setup);
    workspace_ = allocate_aligned(exchange_->workspace_bytes() + guard_bytes);
  }

  void start(std::uint64_t salt) {
    const int rank = world().rank();
    source_ = encoded(case_.from, rank, case_.element_bytes, salt);
    wanted_ = encoded(case_.to, rank, case_.element_bytes, salt);
    destination_.assign(wanted_.size(), std::byte{poison});
    std::memset(workspace_.get(), poison, exchange_->workspace_bytes() + guard_bytes);
    exchange_->start(buffers());
    for (const LocalCopy& c : self_)
      copy_box(source_.data(), c.from, destination_.data(), c.to, case_.element_bytes, case_.threads);
  }

  void progress() { exchange_->progress(buffers()); }

  void finish(std::uint64_t salt) {
    exchange_->finish(buffers());
    const auto element = static_cast<std::ptrdiff_t>(case_.element_bytes);
    std::ptrdiff_t wrong = -1;
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(wanted_.size()) && wrong < 0; ++i)
      if (destination_[static_cast<std::size_t>(i)] != wanted_[static_cast<std::size_t>(i)]) wrong = i / element;
    EXPECT_EQ(wrong, -1) << "first wrong element of " << case_.name;
    EXPECT_EQ(source_, encoded(case_.from, world().rank(), case_.element_bytes, salt)) << "source of " << case_.name;
    for (std::size_t i = 0; i < guard_bytes; ++i)
      ASSERT_EQ(workspace_.get()[exchange_->workspace_bytes() + i], std::byte{poison}) << "workspace of " << case_.name;
  }

  const Trace& trace() const { return trace_; }

 private:
  ExchangeBuffers buffers() { return {source_.data(), destination_.data(), workspace_.get()}; }

  Case case_;
  Trace trace_;
  std::vector<LocalCopy> self_;
  std::unique_ptr<Exchange> exchange_;
  AlignedMemory workspace_;
  std::vector<std::byte> source_;
  std::vector<std::byte> wanted_;
  std::vector<std::byte> destination_;
};

/// The conformance test: two runs of one exchange, without and with calls of progress in between.
inline void conform(const std::string& strategy, const Case& c) {
  SCOPED_TRACE(strategy + " on " + c.name + ", element " + std::to_string(c.element_bytes));
  Runner runner(strategy, c);
  for (std::uint64_t run = 1; run <= 2; ++run) {
    runner.start(run);
    for (std::uint64_t i = 0; run == 2 && i < 3; ++i) runner.progress();
    runner.finish(run);
  }
}

}  // namespace shardfft::kit
