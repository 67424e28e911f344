#pragma once
// The part of one GPU in a slab transform. Its steps only enqueue: they are the same whether the peers are GPUs of this
// process or memory and events of other processes opened through IPC.
//
//   forward:   z and y lines of a run of x planes -> copy engines send it beside the next run's lines -> x lines
//   backward:  x lines -> copy engines send runs of x planes -> y and z lines of a run while the next one arrives
//
// Host order: every rank has returned from begin_*() before any rank calls send_*(), and from send_*() before any rank
// calls finish_*(): an event can only be waited for after the call that records it.
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "cuda/handles.hpp"
#include "cuda/lines/pass.hpp"
#include "cuda/slab/slab_shape.hpp"
#include "local/cufft.hpp"

namespace shardfft::cuda {

/// Device arrays of a rank. Forward goes from field over planes and rows to spectrum, backward the same way back; each
/// writes all but the one it begins with, where that is not also another one.
struct SlabArrays {
  void* field = nullptr;
  void* planes = nullptr;    ///< complex, [x_count][ny][pitch]; may be `field` itself for c2c
  void* spectrum = nullptr;  ///< [nx][y_count][spectrum_pitch]
  void* rows = nullptr;      ///< [nx][y_count][pitch]; null: the spectrum itself
  void* x_rows() const { return rows != nullptr ? rows : spectrum; }
};

/// Which steps are line passes. A cut of equal parts lets them put the rank's own block into place (direct).
struct SlabFusion {
  bool y = false, x = false, direct = false;
};
/// On the current device; the same on all ranks.
SlabFusion fusion_of(const SlabShape& shape, const SlabOptions& options);

/// What a rank knows of another one (or of itself): where its arrays are, and its events.
struct SlabPeer {
  SlabArrays arrays;
  EventHandle ready = nullptr;         ///< its arrays may be written
  std::vector<EventHandle> sent_here;  ///< SlabRank::sent(part, chunk, me)
};

class SlabRank {
 public:
  /// Plans on `device`. `event_use` shared: events that other processes can open.
  SlabRank(const SlabShape& shape, const SlabOptions& options, int rank, int device,
           EventUse event_use = EventUse::order);

  int device() const { return device_; }
  int ranks() const { return shape_.ranks; }
  int parts() const { return static_cast<int>(part_begin_.size()) - 1; }
  int chunks() const { return options_.chunks; }
  bool fused_y() const { return fusion_.y; }
  bool fused_x() const { return fusion_.x; }
  EventHandle ready() const { return ready_.get(); }
  EventHandle sent(int part, int chunk, int to) const;
  std::size_t work_bytes() const;

  void begin_forward(const SlabArrays& own, StreamHandle stream);
  void send_forward(const SlabArrays& own, std::span<const SlabPeer> peers, StreamHandle stream);
  void finish_forward(const SlabArrays& own, std::span<const SlabPeer> peers, StreamHandle stream);
  void begin_backward(const SlabArrays& own, StreamHandle stream);
  void send_backward(const SlabArrays& own, std::span<const SlabPeer> peers, StreamHandle stream);
  void finish_backward(const SlabArrays& own, std::span<const SlabPeer> peers, StreamHandle stream);

 private:
  struct Range {
    std::int64_t begin, end;
    std::int64_t count() const { return end - begin; }
  };
  Range part(int p) const {
    return {part_begin_[static_cast<std::size_t>(p)], part_begin_[static_cast<std::size_t>(p) + 1]};
  }
  /// Run of x planes, counted from the first plane of `rank`.
  Range chunk(int rank, int c) const;
  char* plane_row(void* planes, std::int64_t x, std::int64_t y) const;
  /// In the rows of `rank`.
  char* x_row(void* rows, int rank, std::int64_t x, std::int64_t y) const;

  void plan_fused();
  void plan_cufft();
  void make_handles(EventUse use);

  void plane_transform(const SlabArrays& own, Range planes, Direction direction, StreamHandle stream) const;
  void y_lines_forward(const SlabArrays& own, Range planes, Range z, StreamHandle stream) const;
  void y_lines_backward(const SlabArrays& own, Range planes, Range z, StreamHandle stream) const;
  void x_lines_forward(const SlabArrays& own, Range z, StreamHandle stream) const;
  void x_lines_backward(const SlabArrays& own, Range z, StreamHandle stream) const;
  lines::Pass pass(int n, Direction direction) const;
  lines::Side spectrum_side(void* spectrum) const;
  void flatten(lines::Pass& pass, Range z) const;

  void compute_forward(const SlabArrays& own, int part, int chunk, StreamHandle stream);
  void compute_backward(const SlabArrays& own, int part, StreamHandle stream);
  void release_copies(StreamHandle stream);
  void wait_until_ready(std::span<const SlabPeer> peers);
  BoxCopy block(char* planes, char* x_rows, int rows_of, std::int64_t count, Range z, bool to_rows) const;
  void send_planes(const SlabArrays& own, std::span<const SlabPeer> peers, int part, int chunk);
  void send_rows(const SlabArrays& own, std::span<const SlabPeer> peers, int part, int chunk);
  void wait_for_peers(std::span<const SlabPeer> peers, int part, int chunk, StreamHandle stream) const;
  void wait_for_own_copies(int part, int chunk, StreamHandle stream) const;
  bool copies_to(int q) const { return q != rank_ || !fusion_.direct; }
  std::size_t event_index(int part, int chunk) const {
    return static_cast<std::size_t>(part) * static_cast<std::size_t>(options_.chunks) + static_cast<std::size_t>(chunk);
  }

  SlabShape shape_;
  SlabOptions options_;
  int rank_, device_;
  SlabFusion fusion_;
  std::vector<std::int64_t> part_begin_;
  std::map<std::int64_t, CufftPlan> plane_plans_;  ///< by the number of planes: z lines, or whole planes
  CufftPlan x_plan_;
  Event ready_, computed_;
  std::vector<Event> sent_;   ///< [part][chunk][to]
  std::vector<Stream> copy_;  ///< one a destination
};

}  // namespace shardfft::cuda
