#pragma once
// Conformance of the exchanges between GPUs: index-encoded elements move between two layouts, several times without a
// pause, so that what is not ordered by events or messages shows as elements of another run.
#include "gpu/move/exchange.hpp"
#include "mpi_exchange/layouts.hpp"

namespace shardfft::kit {

/// The members here of one reshape, with their device arrays. All that a run reads and leaves is in device memory until
/// check(): no copy from or to the host makes it wait.
class DeviceReshape {
 public:
  static constexpr std::uint64_t runs = 3;

  DeviceReshape(gpu::Team& team, const std::string& strategy, const Case& c) : team_(team), case_(c) {
    CountLimit limit{c.count_limit};
    const Installed lowered(limit);
    operations_ = gpu::make_device_reshape(strategy, {&team, c.from, c.to, c.element_bytes});
    std::vector<void*> outs;
    for (std::size_t m = 0; m < team.here().size(); ++m) {
      const device::DeviceScope scope(team.here()[m].device);
      members_.push_back(make_member(team.here()[m].rank, operations_[m]->scratch_bytes()));
      outs.push_back(members_.back().out.get());
    }
    if (operations_.front()->peers_write() != gpu::PeersWrite::nothing) outs_.share(team, outs);
  }

  /// Collective: nobody frees what another process has open.
  ~DeviceReshape() {
    for (const MemberArrays& member : members_) device::synchronize(member.stream.get());
    outs_ = {};
    team_.meet();
  }

  /// Enqueues the next of `runs` runs: fresh input, poisoned output, the reshape, copies for check(), and an input that
  /// is wiped as soon as the stream allows it.
  void run() {
    for_members([this](std::size_t, MemberArrays& a) {
      device::copy_bytes(a.in.get(), a.source[next_].get(), a.in_bytes, a.stream.get());
      device::copy_bytes(a.out.get(), a.poisoned.get(), a.out_bytes, a.stream.get());
    });
    for (int phase = 0; phase < operations_.front()->phases(); ++phase) {
      if (phase > 0) team_.meet();
      for_members([this, phase](std::size_t m, MemberArrays& a) {
        operations_[m]->enqueue(phase,
                                {static_cast<const std::byte*>(a.in.get()), static_cast<std::byte*>(a.out.get()),
                                 static_cast<std::byte*>(a.scratch.get()), outs_.all()},
                                a.stream.get());
      });
    }
    for_members([this](std::size_t, MemberArrays& a) {
      device::copy_bytes(a.kept_in[next_].get(), a.in.get(), a.in_bytes, a.stream.get());
      device::fill_zero(a.in.get(), a.in_bytes, a.stream.get());
      device::copy_bytes(a.kept_out[next_].get(), a.out.get(), a.out_bytes, a.stream.get());
    });
    ++next_;
  }

  /// Compares all runs.
  void check() {
    for_members([this](std::size_t, MemberArrays& a) {
      std::vector<std::vector<std::byte>> outs, ins;
      for (std::size_t run = 0; run < next_; ++run) {
        outs.push_back(download(a.kept_out[run], a.out_bytes, a.stream));
        ins.push_back(download(a.kept_in[run], a.in_bytes, a.stream));
      }
      device::synchronize(a.stream.get());
      for (std::size_t run = 0; run < next_; ++run) {
        expect_same(a.rank, outs[run], encoded(case_.to, a.rank, case_.element_bytes, run), run, "output");
        expect_same(a.rank, ins[run], encoded(case_.from, a.rank, case_.element_bytes, run), run, "input");
      }
    });
  }

 private:
  struct MemberArrays {
    int rank;
    std::size_t in_bytes, out_bytes;
    device::Stream stream;
    device::Memory in, out, scratch, poisoned;
    std::vector<device::Memory> source, kept_in, kept_out;
  };

  /// `bytes` stay until the stream is synchronised.
  static device::Memory upload(const std::vector<std::byte>& bytes, const device::Stream& stream) {
    device::Memory memory = device::make_memory(bytes.size());
    device::copy_bytes(memory.get(), bytes.data(), bytes.size(), stream.get());
    return memory;
  }

  /// Whole once the stream is synchronised.
  static std::vector<std::byte> download(const device::Memory& memory, std::size_t bytes,
                                         const device::Stream& stream) {
    std::vector<std::byte> copy(bytes);
    device::copy_bytes(copy.data(), memory.get(), bytes, stream.get());
    return copy;
  }

  MemberArrays make_member(int rank, std::size_t scratch_bytes) const {
    const auto bytes = [&](const Layout& layout) {
      return static_cast<std::size_t>(layout.count(rank)) * case_.element_bytes + guard_bytes;
    };
    MemberArrays a{rank, bytes(case_.from), bytes(case_.to), device::make_stream(), {}, {}, {}, {}, {}, {}, {}};
    a.in = device::make_memory(a.in_bytes);
    a.out = device::make_memory(a.out_bytes);
    a.scratch = device::make_memory(scratch_bytes);
    const std::vector<std::byte> poisoned(a.out_bytes, std::byte{poison});
    a.poisoned = upload(poisoned, a.stream);
    std::array<std::vector<std::byte>, runs> source;
    for (std::uint64_t run = 0; run < runs; ++run) {
      source[run] = encoded(case_.from, rank, case_.element_bytes, run);
      a.source.push_back(upload(source[run], a.stream));
      a.kept_in.push_back(device::make_memory(a.in_bytes));
      a.kept_out.push_back(device::make_memory(a.out_bytes));
    }
    device::synchronize(a.stream.get());
    return a;
  }

  template <class Body>
  void for_members(const Body& body) {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const device::DeviceScope scope(team_.here()[m].device);
      body(m, members_[m]);
    }
  }

  void expect_same(int rank, const std::vector<std::byte>& got, const std::vector<std::byte>& wanted, std::size_t run,
                   const char* array) const {
    ASSERT_EQ(got.size(), wanted.size());
    std::ptrdiff_t wrong = -1;
    for (std::size_t i = 0; i < wanted.size() && wrong < 0; ++i)
      if (got[i] != wanted[i]) wrong = static_cast<std::ptrdiff_t>(i / case_.element_bytes);
    EXPECT_EQ(wrong, -1) << "first wrong element of rank " << rank << "'s " << array << " in run " << run << " of "
                         << case_.name;
  }

  gpu::Team& team_;
  Case case_;
  gpu::MemberOperations operations_;
  std::vector<MemberArrays> members_;
  gpu::SharedAddresses outs_;
  std::size_t next_ = 0;
};

/// Why the team cannot use an exchange; empty where it can.
inline std::string refusal(gpu::Team& team, const std::string& strategy) {
  const int p = team.ranks();
  try {
    gpu::make_device_reshape(strategy, {&team, Layout::slab({8, 8}, p, 0), Layout::slab({8, 8}, p, 1), 8});
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Status::unsupported) << e.what();
    return e.what();
  }
  return {};
}

/// Whether an exchange that not everybody has is one that this team can use; any other one must be.
inline bool possible(gpu::Team& team, const std::string& strategy) {
  const std::string why = refusal(team, strategy);
  const bool may_lack = strategy.starts_with("mpi_device") || strategy.starts_with("nccl");
  EXPECT_TRUE(why.empty() || may_lack) << why;
  return why.empty();
}

/// All runs of one reshape, enqueued one behind the other.
inline void conform(gpu::Team& team, const std::string& strategy, const Case& c) {
  SCOPED_TRACE(strategy + " on " + c.name + ", element " + std::to_string(c.element_bytes));
  DeviceReshape reshape(team, strategy, c);
  for (std::uint64_t i = 0; i < DeviceReshape::runs; ++i) reshape.run();
  reshape.check();
}

/// Rows long enough for the copy engines; those of `cases` are short.
inline std::vector<Case> long_rows(int p) {
  std::vector<Case> all;
  const Shape wide{6, 5, 160};
  all.push_back({"wide slabs", Layout::slab(wide, p, 0), Layout::slab(wide, p, 1), 16});
  all.push_back({"wide bricks to pencils", Layout::brick(wide, process_grid(p, 3)),
                 Layout::pencil(wide, process_grid(p, 2)), 16});
  all.push_back({"wide slabs, other order", Layout::slab(wide, p, 0), Layout::slab(wide, p, 1, {1, 0, 2}), 16});
  all.push_back({"wide batch", Layout::slab(wide, p, 0).with_batch(2), Layout::slab(wide, p, 1).with_batch(2), 16});
  return all;
}

/// All layouts with changing element sizes.
inline void conform_all(gpu::Team& team, const std::string& strategy) {
  constexpr std::size_t sizes[] = {4, 8, 16};
  std::size_t turn = 0;
  for (Case c : cases(team.ranks())) {
    c.element_bytes = sizes[turn++ % 3];
    conform(team, strategy, c);
  }
  for (const Case& c : long_rows(team.ranks())) conform(team, strategy, c);
}

}  // namespace shardfft::kit
