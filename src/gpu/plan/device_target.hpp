#pragma once
// What programs are lowered for on GPUs.
#include <limits>
#include <optional>

#include "gpu/team.hpp"
#include "lower/stretch.hpp"
#include "lower/target.hpp"
#include "run/runner.hpp"
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

/// What of a reshape is to be cut: any end where none is said; and in how many parts at most.
struct Cut {
  std::optional<ChunkEnds> ends{};
  int most = std::numeric_limits<int>::max();
};

/// Whether a transform on this GPU crosses memory once, by a pass of our own.
bool is_one_pass(const FftSpec& spec);

int reshapes(const Program& program);

/// A reshape of a program with these transforms of it at its ends, null: without one; or with those that are there.
Joined joined_around(const Program& program, std::size_t reshape, const TransformStep* before,
                     const TransformStep* after);
Joined joined_around(const Program& program, std::size_t reshape);

class DeviceTarget : public Target {
 public:
  /// setup.way.exchange is a name, never "auto".
  DeviceTarget(const ExecutorSetup& setup, const Team& team)
      : Target(setup.options.workspace == Workspace::least), setup_(setup), team_(team) {}

  std::vector<std::vector<int>> groups(const Program& program, int step) override;
  AxisOrder order_after(const Program& program, int step) override;
  std::int64_t row_unit(const Program& program, int step) override;
  Fusion fusion(const Program& program, const std::vector<int>& steps, std::size_t at) override;
  bool scales_free(const Program& program, int step) override;
  bool in_place(const Program& program, int step) override;
  ResultUse uses_result(const Program& program) override;

  /// How a reshape and the transforms that run with it are cut in chunks: at both ends where that can be; one without
  /// any along the slowest axis of its result.
  Pieces pieces(const Joined& steps) const;
  /// Whether GPUs write slowly into an array of this state that another process has allocated.
  bool lands_slowly(const State& state) const;

 private:
  std::optional<Joined> padded(const Joined& joined) const;
  bool begins_in_place(const Program& program) const;
  bool leaves_from_input(const Program& program) const;
  bool stores(const Joined& joined) const;
  bool stores(const Program& program, std::size_t reshape) const;
  bool moves_all(const State& from, const State& to) const;
  Sending sending(const State& from, const State& to) const;
  int wanted_chunks(const Sending& sending, ChunkEnds ends) const;
  bool keep_planes(const std::vector<Pass>& passes, const std::vector<Slice>& slices) const;
  bool run_well(const std::vector<Pass>& passes, const std::vector<Slice>& slices) const;
  Chunking chunking(const Joined& joined, const Sending& sent, const Cut& wanted = {}) const;
  Chunking chunking(const Joined& joined) const { return chunking(joined, sending(joined.from, joined.to)); }
  Chunking receiver_chunking(const Layout& to, const Sending& sent) const;
  bool is_packed(const Joined& joined, const Pieces& pieces) const;
  std::optional<Pieces> equal_pieces(const Joined& joined, const Sending& sent) const;
  std::optional<Pieces> fastest_pieces(const Joined& joined, const Sending& sent, double most_rest) const;
  bool line_pass_fits_all(const TransformStep& fft, const State& state) const;
  bool checks_itself(const Program& program, int step) const;
  std::optional<bool> has_one_pass(const Program& program, std::size_t at, ChunkEnds end) const;
  bool stays_whole(const Program& program, std::size_t at) const;

  const ExecutorSetup& setup_;
  const Team& team_;
};

}  // namespace shardfft::gpu
