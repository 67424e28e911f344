#pragma once
// The offers of GPUs for a reshape and the transforms at its ends: direct stores, chunks, padded rows.
#include <array>
#include <limits>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/team.hpp"
#include "run/setup.hpp"
#include "schedule/local_transform.hpp"

namespace shardfft::gpu {

/// The number of parts for a reshape in which a rank sends `bytes`: cut along one axis for both ends; or for one end
/// only, if the rank sends to that many `peers`.
int automatic_chunks(std::size_t bytes, std::int64_t peers = 0);

/// The most bytes that a rank sends in a reshape, and the most ranks that it sends to.
struct Sending {
  std::int64_t bytes = 0, peers = 0;
};

/// Whether a transform on this GPU crosses memory once, by a pass of the library's own.
bool is_one_pass(const FftSpec& spec);
/// Whether a pass along the axis of `fft` crosses memory once, for the lines of `rank` in `state`. True if it has none.
bool has_line_pass(const TransformStep& fft, const State& state, int rank, Precision precision);

/// The offers for all reshapes of a plan. All ranks ask the same questions and get the same answers. Each answer is
/// computed when it is first asked for, which is collective.
class Offers {
 public:
  /// setup.way.exchange is a name, never "auto".
  Offers(const ExecutorSetup& setup, const Team& team) : setup_(setup), team_(team) {}

  /// Whether the transform before the reshape stores its results directly at the reshape's destinations.
  bool stores(const Joined& joined);
  /// The chunks of the reshape; no cut if no axis serves.
  const Chunking& cut(const Joined& joined);
  /// For a reshape with one transform: whether each chunk of the transform is one pass of the library's own.
  bool is_one_pass(const Joined& joined);
  /// The pieces of a reshape and of the transforms that run with it: both ends are cut if possible.
  const Pieces& pieces(const Joined& joined);
  /// The reshape with rows that are padded on both sides, if that is faster.
  std::optional<Joined> padded(const Joined& joined) const;

 private:
  /// The cut that a caller wants: at which end (unset: any), and in how many parts at most.
  struct Cut {
    std::optional<ChunkEnds> ends{};
    int most = std::numeric_limits<int>::max();
  };
  /// How well transforms run in pieces, on the GPU that runs them worst.
  enum class Fit { breaks_planes, runs_slowly, runs_well };
  struct Offer {
    Joined joined;
    std::optional<bool> stores{}, one_pass{};
    std::optional<Chunking> cut{};
    std::array<std::optional<Pieces>, 2> pieces{};  ///< by whether the transform behind runs in place
  };

  Offer& of(const Joined& joined);
  bool can_store(const Joined& joined) const;
  bool moves_all(const State& from, const State& to) const;
  const Sending& sending(const State& from, const State& to);
  int wanted_chunks(const Sending& sending, ChunkEnds ends) const;
  Fit fit(const std::vector<LocalTransform>& transforms, const std::vector<Slice>& slices,
          bool any_planes = false) const;
  Chunking chunking(const Joined& joined, const Sending& sent, const Cut& wanted) const;
  Pieces make_pieces(const Joined& joined);
  bool is_packed(const Joined& joined, const Pieces& pieces) const;
  std::optional<Pieces> equal_pieces(const Joined& joined, const Sending& sent) const;
  std::optional<Pieces> fastest_pieces(const Joined& joined, const Sending& sent, double most_divided) const;

  const ExecutorSetup& setup_;
  const Team& team_;
  std::list<Offer> offers_;
  std::list<std::pair<std::pair<State, State>, Sending>> sent_;
};

}  // namespace shardfft::gpu
