#pragma once
// A change of layout inside one array, with little memory beside it. The array is put in the order of sending. Round by
// round, its front is sent, and received elements are stored behind. Then it is put in the order of its new layout.
#include <optional>

#include "exchange/link.hpp"
#include "reshape/reshape.hpp"
#include "reshape/round_order.hpp"

namespace shardfft {

/// With the exchange pairwise_xor, if every two ranks send each other equally many elements, blocks are swapped in
/// place (Adelmann et al. 2004, sections 1 and 4). Else each round has a message to and from each peer. Any layouts.
class InPlaceReshape {
 public:
  /// The staging has this share of the larger side of a rank, but at least `least_staging` bytes.
  static constexpr double staging_share = 0.02;
  static constexpr std::size_t least_staging = std::size_t{1} << 20;

  /// Collective over setup.comm.
  InPlaceReshape(const Layout& from, const Layout& to, const ReshapeSetup& setup);
  std::size_t workspace_bytes() const;
  std::size_t table_bytes() const { return out_.table_bytes() + in_.table_bytes(); }
  /// `array` has room for the larger side. Collective over the ranks that exchange data.
  void run(std::byte* array, std::byte* workspace);
  /// Elements that this rank sends to others.
  std::int64_t sent() const { return sent_; }
  int group_size() const { return group_size_; }
  int rounds() const { return rounds_; }
  bool swaps() const { return swaps_; }

 private:
  std::size_t bytes(std::int64_t units) const { return static_cast<std::size_t>(units) * unit_bytes_; }
  std::size_t permute_bytes() const;
  /// Units that are taken out of the array before a round, beyond those that it sends: because of rounding, so many
  /// more may have come in than went out.
  std::int64_t ahead() const { return static_cast<std::int64_t>(out_.peers()); }
  void run_rounds(std::byte* array, std::byte* workspace);
  void run_round(int round, const std::byte* leaving, std::byte* coming);
  void run_swaps(std::byte* array, std::byte* buffer);

  int rank_ = 0;  ///< in the group
  int group_size_ = 1;
  std::int64_t unit_ = 1;  ///< elements
  std::size_t unit_bytes_ = 1;
  int rounds_ = 1;
  bool swaps_ = false;
  RoundOrder out_;
  RoundOrder in_;
  std::optional<Link> link_;
  RequestSet requests_;
  std::int64_t sent_ = 0;
  Trace* trace_;
};

}  // namespace shardfft
