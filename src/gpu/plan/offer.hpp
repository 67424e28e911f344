#pragma once
// What GPUs can do about a reshape and the transforms at its ends.
#include <limits>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/team.hpp"
#include "run/setup.hpp"
#include "schedule/pass.hpp"

namespace shardfft::gpu {

/// The parts that a reshape in which a rank sends `bytes` should be cut in: along one axis for both ends; or for one,
/// where it sends to so many `peers`.
int automatic_chunks(std::size_t bytes, std::int64_t peers = 0);

/// What a rank sends in a reshape, at most, and to how many others.
struct Sending {
  std::int64_t bytes = 0, peers = 0;
};

/// Whether a transform on this GPU crosses memory once, by a pass of our own.
bool is_one_pass(const FftSpec& spec);
/// Whether a pass along the axis of `fft`, of which lines lie so on `rank`, crosses memory once; empty ones do.
bool has_line_pass(const TransformStep& fft, const State& state, int rank, Precision precision);

/// What can be done about the reshapes of a plan. All ranks ask alike, and have the same answers: each is worked out
/// when it is first asked for, which is collective.
class Offers {
 public:
  /// setup.exchange is a name, never "auto".
  Offers(const ExecutorSetup& setup, const Team& team) : setup_(setup), team_(team) {}

  /// Whether the transform before the reshape stores what it makes where that leads.
  bool stores(const Joined& joined);
  /// In which chunks; none where no axis serves.
  const Chunking& cut(const Joined& joined);
  /// Of one transform and chunks: whether each piece of it is one pass of our own.
  bool is_one_pass(const Joined& joined);
  /// How a reshape and the transforms that run with it are cut in chunks: at both ends where that can be; one without
  /// any along the slowest axis of its result.
  Pieces pieces(const Joined& joined);
  /// With rows that are padded on both sides of the reshape, where that gains.
  std::optional<Joined> padded(const Joined& joined) const;

 private:
  /// What of a reshape is to be cut: any end where none is said; and in how many parts at most.
  struct Cut {
    std::optional<ChunkEnds> ends{};
    int most = std::numeric_limits<int>::max();
  };
  /// How transforms run in pieces, on the GPU where they do worst.
  enum class Fit { breaks_planes, runs_slowly, runs_well };
  struct Offer {
    Joined joined;
    std::optional<bool> stores{}, one_pass{};
    std::optional<Chunking> cut{};
  };

  Offer& of(const Joined& joined);
  bool can_store(const Joined& joined) const;
  bool moves_all(const State& from, const State& to) const;
  const Sending& sending(const State& from, const State& to);
  int wanted_chunks(const Sending& sending, ChunkEnds ends) const;
  Fit fit(const std::vector<Pass>& passes, const std::vector<Slice>& slices, bool any_planes = false) const;
  Chunking chunking(const Joined& joined, const Sending& sent, const Cut& wanted) const;
  Chunking receiver_chunking(const Layout& to, const Sending& sent) const;
  bool is_packed(const Joined& joined, const Pieces& pieces) const;
  std::optional<Pieces> equal_pieces(const Joined& joined, const Sending& sent) const;
  std::optional<Pieces> fastest_pieces(const Joined& joined, const Sending& sent, double most_rest) const;

  const ExecutorSetup& setup_;
  const Team& team_;
  std::list<Offer> offers_;
  std::list<std::pair<std::pair<State, State>, Sending>> sent_;
};

}  // namespace shardfft::gpu
